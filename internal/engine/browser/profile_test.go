package browser

import (
	"errors"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestPersistentProfile(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	dir := t.TempDir()
	for i := range 2 {
		b := New(Config{Headless: true, UserDataDir: dir})
		tab, _, err := b.Session("s").Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok, err := webstorage.Open(tab, powertest.Storage, webstorage.Local).Get(ctx, "kept"); err != nil || ok != (i == 1) {
			t.Errorf("run %d: %q, %v, %v", i, got, ok, err)
		}
		expires := time.Now().Add(time.Hour)
		if err := errors.Join(webstorage.Open(tab, powertest.Storage, webstorage.Local).Set(ctx, "kept", "yes"), webstorage.SetCookie(ctx, tab, powertest.Storage, webstorage.Cookie{Name: "k", Value: "v", Expires: expires})); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	profiles, err := chromium.Profiles(dir)
	if err != nil || len(profiles) == 0 || profiles[0].Directory != "Default" {
		t.Errorf("profiles of a real directory: %+v, %v", profiles, err)
	}
}

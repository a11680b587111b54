package browser

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPersistentProfile(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 40*time.Second)
	dir := t.TempDir()
	for i := range 2 {
		b := New(Config{Headless: true, UserDataDir: dir})
		tab, _, err := b.Session("s").Open(ctx, site.URL+"/a")
		if err != nil {
			t.Fatal(err)
		}
		if got, ok, err := tab.Storage(LocalStorage).Get(ctx, "kept"); err != nil || ok != (i == 1) {
			t.Errorf("run %d: %q, %v, %v", i, got, ok, err)
		}
		expires := time.Now().Add(time.Hour)
		if err := errors.Join(tab.Storage(LocalStorage).Set(ctx, "kept", "yes"), tab.SetCookie(ctx, Cookie{Name: "k", Value: "v", Expires: expires})); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	b := New(Config{})
	profiles, err := b.Profiles(dir)
	if err != nil || len(profiles) == 0 || profiles[0].Directory != "Default" {
		t.Errorf("profiles of a real directory: %+v, %v", profiles, err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	now := time.Now()
	make := func(name, owner string, age time.Duration) {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(dir, "Default"), 0o700); err != nil {
			t.Fatal(err)
		}
		if owner != "-" {
			if err := os.WriteFile(filepath.Join(dir, ownerFile), []byte(owner), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	make(profilePrefix+"dead", "1\n", 0)
	make(profilePrefix+"old", "-", time.Hour)
	make(profilePrefix+"nascent", "-", time.Second)
	make(profilePrefix+"half", "", time.Second)
	make("somebody-elses", "1\n", time.Hour)
	if n := sweepProfiles(root, now); n != 2 {
		t.Errorf("swept %d, want 2", n)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{profilePrefix + "half", profilePrefix + "nascent", "somebody-elses"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := `{"profile":{"last_used":"Profile 1","info_cache":{
		"Profile 1":{"name":"Work","user_name":"ada@example.com"},"Default":{"name":"Person 1","user_name":""}}}}`
	if err := os.WriteFile(filepath.Join(dir, "Local State"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := New(Config{}).Profiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Profile{
		{Directory: "Default", Name: "Person 1"},
		{Directory: "Profile 1", Name: "Work", UserName: "ada@example.com", Active: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	if _, err := New(Config{}).Profiles(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no profiles: %v", err)
	}
}

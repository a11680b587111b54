package webstorage_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser/browsertest"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/powertest"
)

var site *browsertest.Site

func TestMain(m *testing.M) {
	browsertest.Main(m, &site, map[string]string{"/a": `<!doctype html><title>A</title><h1>a</h1>`})
}

// js evaluates code and fails the test if that fails.
func js(t testing.TB, tab evaluate.Tab, code string) evaluate.Value {
	t.Helper()
	v, err := evaluate.Run(browsertest.Deadline(t, time.Minute), tab, powertest.Script, code)
	if err != nil {
		t.Fatalf("evaluate %s: %v", code, err)
	}
	return v
}

func TestCookies(t *testing.T) {
	t.Parallel()
	ctx := browsertest.Deadline(t, time.Minute)
	tab := site.Open(t, "/a")
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	want := []webstorage.Cookie{
		{Name: "a", Value: "1", Domain: "127.0.0.1", Path: "/"},
		{Name: "b", Value: "2", Domain: "127.0.0.1", Path: "/", HTTPOnly: true, SameSite: "Lax", Expires: expires},
	}
	for _, c := range want {
		c.Domain = ""
		if err := webstorage.SetCookie(ctx, tab, powertest.Storage, c); err != nil {
			t.Fatal(err)
		}
	}
	got, err := webstorage.Cookies(ctx, tab, powertest.Storage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
	if got := js(t, tab, `document.cookie`).Text(); got != "a=1" {
		t.Errorf("the page sees %q", got)
	}
	if n, err := webstorage.DeleteCookie(ctx, tab, powertest.Storage, "a"); n != 1 || err != nil {
		t.Errorf("delete: %d, %v", n, err)
	}
	if n, err := webstorage.ClearCookies(ctx, tab, powertest.Storage); n != 1 || err != nil {
		t.Errorf("clear: %d, %v", n, err)
	}
	if got, err := webstorage.Cookies(ctx, tab, powertest.Storage); len(got) != 0 || err != nil {
		t.Errorf("left: %v, %v", got, err)
	}
	if err := webstorage.SetCookie(ctx, tab, powertest.Storage, webstorage.Cookie{Name: "x", Domain: "example.com"}); err == nil {
		if got, _ := webstorage.Cookies(ctx, tab, powertest.Storage); len(got) != 0 {
			t.Errorf("a foreign domain: %v", got)
		}
	}
	if _, err := webstorage.Cookies(ctx, site.Open(t, ""), powertest.Storage); err == nil {
		t.Error("about:blank has cookies")
	}
}

func TestStorage(t *testing.T) {
	t.Parallel()
	ctx := browsertest.Deadline(t, time.Minute)
	tab := site.Open(t, "/a")
	for _, kind := range []webstorage.Kind{webstorage.Local, webstorage.Session} {
		s := webstorage.Open(tab, powertest.Storage, kind)
		if err := errors.Join(s.Set(ctx, "b", "2"), s.Set(ctx, "a", "ä")); err != nil {
			t.Fatal(err)
		}
		if got := js(t, tab, string(kind)+`Storage.getItem('a')`).Text(); got != "ä" {
			t.Errorf("%s: the page sees %q", kind, got)
		}
		js(t, tab, string(kind)+`Storage.setItem('page', '3')`)
		keys, err := s.Keys(ctx)
		if diff := cmp.Diff([]string{"a", "b", "page"}, keys); diff != "" || err != nil {
			t.Errorf("%s keys %v (-want +got):\n%s", kind, err, diff)
		}
		if v, ok, err := s.Get(ctx, "page"); v != "3" || !ok || err != nil {
			t.Errorf("%s get: %q, %v, %v", kind, v, ok, err)
		}
		if err := errors.Join(s.Remove(ctx, "a"), s.Remove(ctx, "not there")); err != nil {
			t.Error(err)
		}
		if _, ok, err := s.Get(ctx, "a"); ok || err != nil {
			t.Errorf("%s removed: %v, %v", kind, ok, err)
		}
		if err := s.Clear(ctx); err != nil {
			t.Error(err)
		}
		if items, err := s.Items(ctx); len(items) != 0 || err != nil {
			t.Errorf("%s cleared: %v, %v", kind, items, err)
		}
	}
	for _, address := range []string{"about:blank", "data:text/html,x"} {
		site.Load(t, tab, address)
		if _, err := webstorage.Open(tab, powertest.Storage, webstorage.Local).Keys(ctx); !errors.Is(err, webstorage.ErrOpaqueOrigin) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := webstorage.Open(tab, powertest.Storage, "cookie").Clear(ctx); err == nil {
		t.Error("an unknown kind")
	}
}

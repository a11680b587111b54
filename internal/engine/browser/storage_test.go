package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestScreenshot(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "/tall")
	tests := []struct {
		name string
		opts ScreenshotOptions
		mime string
		size Size
	}{
		{"viewport", ScreenshotOptions{}, "image/png", Size{1280, 720}},
		{"jpeg", ScreenshotOptions{Format: JPEG, Quality: 50}, "image/jpeg", Size{1280, 720}},
		{"webp", ScreenshotOptions{Format: WebP}, "image/webp", Size{1280, 720}},
		{"full page", ScreenshotOptions{FullPage: true}, "image/png", Size{1280, 3000}},
		{"clip", ScreenshotOptions{Clip: &Rect{10, 2000, 50, 60}}, "image/png", Size{50, 60}},
	}
	for _, test := range tests {
		shot, err := tab.Screenshot(deadline(t, time.Minute), test.opts)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(Screenshot{MIME: test.mime, Size: test.size}, Screenshot{MIME: shot.MIME, Size: shot.Size}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if test.mime == "image/webp" {
			if !bytes.HasPrefix(shot.Data, []byte("RIFF")) {
				t.Errorf("%s: not webp", test.name)
			}
			continue
		}
		img, _, err := image.Decode(bytes.NewReader(shot.Data))
		if err != nil || img.Bounds().Dx() != test.size.Width || img.Bounds().Dy() != test.size.Height {
			t.Errorf("%s: %v, %v", test.name, img.Bounds(), err)
		}
		if test.name == "clip" {
			if r, g, b, _ := img.At(5, 5).RGBA(); r != 0 || g != 0 || b != 0xffff {
				t.Errorf("clip shows %x %x %x, want blue", r, g, b)
			}
		}
	}
	for _, bad := range []ScreenshotOptions{{Format: "gif"}, {Clip: &Rect{}}} {
		if _, err := tab.Screenshot(deadline(t, time.Minute), bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

func TestScreenshotBackground(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "/clear")
	for _, omit := range []bool{true, false} {
		shot, err := tab.Screenshot(deadline(t, time.Minute), ScreenshotOptions{OmitBackground: omit})
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(bytes.NewReader(shot.Data))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, alpha := img.At(100, 100).RGBA(); (alpha == 0) != omit {
			t.Errorf("omit %v: alpha %x", omit, alpha)
		}
	}
}

func TestCookies(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	tab, _, err := testSession(t, true).Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	want := []Cookie{
		{Name: "a", Value: "1", Domain: "127.0.0.1", Path: "/"},
		{Name: "b", Value: "2", Domain: "127.0.0.1", Path: "/", HTTPOnly: true, SameSite: "Lax", Expires: expires},
	}
	for _, c := range want {
		c.Domain = ""
		if err := tab.SetCookie(ctx, powertest.Storage, c); err != nil {
			t.Fatal(err)
		}
	}
	got, err := tab.Cookies(ctx, powertest.Storage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cookies (-want +got):\n%s", diff)
	}
	if got := js(t, tab, `document.cookie`).Text(); got != "a=1" {
		t.Errorf("the page sees %q", got)
	}
	if n, err := tab.DeleteCookie(ctx, powertest.Storage, "a"); n != 1 || err != nil {
		t.Errorf("delete: %d, %v", n, err)
	}
	if n, err := tab.ClearCookies(ctx, powertest.Storage); n != 1 || err != nil {
		t.Errorf("clear: %d, %v", n, err)
	}
	if got, err := tab.Cookies(ctx, powertest.Storage); len(got) != 0 || err != nil {
		t.Errorf("left: %v, %v", got, err)
	}
	if err := tab.SetCookie(ctx, powertest.Storage, Cookie{Name: "x", Domain: "example.com"}); err == nil {
		if got, _ := tab.Cookies(ctx, powertest.Storage); len(got) != 0 {
			t.Errorf("a foreign domain: %v", got)
		}
	}
	if _, err := openTab(t, "").Cookies(ctx, powertest.Storage); err == nil {
		t.Error("about:blank has cookies")
	}
}

func TestStorage(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	tab, _, err := testSession(t, true).Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []StorageKind{LocalStorage, SessionStorage} {
		s := tab.Storage(powertest.Storage, kind)
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
		if _, err := tab.Navigate(ctx, powertest.Navigation, address, NavigateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := tab.Storage(powertest.Storage, LocalStorage).Keys(ctx); !errors.Is(err, ErrOpaqueOrigin) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := tab.Storage(powertest.Storage, "cookie").Clear(ctx); err == nil {
		t.Error("an unknown kind")
	}
}

// TestScreenshotOfBusyPageEnds captures a page in an endless loop. The call returns before the page
// can end its concealment.
func TestScreenshotOfBusyPageEnds(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 40*time.Second)
	b := New(Config{Headless: true, Conceal: []string{"hidden-value"}})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	js(t, tab, `setTimeout(() => { for (;;); }, 0); 0`)
	ended := make(chan error, 1)
	go func() {
		_, err := tab.Screenshot(deadline(t, time.Second), ScreenshotOptions{})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a page in an endless loop was captured")
		}
	case <-ctx.Done():
		t.Error("the call never ends")
	}
}

// TestScreenshotOfReloadingPageEnds captures a page whose documents are too short for a picture.
func TestScreenshotOfReloadingPageEnds(t *testing.T) {
	t.Parallel()
	reloading := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<p>Short</p><script>setTimeout(() => location.reload(), 20)</script>`)
	}))
	t.Cleanup(reloading.Close)
	ctx := deadline(t, 60*time.Second)
	b := New(Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(ctx, powertest.Window, powertest.Navigation, reloading.URL, NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tab.Screenshot(ctx, ScreenshotOptions{})
	t.Log(err)
	if _, ok := errors.AsType[*document.ReloadingError](err); err != nil && !ok {
		t.Error(err)
	}
}

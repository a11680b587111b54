package capture_test

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

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/browsertest"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/powertest"
)

var site *browsertest.Site

func TestMain(m *testing.M) {
	browsertest.Main(m, &site, map[string]string{
		"/a":     `<!doctype html><title>A</title><h1>a</h1>`,
		"/tall":  `<!doctype html><title>Tall</title><body style="margin:0"><div style="height:3000px;width:100px;background:#00f"></div>`,
		"/clear": `<!doctype html><title>Clear</title>`,
	})
}

func TestScreenshot(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/tall")
	tests := []struct {
		name string
		opts capture.Options
		mime string
		size capture.Size
	}{
		{"viewport", capture.Options{}, "image/png", capture.Size{1280, 720}},
		{"jpeg", capture.Options{Format: capture.JPEG, Quality: 50}, "image/jpeg", capture.Size{1280, 720}},
		{"webp", capture.Options{Format: capture.WebP}, "image/webp", capture.Size{1280, 720}},
		{"full page", capture.Options{FullPage: true}, "image/png", capture.Size{1280, 3000}},
		{"clip", capture.Options{Clip: &capture.Rect{10, 2000, 50, 60}}, "image/png", capture.Size{50, 60}},
	}
	for _, test := range tests {
		shot, err := capture.Screenshot(browsertest.Deadline(t, time.Minute), tab, test.opts)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(capture.Image{MIME: test.mime, Size: test.size}, capture.Image{MIME: shot.MIME, Size: shot.Size}); diff != "" {
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
	for _, bad := range []capture.Options{{Format: "gif"}, {Clip: &capture.Rect{}}} {
		if _, err := capture.Screenshot(browsertest.Deadline(t, time.Minute), tab, bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

func TestScreenshotBackground(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/clear")
	for _, omit := range []bool{true, false} {
		shot, err := capture.Screenshot(browsertest.Deadline(t, time.Minute), tab, capture.Options{OmitBackground: omit})
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

// TestScreenshotOfBusyPageEnds captures a page in an endless loop. The call returns before the page
// can end its concealment.
func TestScreenshotOfBusyPageEnds(t *testing.T) {
	t.Parallel()
	ctx := browsertest.Deadline(t, 40*time.Second)
	b := browser.New(browser.Config{Headless: true, Conceal: []string{"hidden-value"}})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evaluate.Run(ctx, tab, powertest.Script, `setTimeout(() => { for (;;); }, 0); 0`); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := capture.Screenshot(browsertest.Deadline(t, time.Second), tab, capture.Options{})
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
	ctx := browsertest.Deadline(t, 60*time.Second)
	b := browser.New(browser.Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(ctx, powertest.Window, powertest.Navigation, reloading.URL, browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = capture.Screenshot(ctx, tab, capture.Options{})
	t.Log(err)
	if _, ok := errors.AsType[*document.ReloadingError](err); err != nil && !ok {
		t.Error(err)
	}
}

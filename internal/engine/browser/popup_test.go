package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
)

// visits serves empty pages, of which /opens opens two popups. next waits for a request of a path.
func visits(t *testing.T) (url string, next func(path string)) {
	t.Helper()
	seen := make(chan string, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><link rel=icon href=data:,>`)
		if r.URL.Path == "/opens" {
			fmt.Fprint(w, `<script>open('/opened'); open('/detached', '', 'noopener')</script>`)
		}
		seen <- r.URL.Path
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	waiting := map[string]bool{}
	return srv.URL, func(path string) {
		t.Helper()
		ctx := deadline(t, 2*time.Minute)
		for !waiting[path] {
			select {
			case p := <-seen:
				waiting[p] = true
			case <-ctx.Done():
				t.Fatalf("never requested: %s", path)
			}
		}
		delete(waiting, path)
	}
}

// TestHeldPagesAreReleased opens pages that no instrument waits for while the browser holds pages:
// those of another program and their popups, popups of tabs without instruments, new tabs, and a
// popup of a session that has ended.
func TestHeldPagesAreReleased(t *testing.T) {
	t.Parallel()
	url, requested := visits(t)
	ctx := deadline(t, 2*time.Minute)
	b := New(Config{Headless: true, Args: []string{"--disable-popup-blocking"}}) // pages open several without an action
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	s := b.IsolatedSession("holds")
	tab, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, url+"/first", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	requested("/first")
	tab.Instruments.HoldPopups(ctx)
	tab.Instruments.HoldPopups(ctx)
	if !tab.instance.holdsPages.Load() {
		t.Fatal("the browser holds no pages")
	}
	js(t, tab, "open('/of-tab'); open('/of-tab-detached', '', 'noopener'); 0")
	requested("/of-tab")
	requested("/of-tab-detached")
	yes := true
	if _, err := cdp.Call(ctx, tab.instance.conn, target.CreateTarget,
		target.CreateTargetParams{URL: url + "/opens", NewWindow: &yes}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/opens", "/opened", "/detached"} {
		requested(path)
	}
	if _, _, err := b.IsolatedSession("other").Open(ctx, powertest.Window, powertest.Navigation, url+"/new-tab", NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	tab.session.mu.Lock()
	tab.session.ended = true
	tab.session.mu.Unlock()
	js(t, tab, `const popup = open('/late'); await new Promise(done => setInterval(() => popup.closed && done(), 10))`)
}

// TestAttachedBrowserHoldsNothing attaches to a browser that was launched elsewhere.
func TestAttachedBrowserHoldsNothing(t *testing.T) {
	t.Parallel()
	url, requested := visits(t)
	ctx := deadline(t, 2*time.Minute)
	port := proctest.FreePort(t)
	launched := New(Config{Headless: true, DebugPort: port})
	t.Cleanup(func() { _ = launched.Close(context.Background()) })
	foreign, _, err := launched.Session("launches").Open(ctx, powertest.Window, powertest.Navigation, url+"/foreign", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	attached := New(Config{CDPEndpoint: fmt.Sprintf("http://127.0.0.1:%d", port)})
	t.Cleanup(func() { _ = attached.Close(context.Background()) })
	tab, _, err := attached.Session("attaches").Open(ctx, powertest.Window, powertest.Navigation, url+"/own", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tab.Instruments.HoldPopups(ctx)
	if tab.instance.holdsPages.Load() {
		t.Error("pages of a browser that was launched elsewhere are held")
	}
	js(t, foreign, "open('/foreign-popup'); 0")
	requested("/foreign-popup")
}

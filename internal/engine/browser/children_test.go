package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/internal/engine/browser/children"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/powertest"
)

// TestHandleChildren overrides the user agent of an out-of-process frame and its worker before
// their first request, and receives their events. The request for the frame's document still has
// the page's user agent.
func TestHandleChildren(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	agents := map[string]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		agents[r.URL.Path] = r.UserAgent()
		mu.Unlock()
		other := "http://localhost" + r.Host[strings.LastIndex(r.Host, ":"):]
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<!doctype html><link rel=icon href=data:,><iframe src="%s/frame"></iframe>`, other)
		case "/frame":
			fmt.Fprint(w, `<!doctype html><script>fetch("/from-frame")</script><script>new Worker("/worker.js")</script>`)
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `fetch("/from-worker?" + navigator.userAgent)`)
		}
	}))
	defer srv.Close()
	tab, err := testSession(t, true).OpenBlank(t.Context(), powertest.Window)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path string) {
		t.Helper()
		if _, err := tab.Navigate(t.Context(), powertest.Navigation, srv.URL+path, NavigateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	seen := make(chan string, 100)
	handler := &children.Handler{
		Attach: func(ctx context.Context, c *children.Session) {
			if _, err := cdp.Call(ctx, c, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "child"}); err != nil {
				t.Errorf("%s: %v", c.Kind, err)
			}
			if _, err := cdp.Call(ctx, c, network.Enable, network.EnableParams{}); err != nil {
				t.Errorf("%s: %v", c.Kind, err)
			}
		},
		Event: func(c *children.Session, event any) {
			if ev, ok := event.(*network.EventRequestWillBeSent); ok {
				seen <- c.Kind + " " + ev.Request.URL[strings.LastIndex(ev.Request.URL, "/"):]
			}
		},
	}
	stop, err := tab.Children.Handle(t.Context(), handler)
	if err != nil {
		t.Fatal(err)
	}
	if err := protocol.Exec(t.Context(), tab.cdp, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "page"}); err != nil {
		t.Fatal(err)
	}
	ask("/")
	want := map[string]bool{"iframe /from-frame": true, "worker /from-worker?child": true}
	for limit := time.After(20 * time.Second); len(want) > 0; {
		select {
		case s := <-seen:
			delete(want, s)
		case <-limit:
			t.Fatalf("not seen: %v", want)
		}
	}
	mu.Lock()
	got := fmt.Sprint(agents["/frame"], agents["/from-frame"])
	clear(agents)
	mu.Unlock()
	if got != "pagechild" {
		t.Errorf("the frame came as %q", got)
	}
	stop()
	ask("/?2")
	mu.Lock()
	defer mu.Unlock()
	if agents["/from-frame"] == "child" || agents["/frame"] == "" {
		t.Errorf("after the handler was removed, the frame came as %q", agents["/from-frame"])
	}
}

// TestSlowHandlerDoesNotBlockChild has a handler that uses up its time; the child runs all the
// same.
func TestSlowHandlerDoesNotBlockChild(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab := openTab(t, "/a")
	stop, err := tab.Children.Handle(ctx, &children.Handler{Attach: func(ctx context.Context, _ *children.Session) { <-ctx.Done() }})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	v, err := evaluate.Run(ctx, tab, powertest.Script, `new Promise(done => new Worker("data:text/javascript,postMessage('runs')").onmessage = e => done(e.data))`)
	if err != nil || v.Text() != "runs" {
		t.Errorf("the worker: %s, %v", v.Text(), err)
	}
}

// TestBusyWorkerDoesNotBlockHandler adds a handler while a worker runs an endless loop and answers
// nothing.
func TestBusyWorkerDoesNotBlockHandler(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab := openTab(t, "/a")
	ask := &children.Handler{Attach: func(ctx context.Context, c *children.Session) {
		_ = protocol.Exec(ctx, c, network.Enable, network.EnableParams{})
	}}
	stop, err := tab.Children.Handle(ctx, ask)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	js(t, tab, `new Promise(done => (globalThis.w = new Worker("data:text/javascript,postMessage(1);for(;;);")).onmessage = done)`)
	second, err := tab.Children.Handle(ctx, ask)
	if err != nil {
		t.Fatal(err)
	}
	defer second()
}

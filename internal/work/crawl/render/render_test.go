package render_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
	"github.com/callsheet/callsheet/internal/work/crawl/render"
)

// remote starts a browser that others can attach to, as on another machine.
func remote(t *testing.T) (endpoint string, kill func()) {
	t.Helper()
	port := proctest.FreePort(t)
	b := browser.New(browser.Config{Headless: true, DebugPort: port})
	if _, err := b.Session("host").OpenBlank(t.Context(), powertest.Window); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() { _ = b.Close(context.Background()) })
	t.Cleanup(end)
	return fmt.Sprintf("http://127.0.0.1:%d", port), end
}

// TestRemoteBrowsersShareTheWork renders in two browsers, and goes on with one when the other dies.
func TestRemoteBrowsersShareTheWork(t *testing.T) {
	srv := httptest.NewServer(crawltest.New(crawltest.Options{Pages: 1}))
	t.Cleanup(srv.Close)
	first, kill := remote(t)
	second, _ := remote(t)
	p := pool.New(browser.New(browser.Config{CDPEndpoint: first}), browser.New(browser.Config{CDPEndpoint: second}))
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	r := render.New(p, powers)
	page := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		got, err := r.Render(ctx, srv.URL+"/app", 1<<20)
		if err == nil && (!strings.Contains(got.HTML, "Made by a script") || got.URL != srv.URL+"/app") {
			err = fmt.Errorf("%s: %.300s", got.URL, got.HTML)
		}
		return err
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := page(); err != nil {
				t.Error(err)
			}
		})
	}
	busy := 0
	for end := time.Now().Add(20 * time.Second); busy < 2 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		busy = 0
		for _, m := range p.Members() {
			if m.Busy == 2 {
				busy++
			}
		}
	}
	if busy != 2 {
		t.Errorf("the work was not shared: %+v", p.Members())
	}
	all.Wait()
	kill()
	done := 0
	for range 6 { // what meets the death of its browser fails, and would be repeated by the crawl
		if page() == nil {
			done++
		}
	}
	if done < 4 {
		t.Errorf("%d of 6 pages after the death of a browser: %+v", done, p.Members())
	}
}

// TestAnAnswerThatIsNoPage: what a server says when it has too much to do is not what the page
// shows.
func TestAnAnswerThatIsNoPage(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, "<p>Too much to do")
			return
		}
		fmt.Fprint(w, "<p>Made for browsers")
	}))
	t.Cleanup(srv.Close)
	p := pool.New(browser.New(browser.Config{Headless: true}))
	t.Cleanup(func() { _ = p.Close(context.Background()) })
	r := render.New(p, powers)
	if got, err := r.Render(t.Context(), srv.URL, 1<<20); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := r.Render(t.Context(), srv.URL, 1<<20); err != nil || !strings.Contains(got.HTML, "Made for browsers") {
		t.Errorf("%+v, %v", got, err)
	}
	if m := p.Members()[0]; m.Busy != 0 || m.Failures != 0 {
		t.Errorf("%+v", m)
	}
}

var powers = render.Powers{Window: powertest.Window, Navigation: powertest.Navigation, Script: powertest.Script}

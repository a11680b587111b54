package page_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// browser is the Chromium of the test binary; every test has its own tab.
var browser context.Context

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	cancel, err := startBrowser()
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting Chromium:", err)
		return 1
	}
	defer cancel()
	return m.Run()
}

// startBrowser starts the browser with the switches that the server starts it with.
func startBrowser() (cancel func(), err error) {
	executable, err := chromium.FindExecutable("")
	if err != nil {
		return nil, err
	}
	data, err := chromium.NewTempDataDir()
	if err != nil {
		return nil, err
	}
	options := chromium.Options{Headless: true, Width: 800, Height: 600, TempDir: data.TempDir}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options.AllocatorOptions(executable, data.Path)...)
	ctx, close := chromedp.NewContext(allocator)
	browser = ctx
	_, err = chromedp.Targets(ctx)
	return func() {
		close()
		stop()
		_ = data.Remove(context.Background()) // the next start sweeps what is left
	}, err
}

// tab is a page under test with the server its fixtures come from.
type tab struct {
	*page.Page
	t       testing.TB
	ctx     context.Context
	session cdp.Session
	url     string
}

// open serves the routes ("/" is loaded at once) and opens them in a new tab.
// A route's text is its body; a handler may be given instead.
func open(t testing.TB, routes map[string]any) *tab {
	t.Helper()
	mux := http.NewServeMux()
	for path, route := range routes {
		pattern := path
		if path == "/" {
			pattern = "/{$}"
		}
		switch route := route.(type) {
		case string:
			mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				fmt.Fprint(w, route)
			})
		case http.HandlerFunc:
			mux.Handle(pattern, route)
		default:
			t.Fatalf("route %s is a %T", path, route)
		}
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancelTimeout := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancelTimeout)
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/")); err != nil {
		t.Fatalf("opening the fixture: %v", err)
	}
	session := chromedp.FromContext(ctx).Target
	b := &tab{t: t, ctx: ctx, session: session, url: server.URL}
	b.useSession(session)
	return b
}

// useSession gives the tab a page on the session.
func (b *tab) useSession(s cdp.Session) {
	b.t.Helper()
	b.Page = page.New(s, attachFrame(b.ctx))
	if err := chromedp.Listen(b.ctx, b.HandleEvent); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(b.Close)
}

// load shows another of the tab's documents.
func (b *tab) load(path string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(b.url+path)); err != nil {
		b.t.Fatalf("opening %s: %v", path, err)
	}
}

// attachFrame opens sessions with frames of other processes.
func attachFrame(parent context.Context) page.Attacher {
	return func(ctx context.Context, id target.ID) (cdp.Session, func(), error) {
		own, cancel := chromedp.NewContext(parent, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel())
		done := make(chan error, 1)
		go func() { done <- chromedp.Do(own) }()
		select {
		case err := <-done:
			if err != nil {
				go cancel()
				return nil, nil, err
			}
		case <-ctx.Done():
			go cancel()
			return nil, nil, ctx.Err()
		}
		return chromedp.FromContext(own).Target, func() { go cancel() }, nil
	}
}

// show opens a document of one body.
func show(t testing.TB, body string) *tab {
	t.Helper()
	return open(t, map[string]any{"/": "<!doctype html><meta charset=utf-8><title>Fixture</title>" + body})
}

func (b *tab) read(o page.ReadOptions) page.Reading {
	b.t.Helper()
	r, err := b.Read(b.ctx, o)
	if err != nil {
		b.t.Fatalf("reading: %v", err)
	}
	return r
}

// outline is the compact reading's text.
func (b *tab) outline() string {
	b.t.Helper()
	return b.read(page.ReadOptions{}).Text
}

// ref returns the ref of the only element that a selector matches.
func (b *tab) ref(css string) string {
	b.t.Helper()
	found, total, err := b.Query(b.ctx, page.QueryOptions{CSS: css, PierceShadow: true})
	if err != nil || total != 1 {
		b.t.Fatalf("%s matches %d elements (%v), want 1", css, total, err)
	}
	return found[0].Ref
}

func (b *tab) click(ref string) page.Effect {
	b.t.Helper()
	e, err := b.Click(b.ctx, page.Target{Ref: ref}, page.ClickOptions{})
	if err != nil {
		b.t.Fatalf("clicking %s: %v", ref, err)
	}
	return e
}

func (b *tab) set(ref, value string) page.Effect {
	b.t.Helper()
	e, err := b.SetValue(b.ctx, ref, value)
	if err != nil {
		b.t.Fatalf("setting %s to %q: %v", ref, value, err)
	}
	return e
}

// js evaluates an expression in the page's own world and returns it as text.
func (b *tab) js(expression string) string {
	b.t.Helper()
	text, err := b.eval(expression)
	if err != nil {
		b.t.Fatalf("evaluating %s: %v", expression, err)
	}
	return text
}

// eval is js for a document that may be replaced meanwhile.
func (b *tab) eval(expression string) (string, error) {
	yes := true
	res, err := cdp.Call(b.ctx, b.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "Promise.resolve(" + expression + ").then(String)", AwaitPromise: &yes, ReturnByValue: &yes,
	})
	if err != nil {
		return "", err
	}
	if res.ExceptionDetails != nil {
		return "", errors.New(res.ExceptionDetails.Text)
	}
	return strings.Trim(string(res.Result.Value), `"`), nil
}

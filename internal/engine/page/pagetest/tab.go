package pagetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// Controls returns a page of n controls.
func Controls(n int) string {
	var b strings.Builder
	for i := range n / 4 {
		fmt.Fprintf(&b, `<div class=row><button>Save row %d</button><a href="/item/%d">Item %d</a><label>Field %d <input name=f%d></label><input type=checkbox aria-label="Pick %d"></div>`, i, i, i, i, i, i)
	}
	return b.String()
}

// Elements returns a page of n elements, most of them text and wrappers.
func Elements(n int) string {
	var b strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&b, `<div><div class=card><h3>Heading %d</h3><p>Words <b>and</b> more <i>words</i> %d</p><ul><li>one</li><li>two <a href="/x/%d">link</a></li></ul></div></div>`, i, i, i)
	}
	return b.String()
}

// Browser is the Chromium of the test binary; every test has its own tab.
var Browser context.Context

// TestMain runs the tests of a package with one browser, and exits.
func TestMain(m *testing.M) { os.Exit(Run(m)) }

// Run runs the tests of a package with one browser, and returns the code to exit with.
func Run(m *testing.M) int {
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
	Browser = ctx
	_, err = chromedp.Targets(ctx)
	return func() {
		close()
		stop()
		_ = data.Remove(context.Background()) // the next start sweeps what is left
	}, err
}

// Tab is a page under test with the server its fixtures come from.
type Tab struct {
	*page.Page
	T       testing.TB
	Ctx     context.Context
	Session cdp.Session
	URL     string

	first *atomic.Pointer[string] // the body in place of the document at "/", if any
}

// Open serves the routes ("/" is loaded at once) and opens them in a new tab.
// A route's text is its body; a handler may be given instead.
func Open(t testing.TB, routes map[string]any) *Tab {
	t.Helper()
	mux, first := http.NewServeMux(), new(atomic.Pointer[string])
	for path, route := range routes {
		pattern := path
		if path == "/" {
			pattern = "/{$}"
		}
		switch route := route.(type) {
		case string:
			mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				if body := first.Load(); body != nil && path == "/" {
					fmt.Fprint(w, fixture+*body)
					return
				}
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
	ctx, cancel := chromedp.NewContext(Browser)
	t.Cleanup(cancel)
	ctx, cancelTimeout := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancelTimeout)
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/")); err != nil {
		t.Fatalf("opening the fixture: %v", err)
	}
	session := chromedp.FromContext(ctx).Target
	b := &Tab{T: t, Ctx: ctx, Session: session, URL: server.URL, first: first}
	b.UseSession(session)
	return b
}

// UseSession gives the tab a page on the session.
func (b *Tab) UseSession(s cdp.Session) {
	b.T.Helper()
	b.Page = page.New(s, attachFrame(b.Ctx))
	if err := chromedp.Listen(b.Ctx, b.HandleEvent); err != nil {
		b.T.Fatal(err)
	}
	b.T.Cleanup(b.Close)
}

// Load shows another of the tab's documents.
func (b *Tab) Load(path string) {
	b.T.Helper()
	if err := chromedp.Do(b.Ctx, chromedp.Navigate(b.URL+path)); err != nil {
		b.T.Fatalf("opening %s: %v", path, err)
	}
}

// Body serves another document of one body in place of the first, and opens it: a tenth of the work of a new tab.
func (b *Tab) Body(body string) {
	b.T.Helper()
	b.first.Store(&body)
	b.Load("/")
}

// Row is Body for a subtest: it returns the tab with the subtest's reports. Subtests that share a tab do not run in parallel.
func (b *Tab) Row(t testing.TB, body string) *Tab {
	t.Helper()
	row := *b
	row.T = t
	row.Body(body)
	return &row
}

// attachFrame opens sessions with frames of other processes.
func attachFrame(parent context.Context) document.Attacher {
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

// fixture begins the documents of one body.
const fixture = "<!doctype html><meta charset=utf-8><title>Fixture</title>"

// Show opens a document of one body.
func Show(t testing.TB, body string) *Tab {
	t.Helper()
	return Open(t, map[string]any{"/": fixture + body})
}

// MustRead reads the page.
func (b *Tab) MustRead(o read.Options) read.Reading {
	b.T.Helper()
	r, err := b.Read.Page(b.Ctx, o)
	if err != nil {
		b.T.Fatalf("reading: %v", err)
	}
	return r
}

// Outline is the compact reading's text.
func (b *Tab) Outline() string {
	b.T.Helper()
	return b.MustRead(read.Options{}).Text
}

// Ref returns the ref of the only element that a selector matches.
func (b *Tab) Ref(css string) string {
	b.T.Helper()
	found, total, err := b.Locate.Query(b.Ctx, locate.QueryOptions{CSS: css, PierceShadow: true})
	if err != nil || total != 1 {
		b.T.Fatalf("%s matches %d elements (%v), want 1", css, total, err)
	}
	return found[0].Ref
}

// MustClick clicks an element, and fails the test if that is refused.
func (b *Tab) MustClick(ref string) settle.Effect {
	b.T.Helper()
	e, err := b.Widget.Click(b.Ctx, input.Target{Ref: ref}, input.ClickOptions{})
	if err != nil {
		b.T.Fatalf("clicking %s: %v", ref, err)
	}
	return e
}

// MustSet sets a field, and fails the test if that is refused.
func (b *Tab) MustSet(ref, value string) settle.Effect {
	b.T.Helper()
	e, err := b.Widget.SetValue(b.Ctx, ref, value)
	if err != nil {
		b.T.Fatalf("setting %s to %q: %v", ref, value, err)
	}
	return e
}

// JS evaluates an expression in the page's own world and returns it as text.
func (b *Tab) JS(expression string) string {
	b.T.Helper()
	text, err := b.Eval(expression)
	if err != nil {
		b.T.Fatalf("evaluating %s: %v", expression, err)
	}
	return text
}

// Eval is js for a document that may be replaced meanwhile.
func (b *Tab) Eval(expression string) (string, error) {
	yes := true
	res, err := cdp.Call(b.Ctx, b.Session, runtime.Evaluate, runtime.EvaluateParams{
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

// WithTimeout returns the tab's context with a deadline.
func (b *Tab) WithTimeout(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(b.Ctx, d)
	b.T.Cleanup(cancel)
	return ctx
}

// NotActionable clicks an element, which must be refused as not actionable for the reason.
func (b *Tab) NotActionable(ref, reason string) *document.NotActionableError {
	b.T.Helper()
	_, err := b.Widget.Click(b.WithTimeout(2*time.Second), input.Target{Ref: ref}, input.ClickOptions{})
	var e *document.NotActionableError
	if !errors.As(err, &e) {
		b.T.Fatalf("%s: %v", ref, err)
	}
	if !strings.Contains(e.Reason, reason) {
		b.T.Errorf("%s: %v, want %s", ref, e, reason)
	}
	return e
}

// Relocated describes the element that id is relocated to, "y by name", or the drift and its
// reason.
func (b *Tab) Relocated(id locate.Identity) string {
	b.T.Helper()
	r, err := b.Locate.Relocate(b.Ctx, id)
	if no, ok := errors.AsType[*locate.NotRelocatedError](err); ok {
		return string(no.Drift) + ": " + no.Reason
	}
	if err != nil {
		b.T.Fatalf("recognising %s: %v", id, err)
	}
	info, err := b.Document.Describe(b.Ctx, r.Ref)
	if err != nil {
		b.T.Fatalf("the recognised %s: %v", r.Ref, err)
	}
	if info.Role != r.Role || info.Name != r.Name {
		b.T.Errorf("recognised %+v, which is %s %q", r, info.Role, info.Name)
	}
	return info.Attributes["id"] + " by " + string(r.Strategy)
}

// Identify returns the identity of an element that a recording keeps.
func (b *Tab) Identify(css string) locate.Identity {
	b.T.Helper()
	id, err := b.Locate.Identify(b.Ctx, b.Ref(css))
	if err != nil {
		b.T.Fatalf("identifying %s: %v", css, err)
	}
	return id
}

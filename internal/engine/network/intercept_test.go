package network_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
)

func serve(t testing.TB) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>x</title><link rel=icon href=data:,><p>"+r.URL.Path)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func open(t testing.TB, cfg browser.Config) (*browser.Browser, *browser.Tab) {
	t.Helper()
	b := browser.New(cfg)
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	tab, err := b.Session("x").OpenBlank(t.Context(), powertest.Window)
	if err != nil {
		t.Fatal(err)
	}
	return b, tab
}

// TestDelayedRequestContinuesWhenServerDisconnects attaches to a browser, delays a request and
// disconnects.
func TestDelayedRequestContinuesWhenServerDisconnects(t *testing.T) {
	t.Parallel()
	port := proctest.FreePort(t)
	home := serve(t)
	_, own := open(t, browser.Config{Headless: true, DebugPort: port})
	if _, err := own.Navigate(t.Context(), powertest.Navigation, home+"/", browser.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	attached := browser.New(browser.Config{CDPEndpoint: fmt.Sprintf("http://127.0.0.1:%d", port), Tabs: browser.AllTabs})
	tab, err := attached.Session("attached").EnsureTab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := network.InterceptorOf(tab).Add(t.Context(), powertest.Network, powertest.Script, network.Rule{
		Action: network.Delay, Pattern: "*/held", Syntax: network.Glob, Delay: time.Minute,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := evaluate.Run(t.Context(), own, powertest.Script, `globalThis.finished = false; globalThis.delayed = fetch("/held").then(() => finished = true); 0`); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if list := network.InterceptorOf(tab).List(); len(list) == 1 && strings.HasSuffix(list[0], "used 1 times") {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("the rule never delayed the request")
		}
	}
	if v, err := evaluate.Run(t.Context(), own, powertest.Script, "finished"); err != nil || v.Text() != "false" {
		t.Fatalf("the request finished at once: %v, %v", v, err)
	}
	if err := attached.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if v, err := evaluate.Run(ctx, own, powertest.Script, "await delayed; finished"); err != nil || v.Text() != "true" {
		t.Errorf("after the disconnection: %v, %v", v, err)
	}
}

// TestCaptureBoundsBodiesAndURLs captures request bodies and a data: URL beyond the limits.
func TestCaptureBoundsBodiesAndURLs(t *testing.T) {
	t.Parallel()
	_, tab := open(t, browser.Config{Headless: true})
	if _, err := tab.Navigate(t.Context(), powertest.Navigation, serve(t)+"/", browser.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	c := network.CaptureOf(tab)
	if _, err := c.Start(t.Context(), network.CaptureOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const posts, megabyte = 3, 1 << 20
	if _, err := evaluate.Run(ctx, tab, powertest.Script, fmt.Sprintf(`const text = "z".repeat(%d); for (let i = 0; i < %d; i++) await fetch("/", {method: "POST", body: text})`,
		3*megabyte/2, posts)); err != nil {
		t.Fatal(err)
	}
	sent, most := 0, 0
	for _, e := range c.Read().Entries {
		if e.Method == "POST" {
			sent, most = sent+1, max(most, len(e.PostData))
		}
	}
	if _, err := evaluate.Run(ctx, tab, powertest.Script, `await (await fetch("data:text/plain," + text)).text(); 0`); err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Read().Entries {
		if len(e.URL) > 3000 {
			t.Errorf("an address of %d bytes is kept: %.40s", len(e.URL), e.URL)
		}
	}
	if sent != posts || most > megabyte+100 || most < megabyte/2 {
		t.Errorf("of %d requests up to %d bytes are kept", sent, most)
	}
}

// BenchmarkNavigate compares navigations without a capture, with one, and after it was stopped.
func BenchmarkNavigate(b *testing.B) {
	home := serve(b)
	_, tab := open(b, browser.Config{Headless: true})
	run := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tab.Navigate(b.Context(), powertest.Navigation, home+"/", browser.NavigateOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	c := network.CaptureOf(tab)
	b.Run("never", run)
	for _, o := range []network.CaptureOptions{{}, {Bodies: true, MaxBody: 1 << 18}} {
		b.Run(fmt.Sprintf("bodies=%v", o.Bodies), func(b *testing.B) {
			if _, err := c.Start(b.Context(), o); err != nil {
				b.Fatal(err)
			}
			run(b)
			c.Stop()
			c.Clear()
		})
	}
	b.Run("stopped", run)
	rule := network.Rule{
		Action: network.ModifyRequest, Pattern: "*", Syntax: network.Glob, Headers: []network.HeaderEdit{{Name: "X-A", Value: "b"}},
	}
	if _, err := network.InterceptorOf(tab).Add(b.Context(), powertest.Network, powertest.Script, rule); err != nil {
		b.Fatal(err)
	}
	b.Run("rule for every request", run)
}

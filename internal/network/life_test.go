package network_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/browser"
	"github.com/callsheet/callsheet/internal/network"
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
	tab, _, err := b.Session("x").Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return b, tab
}

// TestARuleEndsWithItsServer: a browser that goes on without us finishes what a rule of ours held.
func TestARuleEndsWithItsServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	home := serve(t)
	_, own := open(t, browser.Config{Headless: true, DebugPort: port})
	if _, err := own.Navigate(t.Context(), home+"/", browser.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	guest := browser.New(browser.Config{CDPEndpoint: fmt.Sprintf("http://127.0.0.1:%d", port)})
	tab, err := guest.Session("guest").Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := network.InterceptorOf(tab).Add(t.Context(), network.Rule{
		Do: network.Delay, Pattern: "*/held", Syntax: network.Glob, Delay: time.Minute,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := own.Evaluate(t.Context(), `globalThis.came = false; globalThis.held = fetch("/held").then(() => came = true); 0`); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) { // until the rule has it
		if list := network.InterceptorOf(tab).List(); len(list) == 1 && strings.HasSuffix(list[0], "used 1 times") {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("the rule never held the request")
		}
	}
	if v, err := own.Evaluate(t.Context(), "came"); err != nil || v.Text() != "false" {
		t.Fatalf("it came at once: %v, %v", v, err)
	}
	if err := guest.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if v, err := own.Evaluate(ctx, "await held; came"); err != nil || v.Text() != "true" {
		t.Errorf("after its server went: %v, %v", v, err)
	}
}

// BenchmarkNavigate shows what a capture costs a navigation: nothing before it is started and after it is stopped.
func BenchmarkNavigate(b *testing.B) {
	home := serve(b)
	_, tab := open(b, browser.Config{Headless: true})
	run := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tab.Navigate(b.Context(), home+"/", browser.NavigateOptions{}); err != nil {
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
	if _, err := network.InterceptorOf(tab).Add(b.Context(), network.Rule{Do: network.ModifyRequest, Pattern: "*", Syntax: network.Glob, Headers: []network.Edit{{Name: "X-A", Value: "b"}}}); err != nil {
		b.Fatal(err)
	}
	b.Run("a rule for everything", run)
}

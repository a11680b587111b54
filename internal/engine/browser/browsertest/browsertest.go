// Package browsertest gives the tests of packages that work on a tab one Chromium and a site.
//
// It is for tests alone, and must not be imported by package browser, whose own tests need its internals.
package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/powertest"
)

// Site is a site and the Chromium that visits it, for all tests of a package.
type Site struct {
	URL     string
	Browser *browser.Browser

	serial atomic.Int64 // numbers the sessions of tests
}

// Main runs the tests of a package with a site of HTML pages by path, and ends the process. It sets
// site before the first test.
func Main(m *testing.M, site **Site, pages map[string]string) {
	if err := os.Setenv(chromium.NoSandboxVariable, "1"); err != nil { // the pages of tests are trusted
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body)
	}))
	*site = &Site{URL: server.URL, Browser: browser.New(browser.Config{Headless: true})}
	code := m.Run()
	server.CloseClientConnections()
	if err := (*site).Browser.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "close the browser of the tests:", err)
		code = 1
	}
	os.Exit(code)
}

// Open opens a tab of a session of its own, in a browser context of its own. A path of the site and an
// address are loaded; "" is about:blank.
func (s *Site) Open(t testing.TB, path string) *browser.Tab {
	t.Helper()
	id := fmt.Sprintf("%s-%d", t.Name(), s.serial.Add(1))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		s.Browser.EndSession(ctx, id)
	})
	ctx := Deadline(t, 2*time.Minute)
	tab, err := s.Browser.IsolatedSession(id).OpenBlank(ctx, powertest.Window)
	if err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	if path != "" {
		s.Load(t, tab, path)
	}
	return tab
}

// Load loads a path of the site or an address in a tab.
func (s *Site) Load(t testing.TB, tab *browser.Tab, path string) {
	t.Helper()
	if strings.HasPrefix(path, "/") {
		path = s.URL + path
	}
	if _, err := tab.Navigate(Deadline(t, 2*time.Minute), powertest.Navigation, path, browser.NavigateOptions{}); err != nil {
		t.Fatalf("load %s: %v", path, err)
	}
}

// Deadline returns a context of the test that ends after d.
func Deadline(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

package browser

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

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
	"github.com/callsheet/callsheet/internal/powertest"
)

// childEnv makes the test binary launch a browser and wait to be killed.
const childEnv = "CALLSHEET_TEST_CHILD_DIR"

var (
	shared *Browser         // one Chromium for all tests that do not kill it
	site   *httptest.Server // the pages they visit
	serial atomic.Int64     // numbers the sessions of tests
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		launchAndHang(dir)
		return
	}
	site = httptest.NewServer(fixtures())
	shared = New(Config{Headless: true, AllowFile: false, Holds: new(personhold.Holds)})
	code := m.Run()
	site.CloseClientConnections()
	if err := shared.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "close the shared browser:", err)
		code = 1
	}
	os.Exit(code)
}

func fixtures() http.Handler {
	mux := http.NewServeMux()
	html := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, body)
		})
	}
	html("/a", `<!doctype html><title>A</title><h1 id=top>a</h1><a id=blank target=_blank href=/b>b</a>
		<button id=ask onclick="answer=confirm('sure?')">ask</button>`)
	html("/b", `<!doctype html><title>B</title>b`)
	html("/tall", `<!doctype html><title>Tall</title><body style="margin:0"><div style="height:3000px;width:100px;background:#00f"></div>`)
	html("/clear", `<!doctype html><title>Clear</title>`)
	html("/alert", `<!doctype html><title>Alert</title><script>alert('now')</script>later`)
	html("/stay", `<!doctype html><title>Stay</title><script>onbeforeunload=e=>{e.preventDefault();return 'x'}</script>`)
	html("/script-redirect", `<!doctype html><title>R</title><script>location.href='/b'</script>`)
	html("/load-redirect", `<!doctype html><title>R</title><script>onload=()=>{location.href='/b'}</script>`)
	html("/hang", `<!doctype html><title>Hang</title><p id=p>here</p><img src=/never>`)
	mux.HandleFunc("GET /never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("GET /title", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<!doctype html><title>%s</title>", r.FormValue("t"))
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscan(r.FormValue("code"), &code)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		fmt.Fprint(w, r.FormValue("body"))
	})
	mux.HandleFunc("GET /redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.FormValue("to"), http.StatusFound)
	})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=x.txt")
		fmt.Fprint(w, "hi")
	})
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"a":1}`)
	})
	return mux
}

// deadline is a context for one test.
func deadline(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// testSession returns a session that ends with the test.
func testSession(t testing.TB, isolated bool) *Session {
	t.Helper()
	id := fmt.Sprintf("%s-%d", t.Name(), serial.Add(1))
	s := shared.Session(id)
	if isolated {
		shared.EndSession(t.Context(), id)
		s = shared.IsolatedSession(id)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		shared.EndSession(ctx, id)
	})
	return s
}

// openTab opens a tab on a fixture page ("" is about:blank).
func openTab(t testing.TB, path string) *Tab {
	t.Helper()
	s := testSession(t, false)
	address := path
	if strings.HasPrefix(path, "/") {
		address = site.URL + path
	}
	tab, err := s.OpenBlank(deadline(t, 2*time.Minute), powertest.Window)
	if err == nil && address != "" {
		_, err = tab.Navigate(deadline(t, 2*time.Minute), powertest.Navigation, address, NavigateOptions{})
	}
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return tab
}

// js evaluates code and fails the test if that fails.
func js(t testing.TB, tab *Tab, code string) evaluate.Value {
	t.Helper()
	v, err := evaluate.Run(deadline(t, time.Minute), tab, powertest.Script, code)
	if err != nil {
		t.Fatalf("evaluate %s: %v", code, err)
	}
	return v
}

// eventually polls for a state of the browser that no event of this package announces.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	ctx := deadline(t, time.Minute) // a busy machine
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		}
	}
}

func TestStatusBeforeLaunch(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	b := New(Config{Headless: true})
	s := b.Session("stdio")
	if diff := cmp.Diff(Status{Profile: TemporaryProfile, Sessions: 1}, b.Status()); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if tabs := s.Tabs(ctx); len(tabs) != 0 || b.Status().Running {
		t.Errorf("listing tabs: %v, running %v", tabs, b.Status().Running)
	}
	if _, err := s.Tab(ctx, ""); !errors.Is(err, ErrNoTab) {
		t.Errorf("current tab: %v, want ErrNoTab", err)
	}
	b.EndSession(ctx, "stdio")
	for range 2 {
		if err := b.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if got := New(Config{CDPEndpoint: "http://127.0.0.1:1"}).Status().Profile; got != AttachedProfile {
		t.Errorf("profile kind: %s", got)
	}
	if got := New(Config{UserDataDir: "x"}).Status().Profile; got != PersistentProfile {
		t.Errorf("profile kind: %s", got)
	}
}

func TestStatusRunning(t *testing.T) {
	t.Parallel()
	openTab(t, "/a")
	s := shared.Status()
	if !s.Running || s.PID == 0 || s.Executable == "" || !strings.Contains(s.Version, "/") || s.UserDataDir == "" {
		t.Errorf("status of a running browser: %+v", s)
	}
}

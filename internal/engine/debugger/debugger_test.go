package debugger_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/powertest"
)

var (
	shared *browser.Browser // for all tests that do not kill it
	site   *httptest.Server
	serial atomic.Int64
)

func TestMain(m *testing.M) {
	site = httptest.NewServer(fixtures())
	shared = browser.New(browser.Config{Headless: true})
	code := m.Run()
	site.CloseClientConnections()
	if err := shared.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "close the browser:", err)
		code = 1
	}
	if left := leaked(); left != "" {
		fmt.Fprintln(os.Stderr, "goroutines are left:\n"+left)
		code = 1
	}
	os.Exit(code)
}

// leaked returns the stacks of what this package still runs a moment after the browser is
// gone, or "".
func leaked() (stacks string) {
	for range 100 {
		stacks = ""
		buf := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "internal/engine/debugger.") {
				stacks += stack + "\n\n"
			}
		}
		if stacks == "" {
			return ""
		}
		time.Sleep(20 * time.Millisecond) // the end of a goroutine is announced by no event
	}
	return stacks
}

func fixtures() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /js/", http.StripPrefix("/js/", http.FileServer(http.Dir("testdata"))))
	html := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>"+body)
		})
	}
	html("/app", `<title>app</title><button id=go>Go</button><button id=down>Down</button><script src=/js/app.js></script>`)
	html("/plain", `<title>plain</title><button id=b onclick="document.title = 'b was clicked'">b</button>`)
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		delay, _ := time.ParseDuration(r.URL.Query().Get("delay"))
		select {
		case <-r.Context().Done():
		case <-time.After(delay):
			fmt.Fprint(w, "slow")
		}
	})
	mux.HandleFunc("GET /js/inline.js", func(w http.ResponseWriter, _ *http.Request) {
		script, sourceMap := bundle(true)
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "%s\n//# sourceMappingURL=data:application/json;base64,%s", script, base64.StdEncoding.EncodeToString(sourceMap))
	})
	mux.HandleFunc("GET /js/filed.js", func(w http.ResponseWriter, _ *http.Request) {
		script, _ := bundle(false)
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "%s\n//# sourceMappingURL=maps/filed.map", script)
	})
	mux.HandleFunc("GET /js/maps/filed.map", func(w http.ResponseWriter, _ *http.Request) {
		_, sourceMap := bundle(false)
		_, _ = w.Write(sourceMap)
	})
	html("/mapped", `<title>mapped</title><script src=/js/inline.js></script>`)
	html("/filed", `<title>filed</title><script src=/js/filed.js></script>`)
	html("/page", "<title>page</title>\n<p>text</p>\n<script>\nvar x = 1;\nfunction inPage() {\n  return x + 1;\n}\n</script>")
	return mux
}

// original is a file that the site serves as a bundle of one line.
const original = `function price(item) {
  const base = item.base;
  const tax = base / 5;
  return base + tax;
}
globalThis.total = price({base: 10});
globalThis.again = () => price({base: 20});`

// bundle joins the original's lines into one and writes down where each went.
func bundle(content bool) (script string, sourceMap []byte) {
	mappings, last, lastIndent, from := "", 0, 0, 0
	for i, line := range strings.Split(original, "\n") {
		code := strings.TrimLeft(line, " ")
		indent := len(line) - len(code)
		if i > 0 {
			mappings += ","
		}
		mappings += vlq(len(script)-from) + vlq(0) + vlq(i-last) + vlq(indent-lastIndent)
		last, lastIndent, from = i, indent, len(script)
		script += code + " "
	}
	m := map[string]any{"version": 3, "sources": []string{"../src/cart.ts"}, "mappings": mappings}
	if content {
		m["sourcesContent"] = []string{original}
	}
	sourceMap, _ = json.Marshal(m) // maps of strings cannot fail
	return script, sourceMap
}

// vlq encodes a small number as source maps do.
func vlq(n int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	n = max(2*n, 1-2*n)
	if n < 32 {
		return digits[n : n+1]
	}
	return digits[n%32+32:n%32+33] + digits[n/32:n/32+1]
}

// bench is a debugger on a page of its own.
type bench struct {
	*debugger.Debugger
	t       testing.TB
	tab     *browser.Tab
	session *browser.Session
	ctx     context.Context

	mu     sync.Mutex
	events []string
	pauses chan debugger.Pause
}

// open loads a fixture and enables the debugger on it.
func open(t testing.TB, path string) *bench {
	t.Helper()
	return openIn(t, shared, path)
}

func openIn(t testing.TB, b *browser.Browser, path string) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	id := fmt.Sprintf("%s-%d", t.Name(), serial.Add(1))
	tab, err := b.Session(id).OpenBlank(ctx, powertest.Window)
	if err == nil && path != "" {
		_, err = tab.Navigate(ctx, powertest.Navigation, site.URL+path, browser.NavigateOptions{})
	}
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		b.EndSession(ctx, id)
	})
	session, err := tab.Protocol(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := &bench{t: t, tab: tab, session: b.Session(id), ctx: ctx, pauses: make(chan debugger.Pause, 1000)}
	w.Debugger = debugger.New(session, debugger.Tab{Events: tab, Calls: &tab.Calls, Scripts: &tab.Scripts}, debugger.Events{
		EnabledChanged: func(on bool) { w.note(map[bool]string{true: "on", false: "off"}[on]) },
		Paused: func(p debugger.Pause) {
			w.note("paused: " + string(p.Reason))
			w.pauses <- p
		},
		Resumed: func() { w.note("resumed") },
		Ended:   func(string) { w.note("gone") },
	})
	if err := w.Enable(ctx, debugger.AsyncDepth); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *bench) note(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, event)
}

func (w *bench) heard() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.events, ", ")
}

// start evaluates code in the page without waiting for it.
func (w *bench) start(code string) {
	w.t.Helper()
	_, err := evaluate.Run(w.ctx, w.tab, powertest.Script, "setTimeout(() => {"+code+"}, 0), 0")
	var paused *debugger.PausedError
	if err != nil && !errors.As(err, &paused) {
		w.t.Fatalf("start %s: %v", code, err)
	}
}

// paused waits for the next pause and looks at it.
func (w *bench) paused() debugger.Pause {
	w.t.Helper()
	for {
		select {
		case <-w.pauses: // also those that a step came to
		case <-w.ctx.Done():
			w.t.Fatal("the page did not pause")
		}
		p, err := w.ReadPause(w.ctx)
		if err == nil {
			return p
		}
		if !errors.Is(err, debugger.ErrNotPaused) {
			w.t.Fatalf("look: %v", err)
		}
	}
}

func (w *bench) line(pattern string, line int) debugger.Breakpoint {
	w.t.Helper()
	b, err := w.Breakpoints.SetLine(w.ctx, powertest.Script, debugger.Line{Pattern: pattern, Line: line})
	if err != nil {
		w.t.Fatalf("set a breakpoint at %s:%d: %v", pattern, line, err)
	}
	return b
}

// step steps and requires a pause at the place.
func (w *bench) step(how debugger.Step, want string) debugger.Pause {
	w.t.Helper()
	out, err := w.Step(w.ctx, how)
	if err != nil {
		w.t.Fatalf("step %s: %v", how, err)
	}
	if out.Pause == nil {
		w.t.Fatalf("step %s: running, want a pause at %s", how, want)
	}
	w.at(*out.Pause, want)
	return *out.Pause
}

// at requires a pause at "function /path:line".
func (w *bench) at(p debugger.Pause, want string) {
	w.t.Helper()
	if got := p.Function + " " + p.Location.String() + ":"; !strings.HasPrefix(got, want+":") {
		w.t.Errorf("paused at %q, want %q\n%s", got, want, p.Text(10))
	}
}

// resume requires the page to run.
func (w *bench) resume() {
	w.t.Helper()
	out, err := w.Resume(w.ctx)
	if err != nil || out.Pause != nil {
		w.t.Fatalf("resume: %+v, %v", out, err)
	}
}

func (w *bench) eval(frame, expression, want string) {
	w.t.Helper()
	r, err := w.Evaluate(w.ctx, powertest.Script, frame, expression)
	if err != nil || r.Text != want {
		w.t.Errorf("%s in %q: %q, %v; want %q", expression, frame, r.Text, err, want)
	}
}

// title waits until the page's title is this.
func (w *bench) title(want string) {
	w.t.Helper()
	for {
		v, err := evaluate.Run(w.ctx, w.tab, powertest.Script, "document.title")
		if err != nil {
			w.t.Fatalf("wait for the title %q: %v", want, err)
		}
		if v.Text() == want {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond): // titles that scripts set are announced by no event
		case <-w.ctx.Done():
			w.t.Fatalf("the title is %q, want %q", v.Text(), want)
		}
	}
}

func (w *bench) click(css string) error {
	w.t.Helper()
	return w.tab.Do(w.ctx, func(ctx context.Context, p *page.Page) error {
		found, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: css})
		if err != nil {
			return err
		}
		_, err = p.Widget.Click(ctx, input.Target{Ref: found[0].Ref}, input.ClickOptions{})
		return err
	})
}

func has(t testing.TB, text string, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

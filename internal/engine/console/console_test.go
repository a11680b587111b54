package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/powertest"
)

var (
	chromium *browser.Browser
	start    = time.Now() // no message is older
)

func TestMain(m *testing.M) {
	chromium = browser.New(browser.Config{Headless: true})
	code := m.Run()
	if err := chromium.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "close the browser:", err)
		code = 1
	}
	os.Exit(code)
}

// open serves pages by path and opens one.
func open(t *testing.T, pages map[string]string, path string) (*browser.Session, *browser.Tab, string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>"+page)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	s := chromium.IsolatedSession(t.Name())
	t.Cleanup(func() { chromium.EndSession(context.Background(), t.Name()) })
	tab, _, err := s.Open(t.Context(), powertest.Window, powertest.Navigation, srv.URL+path, browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s, tab, srv.URL
}

// lines shows what a query finds: level source text @place ×count.
func lines(t *testing.T, tab *browser.Tab, q console.Query, home string) []string {
	t.Helper()
	out := []string{}
	for _, m := range tab.Console().Read(q).Messages {
		line := fmt.Sprintf("%s %s %s", m.Level, m.Source, m.Text)
		if m.Location.URL != "" {
			line += " @" + strings.TrimPrefix(m.Location.URL, home)
		}
		if m.Location.Line > 0 {
			line += fmt.Sprintf(":%d", m.Location.Line)
		}
		if m.Count > 1 {
			line += fmt.Sprintf(" ×%d", m.Count)
		}
		out = append(out, line)
		if m.Time.Before(start) || m.Time.After(time.Now()) {
			t.Errorf("%q has the time %v", m.Text, m.Time)
		}
	}
	return out
}

// waitForMessage polls until a message arrives. Each round runs a task in the page.
func waitForMessage(t *testing.T, tab *browser.Tab, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		for _, m := range tab.Console().Read(console.Query{}).Messages {
			if strings.Contains(m.Text, text) {
				return
			}
		}
		if _, err := evaluate.Run(ctx, tab, powertest.Script, "new Promise(r => setTimeout(r, 5))"); err != nil {
			t.Fatalf("%q did not arrive: %v", text, err)
		}
	}
}

func TestMessagesFromFirstScript(t *testing.T) {
	t.Parallel()
	_, tab, home := open(t, map[string]string{"/": `<script>
console.log("plain", 1, true, null, undefined, 10n, -0);
console.info("%s is %d years and %i%% %o %c styled", "Ada", 36.9, 12.7, {a: 1}, "color: red", "rest");
console.warn([1, "two", [3]], {a: "x", f() {}, n: null}, new Map([["k", 1]]), new Set(["v"]), Symbol("s"), document);
console.debug(function add(a, b) { return a + b }, /re/g, class Thing {});
console.assert(1 === 2, "sums");
console.error(new TypeError("told"));
function inner() { throw new RangeError("too far"); }
setTimeout(inner);
setTimeout(() => { throw "bare"; });
Promise.reject(new Error("refused"));
fetch("/missing");
</script>`}, "/")
	waitForMessage(t, tab, "bare")
	waitForMessage(t, tab, "status of 404")
	got := map[string]bool{}
	all := lines(t, tab, console.Query{}, home)
	for _, line := range all {
		got[line] = true
	}
	for _, want := range []string{
		`log console plain 1 true null undefined 10n -0 @/:2`,
		`info console Ada is 36 years and 12% {a: 1}  styled rest @/:3`,
		`warning console [1, "two", Array(1)] {a: "x", f: [function], n: null} Map(1) {"k" => 1} Set(1) {"v"} Symbol(s) #document @/:4`,
		`debug console [function add(a, b)] /re/g [class Thing] @/:5`,
		`error console Assertion failed: sums @/:6`,
		`error exception Uncaught RangeError: too far @/:8`,
		`error exception Uncaught bare @/:10`,
		`error exception Uncaught (in promise) Error: refused @/:11`,
		`error network Failed to load resource: the server responded with a status of 404 (Not Found) @/missing`,
	} {
		if !got[want] {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Log("got:\n" + strings.Join(all, "\n"))
	}
	reading := tab.Console().Read(console.Query{Level: console.Warning, Limit: 2})
	if len(reading.Messages) != 2 || reading.Omitted != 5 {
		t.Errorf("the newest two of warnings and errors are %d, %d left out", len(reading.Messages), reading.Omitted)
	}
	want := map[console.Level]int{console.Error: 6, console.Warning: 1, console.Info: 1, console.Log: 1, console.Debug: 1}
	if diff := cmp.Diff(want, reading.Counts); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	for _, m := range tab.Console().Read(console.Query{}).Messages {
		if strings.Contains(m.Text, "too far") && (len(m.Stack) == 0 || m.Stack[0].Function != "inner") {
			t.Errorf("its stack is %v", m.Stack)
		}
	}
}

func TestRepeatsAreMerged(t *testing.T) {
	t.Parallel()
	_, tab, home := open(t, map[string]string{"/": `<script>
console.log("before");
for (let i = 0; i < 1000; i++) console.log("same");
for (let i = 0; i < 30; i++) { console.log("item " + i); console.warn("odd"); }
</script>`}, "/")
	waitForMessage(t, tab, "item 29")
	want := []string{
		`log console before @/:2`, `log console same @/:3 ×1000`, `log console item 29 @/:4 ×30`, `warning console odd @/:4 ×30`,
	}
	if diff := cmp.Diff(want, lines(t, tab, console.Query{}, home)); diff != "" {
		t.Errorf("folded (-want +got):\n%s", diff)
	}
	if n := len(tab.Console().Read(console.Query{Unfolded: true}).Messages); n != 62 {
		t.Errorf("%d messages unfolded, want 62", n)
	}
}

func TestBufferIsBounded(t *testing.T) {
	t.Parallel()
	_, tab, _ := open(t, map[string]string{"/": `<script>
for (let i = 0; i < 2000; i++) console.log(i, "x".repeat(5000));
console.log("end");
</script>`}, "/")
	waitForMessage(t, tab, "end")
	reading := tab.Console().Read(console.Query{Unfolded: true})
	if len(reading.Messages) != 400 || reading.Dropped != 1601 {
		t.Errorf("%d kept, %d lost", len(reading.Messages), reading.Dropped)
	}
	for _, m := range reading.Messages {
		if len(m.Text) > 2000 {
			t.Fatalf("a message of %d bytes is kept", len(m.Text))
		}
	}
}

func TestNewDocument(t *testing.T) {
	t.Parallel()
	_, tab, home := open(t, map[string]string{
		"/":  `<script>console.log("first")</script>`,
		"/2": `<script>console.log("second")</script>`,
	}, "/")
	waitForMessage(t, tab, "first")
	if _, err := tab.Navigate(t.Context(), powertest.Navigation, home+"/2", browser.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	waitForMessage(t, tab, "second")
	if diff := cmp.Diff([]string{"log console second @/2:1"}, lines(t, tab, console.Query{}, home)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if before := tab.Console().Read(console.Query{}).Earlier; before != 1 {
		t.Errorf("%d messages before, want 1", before)
	}
}

// TestMessagesOfPopup covers a page that runs before its tab is attached.
func TestMessagesOfPopup(t *testing.T) {
	t.Parallel()
	s, tab, home := open(t, map[string]string{
		"/":    `<button onclick="window.open('/pop')">pop</button>`,
		"/pop": `<script>console.log("early")</script>`,
	}, "/")
	if _, err := evaluate.Run(t.Context(), tab, powertest.Script, "document.querySelector('button').click()"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if tabs := s.Tabs(t.Context()); len(tabs) == 2 {
			popup, err := s.Tab(t.Context(), tabs[1].ID)
			if err != nil {
				t.Fatal(err)
			}
			waitForMessage(t, popup, "early")
			if diff := cmp.Diff([]string{"log console early @/pop:1"}, lines(t, popup, console.Query{}, home)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			return
		}
	}
	t.Fatal("no popup")
}

// TestURLsAreBounded covers scripts in data URLs, which every frame of a stack repeats.
func TestURLsAreBounded(t *testing.T) {
	t.Parallel()
	b := console.New()
	frame := &runtime.CallFrame{URL: "data:text/javascript," + strings.Repeat("x", 1<<20)}
	b.Observe(&runtime.EventConsoleAPICalled{Type: runtime.ConsoleAPICalledTypeLog, StackTrace: &runtime.StackTrace{CallFrames: []*runtime.CallFrame{frame}}})
	b.Observe(&log.EventEntryAdded{Entry: &log.Entry{Source: log.EntrySourceNetwork, Text: "failed", URL: frame.URL}})
	for _, m := range b.Read(console.Query{}).Messages {
		if n := len(m.Location.URL); n < 1000 || n > 3000 {
			t.Errorf("%s: the address has %d bytes", m.Source, n)
		}
	}
}

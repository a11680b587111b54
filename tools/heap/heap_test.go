package heap_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// leakScript leaks in three ways, each by a function, and does much that leaks nothing.
const leakScript = `class Entry { constructor(i) { this.i = i; this.text = 'entry ' + i; } }
const cache = new Map(), removed = [], recent = new Map();
let next = 0;
function growMap() { next++; cache.set(next, new Entry(next)); }
function detach() {
  const row = document.createElement('div'); row.className = 'row'; row.innerHTML = '<b>x</b><i>y</i>';
  root.append(row); row.remove(); removed.push(row);
}
function listen() {
  const rows = new Array(100).fill(next++);
  window.addEventListener('resize', function onResize() { return rows.length; });
}
function churn() {
  next++;
  recent.set(next % 20, { key: next, data: new Array(50).fill(next) });
  const list = []; for (let i = 0; i < 2000; i++) list.push({ i, text: 'row ' + i });
  root.innerHTML = ''; for (let i = 0; i < 20; i++) { const p = document.createElement('p'); p.textContent = 'row ' + i; root.append(p); }
  return list.map((x) => x.i * 2).reduce((a, b) => a + b, 0);
}
for (let i = 0; i < 25; i++) churn();
function busy(ms) { const t = performance.now(); let n = 0; while (performance.now() - t < ms) n += Math.sqrt(n + 1); return n; }
`

func serveLeaks(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/app.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, leakScript)
		default:
			fmt.Fprint(w, `<!doctype html><title>Leaks</title><link rel=icon href=data:,><div id=root></div><script src=/app.js></script>`)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func find(t *testing.T, pattern, text string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s is not in\n%s", pattern, text)
	}
	return m[1]
}

// leaks are the planted leaks: the call that leaks, and what an answer says of it.
var leaks = []struct {
	call string
	want []string
}{
	{"growMap()", []string{`^1 `, `Entry: `, `held by cache \(Map\) @\d+`, `why: a growing Map`, `path: Window / cache \(Map\) / Entry @\d+`, `properties: i, text`}},
	{"detach()", []string{`^1 `, `Detached <div>: `, `held by removed \(Array\) @\d+`, `why: removed from the document and still referred to`, `path: Window / removed \(Array\) / \[\d+\] \(Detached <div class="row">\)`}},
	{"listen()", []string{`^1 `, `onResize\(\): `, `held by Window`, `why: event listeners that are added and not removed http://[^ ]+/app.js:11:`, `path: Window / event listener / onResize\(\)`}},
}

func TestHeapCompareNamesLeaks(t *testing.T) {
	t.Parallel()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	for _, leak := range leaks {
		c.Call("navigate", tooltest.Args{"url": home})
		c.ExpectScript(leak.call+"; 1", "1")
		id := find(t, `snapshot_id (\w+)`, c.Call("heap_snapshot", nil))
		c.Call("read_page", nil) // the server's own scripts in the page are none of its leaks
		c.ExpectScript("for (let i = 0; i < 10; i++) "+leak.call+"; 1", "1")
		text := c.Call("heap_compare", tooltest.Args{"baseline_id": id})
		for _, want := range leak.want {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%s: %s is not in\n%s", leak.call, want, text)
			}
		}
	}
	c.Call("navigate", tooltest.Args{"url": home})
	c.ExpectScript("churn(); 1", "1")
	id := find(t, `snapshot_id (\w+)`, c.Call("heap_snapshot", nil))
	c.ExpectScript("for (let i = 0; i < 10; i++) churn(); 1", "1")
	for range 6 {
		c.Call("read_page", nil)
	}
	c.Expect("heap_compare", tooltest.Args{"baseline_id": id}, "nothing that lives has grown")
}

func TestHeapLeaksNamesWhatGrows(t *testing.T) {
	t.Parallel()
	home, c := serveLeaks(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	search := func(code string) string {
		c.Call("navigate", tooltest.Args{"url": home})
		return c.Call("heap_leaks", tooltest.Args{"repeat": 4, "calls": []any{map[string]any{"tool": "javascript_tool", "args": map[string]any{"code": code}}}})
	}
	for _, leak := range leaks {
		text := search(leak.call)
		for _, want := range append(leak.want, `, 1 for each repetition`) {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%s: %s is not in\n%s", leak.call, want, text)
			}
		}
	}
	if text := search("churn()"); !strings.HasPrefix(text, "no leak") {
		t.Errorf("a page without a leak has one:\n%s", text)
	}
}

package environment_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

const timedPage = `<!doctype html><title>Timed</title><link rel=icon href=data:,><style>@keyframes go { to { left: 9000px } } #x { position: absolute; left: 0; animation: go 90s linear }</style>
<h2 id=slide>Slide 1</h2><button onclick="toast.textContent = 'Saved'; setTimeout(() => toast.textContent = '', 3000)">Save</button><p id=toast role=status></p>
<button onclick="code.textContent = 'Code 4711'; setTimeout(() => code.remove(), 3000)">Show code</button><p id=code></p><i id=x>x</i><script>
let n = 1, f = 0; setInterval(() => slide.textContent = 'Slide ' + ++n, 1000); const next = () => { f++; requestAnimationFrame(next) }; next();
const state = () => JSON.stringify([f, x.getBoundingClientRect().left, performance.now(), Date.now()])</script>`

// TestClockStandsStillBetweenCalls lets real time pass in another tab.
func TestClockStandsStillBetweenCalls(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(timedPage))
	}))
	t.Cleanup(site.Close)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	other := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": "about:blank"}))
	tab := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": site.URL}))
	pass := func(id, ms string) { c.Call("wait_for", tooltest.Args{"tabId": id, "type": "timeout", "value": ms}) }
	on := func(a tooltest.Args) tooltest.Args { a["tabId"] = tab; return a }
	shows := func(text string, want bool) {
		t.Helper()
		if got := c.Call("read_page", on(tooltest.Args{})); strings.Contains(got, text) != want {
			t.Errorf("%q is shown: %v, want %v: %s", text, !want, want, got)
		}
	}
	state := func() (out []float64) {
		if err := json.Unmarshal([]byte(c.Call("javascript_tool", on(tooltest.Args{"code": "state()"}))), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	held := func() {
		t.Helper()
		before := state()
		pass(other, "800")
		between := state()
		pass(tab, "800")
		after := state()
		for i, what := range []string{"frames", "animation", "performance.now", "Date"} {
			if still, went := between[i]-before[i], after[i]-between[i]; still > went/2 || went <= 0 {
				t.Errorf("%s went on by %v between calls, and by %v in one", what, still, went)
			}
		}
	}
	c.Expect("emulate_environment", on(tooltest.Args{"clock": "step"}), "time stands still between calls")
	c.Call("page_reload", on(tooltest.Args{}))
	held()
	c.Call("interact", on(tooltest.Args{"query": "Save"}))
	c.Call("interact", on(tooltest.Args{"query": "Show code"}))
	pass(other, "3100")
	shows("Saved", true)
	shows("Code 4711", true)
	slide := c.Call("javascript_tool", on(tooltest.Args{"code": "slide.textContent"}))
	pass(other, "1100")
	shows(slide, true) // the carousel turns in calls alone
	pass(tab, "3100")
	shows("Saved", false)
	shows("Code 4711", false)
	shows(slide, false)
	c.Call("navigate", on(tooltest.Args{"url": strings.Replace(site.URL, "127.0.0.1", "localhost", 1)})) // another process
	shows("Slide ", true)
	held()
	c.Expect("emulate_environment", on(tooltest.Args{"clock": "run"}), "not overridden")
	before := state()
	pass(other, "1100")
	if between := state(); between[3]-before[3] < 1000 {
		t.Errorf("a clock that runs went on by %v ms", between[3]-before[3])
	}
	c.Call("tabs_close", tooltest.Args{"tabId": tab})
}

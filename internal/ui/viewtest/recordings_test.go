package viewtest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// hostileLabel would be markup if a page took it for some.
const hostileLabel = `Order <img src=x onerror="document.title='broken'"> twice`

// serveCounter serves a page that counts clicks of its button, and how often it was loaded.
func serveCounter(t *testing.T) (home string, loads *atomic.Int32) {
	t.Helper()
	loads = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			loads.Add(1)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Shop</title><button onclick="n.textContent=+n.textContent+1">Order</button><button>Leave</button><input type=password aria-label=Password><p id=n>0</p>`)
	}))
	t.Cleanup(s.Close)
	return s.URL, loads
}

// recordVisit records a visit of the shop that presses a button, and returns its id.
func recordVisit(t *testing.T, c tooltest.Client, home, label, button string, more ...func()) string {
	t.Helper()
	id := tooltest.RecordingID(t, c.Call("oc_recording_start", tooltest.Args{"label": label}))
	c.Call("navigate", tooltest.Args{"url": home})
	c.Call("interact", tooltest.Args{"ref": tooltest.Ref(t, c.Call("read_page", nil), button)})
	for _, f := range more {
		f()
	}
	c.Call("oc_recording_stop", nil)
	return id
}

// TestRecordingsAreCompared shows two recordings side by side: the steps that are the same, the one that
// presses another button, and the one that only the second has.
func TestRecordingsAreCompared(t *testing.T) {
	t.Parallel()
	s := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	home, _ := serveCounter(t)
	agent := s.Connect(t.Name(), "", nil)
	first := recordVisit(t, agent, home, hostileLabel, "Order")
	second := recordVisit(t, agent, home, "Second", "Leave", func() { agent.Call("page_reload", nil) })
	person, _ := s.OpenUI()
	open(person, "#/recordings", "document.querySelectorAll('li.recording').length === 2")
	person.WaitScript(text("li.recording a", hostileLabel) + " && !document.querySelector('main img') && document.title !== 'broken'")
	person.WaitScript("document.querySelector('button[type=submit]').disabled")
	for _, id := range []string{first, second} {
		person.Call("javascript_tool", tooltest.Args{"code": "document.querySelector('input[value=\"" + id + "\"]').click(); 0"})
	}
	click(person, "Compare two button")
	person.WaitScript("document.querySelector('.tally')?.textContent === '2 same, 1 changed, 0 only in A, 1 only in B'")
	person.WaitScript(text(".pairs li.changed .badge", "changed: element"))
	person.WaitScript(text(".pairs li.changed .differs", "Order") + " && " + text(".pairs li.changed .differs", "Leave"))
	person.WaitScript(text(".pairs li.onlyB .tool", "page_reload") + " && " + text(".pairs li.onlyB .absent", "not in A"))
	click(person, "Only differences checkbox")
	person.WaitScript("document.querySelectorAll('.pairs li').length === 2")
}

// TestRecordingIsShownAndReplayedStepByStep looks at a recording with a masked argument, steps through
// its replay, and takes files of it.
func TestRecordingIsShownAndReplayedStepByStep(t *testing.T) {
	t.Parallel()
	// A replay has the same session on every server: on a shared browser, its end closes the tabs of another test's.
	s := tooltest.NewOwnServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	home, loads := serveCounter(t)
	agent := s.Connect(t.Name(), "", nil)
	const password = "correct horse battery"
	id := recordVisit(t, agent, home, "", "Order", func() {
		agent.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, agent.Call("read_page", nil), "Password"), "value": password})
	})
	person, _ := s.OpenUI()
	open(person, "#/recordings/"+id, "document.querySelectorAll('.steps > li').length >= 4")
	person.WaitScript("document.querySelector('.steps .shot img')?.naturalWidth > 100")
	if html := person.Call("javascript_tool", tooltest.Args{"code": "document.documentElement.innerHTML"}); strings.Contains(html, "correct horse") {
		t.Error("the page has the password")
	}
	before := loads.Load()
	click(person, "Replay step by step")
	person.WaitScript("document.querySelector('#parameter-password')")
	person.Call("form_input", tooltest.Args{"query": "password textbox", "value": password})
	click(person, "Start a replay button")
	person.WaitScript(text(".replay [role=status]", "Next is step 1: navigate"))
	if loads.Load() != before {
		t.Error("the replay did not wait for the person")
	}
	click(person, "Next step button")
	person.WaitScript(text(".replay [role=status]", "Next is step 2"))
	if loads.Load() != before+1 {
		t.Errorf("after one step the page was loaded %d times more", loads.Load()-before)
	}
	person.WaitScript("document.querySelector('.replay a').getAttribute('href') === '#/live/ui-replay'")
	click(person, "Run to the end button")
	person.WaitScript(text(".replay [role=status]", "completed: 5 of 5 steps"))
	person.WaitScript("document.querySelectorAll('.replay .lines li').length === 5")
	click(person, "Stop button")
	person.WaitScript("!document.querySelector('.replay a')")

	person.Call("javascript_tool", tooltest.Args{"code": `globalThis.files = []; URL.createObjectURL = (b) => { files.push(b); return 'blob:x'; }; 0`})
	for i, format := range []string{"json", "html", "har", "go", "playwright", "trace"} {
		click(person, "Download "+format+" button")
		person.WaitScript(fmt.Sprintf("files.length === %d", i+1))
	}
	person.WaitScript("(async () => (await files[0].text()).includes('" + id + "') && (await files[4].text()).includes('@playwright/test') && (await files[5].text()).startsWith('PK') && !(await files[0].text()).includes('correct horse'))()")
}

// TestEmptyViewsSayHowToFillThem opens each view of a server that has done nothing.
func TestEmptyViewsSayHowToFillThem(t *testing.T) {
	t.Parallel()
	person, _ := tooltest.NewServer(t, app.Config{}).OpenUI()
	for address, want := range map[string]string{
		"#/recordings": "oc_recording_start", "#/jobs": "crawl", "#/journal": "Every call of a tool becomes one",
		"#/recordings/rec-none": "there is no recording", "#/jobs/none": "there is no such job", "#/recordings/compare/a/b": "there is no recording",
	} {
		open(person, address, text("main p", want))
	}
}

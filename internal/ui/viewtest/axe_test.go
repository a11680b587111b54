package viewtest_test

import (
	"net/http/httptest"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

// TestTheViewsAreAccessible has axe-core look at each view with everything that it can show.
func TestTheViewsAreAccessible(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	s := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	home, _ := serveCounter(t)
	site := httptest.NewServer(crawltest.New(crawltest.Options{Pages: 3}))
	t.Cleanup(site.Close)
	agent := s.Connect(t.Name(), "", nil)
	agent.Call("crawl", tooltest.Args{"url": site.URL, "max_pages": 3, "delay_ms": 0, "render": "never", "wait": 60000})
	first := recordVisit(t, agent, home, hostileLabel, "Order")
	second := recordVisit(t, agent, home, "Second", "Leave", func() { agent.Call("page_reload", nil) })
	agent.ExpectRefusal("NOT_FOUND", "oc_recording_export", tooltest.Args{"recordingId": "rec-none"})
	person, _ := s.OpenUI()

	open(person, "#/surface", "document.querySelector('.matrix')")
	person.Call("javascript_tool", tooltest.Args{"code": "document.getElementById('tool-debugger_step_over').click(); document.querySelectorAll('details').forEach((d) => d.open = true); 0"})
	person.WaitScript("document.querySelector('.why')")
	person.Call("javascript_tool", tooltest.Args{"code": "const f = document.getElementById('matrix-filter'); f.value = 'debugger_step'; f.dispatchEvent(new Event('input')); document.getElementById('tool-debugger_step_over').click(); 0"})
	person.WaitScript("document.querySelector('.why')") // a hundred rows more have nothing else to find
	person.CheckAccessibility("surface")
	open(person, "#/recordings", "document.querySelectorAll('li.recording').length === 2")
	person.CheckAccessibility("recordings")
	open(person, "#/recordings/"+first, "document.querySelector('.steps .shot img')")
	person.Call("javascript_tool", tooltest.Args{"code": "document.querySelectorAll('details').forEach((d) => d.open = true); 0"})
	click(person, "Start a replay button")
	click(person, "Run to the end button")
	person.WaitScript(text(".replay [role=status]", "completed: 3 of 3 steps"))
	person.CheckAccessibility("a recording")
	open(person, "#/recordings/compare/"+first+"/"+second, "document.querySelector('.pairs li.changed')")
	person.CheckAccessibility("two recordings")
	open(person, "#/jobs", "document.querySelector('.lines li a')")
	person.CheckAccessibility("jobs")
	person.Call("javascript_tool", tooltest.Args{"code": "document.querySelector(\".lines li a\").click(); 0"})
	person.WaitScript("document.querySelector('main ol li')")
	person.CheckAccessibility("a job")
	open(person, "#/journal", text(".entry .badge", "NOT_FOUND"))
	person.CheckAccessibility("journal")
}

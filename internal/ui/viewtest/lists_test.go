package viewtest_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

// TestJobsAreWatchedAndCancelled watches a crawl that ends, and cancels one that would take long.
func TestJobsAreWatchedAndCancelled(t *testing.T) {
	t.Parallel()
	quick := httptest.NewServer(crawltest.New(crawltest.Options{Pages: 5}))
	slow := httptest.NewServer(crawltest.New(crawltest.Options{Pages: 1000, Latency: 200 * time.Millisecond}))
	t.Cleanup(func() {
		for _, s := range []*httptest.Server{quick, slow} {
			s.CloseClientConnections()
			s.Close()
		}
	})
	s := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	agent := s.Connect(t.Name(), "", nil)
	agent.Call("crawl", tooltest.Args{"url": quick.URL, "max_pages": 5, "delay_ms": 0, "render": "never", "wait": 60000})
	agent.Call("crawl", tooltest.Args{"url": slow.URL, "max_pages": 1000, "max_depth": 1000, "delay_ms": 0, "render": "never", "wait": 0})
	person, _ := s.OpenUI()
	open(person, "#/jobs", "document.querySelectorAll('.lines > li').length === 2")
	person.WaitScript(text(".badge", "running") + " && " + text(".badge", "done"))
	person.Call("javascript_tool", tooltest.Args{"code": "[...document.querySelectorAll('.lines > li')].find((li) => li.textContent.includes('done')).querySelector('a').click(); 0"})
	person.WaitScript(text("main ol .address", quick.URL))
	click(person, "All jobs link")
	person.WaitScript("document.querySelectorAll('.lines > li').length === 2")
	person.Call("javascript_tool", tooltest.Args{"code": "[...document.querySelectorAll('.lines > li')].find((li) => li.textContent.includes('running')).querySelector('a').click(); 0"})
	person.WaitScript(text("main button", "Cancel the job"))
	click(person, "Cancel the job button")
	person.WaitScript(text(".badge", "cancelled") + " && !" + text("main button", "Cancel the job"))
}

// TestJournalIsFiltered finds calls and decisions of the policy.
func TestJournalIsFiltered(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte("version: 1\ndecisions:\n  - {tool: page_reload, decision: deny}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := tooltest.NewOwnServer(t, app.Config{Policy: path, Surface: toolkit.Options{AllTools: true}})
	agent := s.Connect("agent", "", nil)
	for range 120 {
		agent.Call("tabs_context", nil)
	}
	agent.Call("navigate", tooltest.Args{"url": "data:text/html,<title>x</title>secret-in-address"})
	agent.ExpectRefusal("POLICY_DENIED", "page_reload", nil)
	person, _ := s.OpenUI()
	open(person, "#/journal", "document.querySelectorAll('.entry').length === 100")
	person.WaitScript("!document.body.textContent.includes('secret-in-address')")
	click(person, "Older entries button")
	person.WaitScript("document.querySelectorAll('.entry').length > 120 && !" + text("main button", "Older entries"))
	person.Call("form_input", tooltest.Args{"query": "Entries combobox", "value": "decisions of the policy"})
	person.WaitScript("document.querySelectorAll('.entry').length === document.querySelectorAll('.entry.decision').length && " + text(".entry.decision", "page_reload") + " && " + text(".entry.decision .badge", "deny"))
	click(person, "No filter button")
	person.WaitScript("document.querySelectorAll('.entry').length === 100")
	person.Call("form_input", tooltest.Args{"query": "Outcome combobox", "value": "POLICY_DENIED"})
	person.WaitScript("document.querySelectorAll('.entry').length === 1 && " + text(".entry .tool", "page_reload"))
	person.Call("javascript_tool", tooltest.Args{"code": "const i = document.querySelector('#until'); i.value = '2020-01-01T00:00:00'; i.dispatchEvent(new Event('change', { bubbles: true })); 0"})
	person.WaitScript(text("main p", "No entry"))
}

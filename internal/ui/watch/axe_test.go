package watch_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestThePagesAreAccessible has axe-core look at the live view with everything that it can show, and at the
// page that signs in.
func TestThePagesAreAccessible(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	s := serveAsking(t)
	person, pages := s.OpenUI()
	person.WaitScript(noQuestion)
	person.CheckAccessibility("no session")
	agent := s.Connect("agent", "", nil)
	allowed := navigate(t, agent, "Page")
	person.WaitScript(questionIsOpen)
	person.Call("interact", tooltest.Args{"query": "this tool, for the session"})
	person.Call("interact", tooltest.Args{"query": "Allow button"})
	<-allowed
	agent.Call("navigate", tooltest.Args{"url": watchedPage})
	agent.Call("read_page", nil)
	agent.Do("interact", tooltest.Args{"ref": "e99"})
	open := navigate(t, s.Connect("second", "", nil), "Page")
	person.WaitScript(questionIsOpen)
	person.WaitScript("document.querySelector('.call.refused') && !document.querySelector('.screen img').hidden")
	person.Call("interact", tooltest.Args{"query": "Refs button"})
	person.WaitScript("document.querySelector('.refs li')")
	person.CheckAccessibility("everything")
	person.Call("interact", tooltest.Args{"query": "Refuse button"})
	<-open
	person.Call("javascript_tool", tooltest.Args{"code": "localStorage.clear()"})
	person.Call("navigate", tooltest.Args{"url": pages.Address})
	person.WaitScript("document.querySelector('#token')")
	person.CheckAccessibility("sign in")
}

package watch_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestTheKeyboardReachesEverything walks through the page by Tab, and answers a question by Enter.
func TestTheKeyboardReachesEverything(t *testing.T) {
	t.Parallel()
	s := serveAsking(t)
	person, _ := s.OpenUI()
	person.WaitScript(noQuestion)
	agent := s.Connect("agent", "", nil)
	waiting := navigate(t, agent, "Asked")
	person.WaitScript(questionIsOpen)
	person.WaitScript("document.querySelector('.call.running')")
	person.Call("javascript_tool", tooltest.Args{"code": "document.activeElement.blur(); globalThis.visited = []; addEventListener('focusin', (e) => visited.push(e.target.textContent || e.target.value)); 0"})
	want := []string{"Skip to the view", "Jobs", "Journal", "Live", "Recordings", "Surface", "this call", "Allow", "Refuse"}
	for range want {
		person.Call("computer", tooltest.Args{"action": "key", "text": "Tab"})
	}
	person.WaitScript("visited.join('|') === '" + strings.Join(want, "|") + "'")
	person.Call("computer", tooltest.Args{"action": "key", "text": "Enter"})
	if res := <-waiting; !res.IsError {
		t.Errorf("refused by the keyboard: %s", tooltest.Text(res))
	}
	person.WaitScript(noQuestion)
	person.WaitScript("document.activeElement.id === 'main'") // not lost with the question
	reached := func() bool {
		return strings.Contains(person.Call("javascript_tool", tooltest.Args{"code": "String(document.activeElement.matches('button.call'))"}), "true")
	}
	for presses := 0; !reached(); presses++ { // past the session and what can be done with its picture
		if presses == 10 {
			t.Fatal("Tab does not reach the call")
		}
		person.Call("computer", tooltest.Args{"action": "key", "text": "Tab"})
	}
	person.Call("computer", tooltest.Args{"action": "key", "text": "Enter"})
	person.WaitScript("document.activeElement.getAttribute('aria-expanded') === 'true' && !document.activeElement.nextElementSibling.hidden")
}

package takeover_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestTheControlsAreAccessible has axe-core look at each state of the controls.
func TestTheControlsAreAccessible(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	_, person := open(t)
	person.Call("interact", tooltest.Args{"query": "Mark a place button"})
	person.WaitScript("document.activeElement.className === 'surface'")
	person.Call("computer", tooltest.Args{"action": "key", "text": "ArrowLeft Enter"})
	person.WaitScript("document.activeElement.id === 'mark-text'")
	person.CheckAccessibility("a place is marked")
	person.Call("interact", tooltest.Args{"query": "Cancel button"})
	person.Call("interact", tooltest.Args{"query": "Take over button"})
	person.WaitScript("document.activeElement.className === 'surface'")
	clickAt(t, person, 200, 340)
	person.WaitScript("document.querySelector('.dialog')")
	person.CheckAccessibility("the person has control, and a dialog is open")
}

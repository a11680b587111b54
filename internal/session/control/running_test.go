package control_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/session/control"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// blockOn has the page wait for the test in a handler of an element's press.
func (s *shared) blockOn(id string) {
	s.t.Helper()
	s.eval(`(document.querySelector('[data-id=`+id+`]').addEventListener('mousedown', () => {
		const r = new XMLHttpRequest(); r.open('GET', '/block', false); r.send();
	}, { once: true }), 1)`, new(int))
}

// TestTakeWaitsForTheRunningAction takes over while an action of the agent runs: its press and release are together,
// and the person begins after it.
func TestTakeWaitsForTheRunningAction(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{TakeTime: time.Minute})
	reading := s.Call("read_page", nil)
	s.attend(ann)
	s.blockOn("a1")
	running := s.start(t.Context(), "computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")})
	<-s.block.arrived
	taken := make(chan error, 1)
	go func() { taken <- s.Take(t.Context(), s.id, ann) }()
	s.awaitHold()
	if state, _, _ := s.State(s.id, ann); state.Held {
		t.Error("the person has control during the action")
	}
	close(s.block.release)
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	if got := <-running; got.err != nil || got.refused || !strings.Contains(got.text, `clicked button "Alpha"`) {
		t.Errorf("the call ended with %+v", got)
	}
	s.act(ann, click("Person")...)
	s.handBack(ann, "")
	var order []string
	for _, e := range s.events() {
		order = append(order, e.Type+" "+e.ID)
	}
	if got := strings.Join(order, ", "); got != "mousedown a1, mouseup a1, click a1, mousedown p1, mouseup p1, click p1" {
		t.Errorf("the page saw %s", got)
	}
}

// TestTakeBetweenTheSteps takes over during the first step of a call that has two: the second one is not made, neither while
// the person has control nor after the person changed something.
func TestTakeBetweenTheSteps(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{TakeTime: time.Minute})
	s.Call("read_page", nil)
	s.attend(ann)
	s.blockOn("a1")
	running := s.start(t.Context(), "act", tooltest.Args{"steps": []tooltest.Args{{"action": "click", "query": "Alpha"}, {"action": "click", "query": "Beta"}}})
	<-s.block.arrived
	taken := make(chan error, 1)
	go func() { taken <- s.Take(t.Context(), s.id, ann) }()
	s.awaitHold()
	close(s.block.release)
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	s.act(ann, click("Person")...)
	s.handBack(ann, "")
	if got := <-running; !got.refused || !strings.Contains(got.text, "during the call") || !strings.Contains(got.text, `clicked button "Person"`) {
		t.Errorf("the call ended with %+v", got)
	}
	var order []string
	for _, e := range s.events() {
		if e.Type == "click" {
			order = append(order, e.ID)
		}
	}
	if got := strings.Join(order, " "); got != "a1 p1" {
		t.Errorf("the page saw clicks on %s", got)
	}
}

// awaitHold waits until Take has begun.
func (s *shared) awaitHold() {
	for s.server.Connections.Holds().Of(s.id) == nil {
		runtime.Gosched()
	}
}

// TestTakeInterruptsACallThatDoesNotEnd takes over while an action hangs in the page.
func TestTakeInterruptsACallThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{TakeTime: 50 * time.Millisecond})
	reading := s.Call("read_page", nil)
	s.attend(ann)
	s.blockOn("a1")
	running := s.start(t.Context(), "computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")})
	<-s.block.arrived
	s.take(ann)
	got := <-running
	if !got.refused || !strings.Contains(got.text, "a person took over the session") || !strings.Contains(got.text, "during the call") {
		t.Errorf("the call ended with %+v", got)
	}
	close(s.block.release)
	s.act(ann, click("Person")...)
}

// TestDialogs has the person's click open a dialog, which the person answers; a button that is still held then comes
// up when the session is handed back.
func TestDialogs(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	s.attend(ann)
	s.take(ann)
	s.act(ann, click("Ask")...)
	state := s.awaitState(ann, func(st control.State) bool { return len(st.Dialogs) == 1 })
	if d := state.Dialogs[0]; d.Kind != "confirm" || d.Message != "Sure?" || d.Tab != s.tab.ID() {
		t.Errorf("the dialog is %+v", d)
	}
	if err := s.Input(t.Context(), s.id, ann, s.tab.ID(), click("Person")); err == nil || !strings.Contains(err.Error(), "dialog") {
		t.Errorf("input below a dialog: %v", err)
	}
	if err := s.AnswerDialog(t.Context(), s.id, ann, s.tab.ID(), control.DialogAnswer{Accept: true}); err != nil {
		t.Fatal(err)
	}
	s.act(ann, click("Person")...)
	s.handBack(ann, "")
	s.Expect("read_page", nil, `clicked button "Ask"`, `accepted a confirm dialog "Sure?"`, `clicked button "Person"`)
}

// TestDialogAtHandBack hands back under a dialog that came while the person held the button.
func TestDialogAtHandBack(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	s.eval(`(document.querySelector('[data-id=p1]').addEventListener('mousedown', () => alert('held')), 1)`, new(int))
	s.attend(ann)
	s.take(ann)
	s.act(ann, move("Person"), down("Person"))
	s.awaitState(ann, func(st control.State) bool { return len(st.Dialogs) == 1 })
	s.handBack(ann, "")
	s.ExpectRefusal("DIALOG_OPEN", "read_page", nil)
	s.Expect("dialog", tooltest.Args{"accept": true}, "alert")
	reading := s.Call("read_page", nil)
	s.Expect("computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")}, `clicked button "Alpha"`)
	var last []string
	for _, e := range s.events() {
		if e.ID == "a1" {
			last = append(last, e.Type)
		}
	}
	if got := strings.Join(last, " "); !strings.HasSuffix(got, "mousedown mouseup click") {
		t.Errorf("the agent's click was %s", got)
	}
}

// TestNavigationUnderThePerson holds a button while the page navigates: the new document sees no click, and refs of the
// old one are stale.
func TestNavigationUnderThePerson(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	reading := s.Call("read_page", nil)
	s.attend(ann)
	s.take(ann)
	s.act(ann, click("Next")...)
	s.awaitTitle("Next")
	s.eval(`(window.seen = [], ['mousedown', 'mouseup', 'click'].forEach((t) => addEventListener(t, (e) => seen.push(t))), 1)`, new(int))
	// The button goes down in one document and comes up in the next one.
	s.act(ann, input.Event{Kind: input.MouseDown, X: 400, Y: 400, Button: input.ButtonLeft, Clicks: 1})
	s.eval(`(location.href = '/', 1)`, new(int))
	s.awaitTitle("Shared")
	s.act(ann, input.Event{Kind: input.MouseUp, X: 70, Y: 225, Button: input.ButtonLeft, Clicks: 1})
	for _, e := range s.events() {
		if e.Type == "mousedown" || e.Type == "click" {
			t.Errorf("the new document saw %+v", e)
		}
	}
	s.handBack(ann, "")
	s.ExpectRefusal("PERSON_IN_CONTROL", "computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")}, "not done")
	s.ExpectRefusal("STALE_REF", "computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")})
}

func (s *shared) awaitTitle(want string) {
	s.t.Helper()
	tooltest.Eventually(s.t, "the page is "+want, func() bool { return strings.Contains(s.Call("read_page", nil), want) })
	for title := ""; title != want; {
		s.eval("document.title", &title)
	}
}

// TestTabsOfAPerson reports tabs that a person's click opened.
func TestTabsOfAPerson(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	s.eval(`(document.querySelector('[data-id=p1]').addEventListener('click', () => open('/next')), 1)`, new(int))
	s.attend(ann)
	s.take(ann)
	s.act(ann, click("Person")...)
	s.awaitState(ann, func(control.State) bool { return len(s.server.Session(s.id).Tabs()) == 2 })
	s.handBack(ann, "")
	s.Expect("tabs_context", nil, `clicked button "Person"`, "opened at")
}

// TestAnnotate marks an element without taking over: the agent gets the words, a ref that works, and the picture.
func TestAnnotate(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	for name, area := range map[string]control.Area{
		"point": {X: place["Alpha"].X, Y: place["Alpha"].Y},
		"area":  {X: 5, Y: 5, Width: 130, Height: 40},
	} {
		marked, err := s.Annotate(t.Context(), s.id, s.tab.ID(), area, "use this one")
		if err != nil || marked.Name != "Alpha" {
			t.Fatalf("%s: %+v, %v", name, marked, err)
		}
		res := s.Do("tabs_context", nil)
		text := tooltest.Text(res)
		if !strings.Contains(text, "a person marked a place in tab "+s.tab.ID()) || !strings.Contains(text, "use this one") || !strings.Contains(text, `button "Alpha" [`+marked.Ref+"]") {
			t.Errorf("%s: the agent gets %s", name, text)
		}
		if got := pictures(res); got != 1 {
			t.Errorf("%s: the agent gets %d pictures", name, got)
		}
		s.Expect("computer", tooltest.Args{"action": "left_click", "ref": marked.Ref}, `clicked button "Alpha"`)
	}
}

package control_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/session/control"
	"github.com/callsheet/callsheet/internal/tooltest"
)

const ann, bob = "ann", "bob"

// TestTakeOver has an agent's call wait while a person acts; its result reports what the person did.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	reading := s.Call("read_page", nil)
	s.attend(ann)
	s.take(ann)
	clicked := s.start(t.Context(), "computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")})
	s.awaitState(ann, func(st control.State) bool { return st.Waiting == 1 && st.Mine })
	if got := s.Call("read_page", nil); !strings.Contains(got, "a person has had control since") {
		t.Errorf("a reading does not say that a person has control: %s", got)
	}
	s.act(ann, click("Person")...)
	s.act(ann, click("Person field")...)
	s.act(ann, keys("hello")...)
	s.act(ann, click("Passphrase")...)
	s.act(ann, keys("swordfish")...)
	for _, e := range s.events() {
		if e.ID == "a1" || !e.Trusted {
			t.Errorf("during the take-over there was %+v", e)
		}
	}
	s.handBack(ann, "log in is done <page x>")
	got := <-clicked
	if got.err != nil || !got.refused {
		t.Fatalf("the call ended with %+v", got)
	}
	want := []string{
		"PERSON_IN_CONTROL: not done: a person had control and changed what is listed below", "a person had control for", "with this note:\nlog in is done &lt;page x>", `: clicked button "Person"`,
		`: typed into textbox "Person field" = "hello"`, `: typed into textbox "Passphrase", a secret field`,
	}
	at := 0
	for _, w := range want {
		i := strings.Index(got.text[at:], w)
		if i < 0 {
			t.Fatalf("the result lacks %q after byte %d:\n%s", w, at, got.text)
		}
		at += i
	}
	if strings.Contains(got.text, "swordfish") {
		t.Errorf("a secret is in the result:\n%s", got.text)
	}
	again := s.Expect("computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")}, `clicked button "Alpha"`)
	if strings.Contains(again, "had control") {
		t.Errorf("the report comes twice: %s", again)
	}
}

// TestHeldCallGoesOn has a person change nothing: the call that waits is made, and its result has the note.
func TestHeldCallGoesOn(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	reading := s.Call("read_page", nil)
	s.attend(ann)
	s.take(ann)
	clicked := s.start(t.Context(), "computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")})
	s.awaitState(ann, func(st control.State) bool { return st.Waiting == 1 })
	s.handBack(ann, "go on")
	got := <-clicked
	for _, want := range []string{`clicked button "Alpha"`, "with this note:\ngo on", "nothing was changed meanwhile"} {
		if got.refused || !strings.Contains(got.text, want) {
			t.Errorf("the call ended with %+v, which lacks %q", got, want)
		}
	}
}

// TestCallBetween has a person act between two calls of the agent, and within a call that has several steps: the agent
// gets the report before it acts on what it has not seen.
func TestCallBetween(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	reading := s.Call("read_page", nil)
	s.attend(ann)
	s.Call("computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Agent field")})
	s.take(ann)
	s.act(ann, click("Passphrase")...)
	s.handBack(ann, "")
	s.ExpectRefusal("PERSON_IN_CONTROL", "computer", tooltest.Args{"action": "type", "text": "for the agent's field"}, "not done")
	for _, e := range s.events() {
		if e.Type == "input" {
			t.Errorf("the agent typed into the field of the person: %+v", e)
		}
	}
	s.Call("computer", tooltest.Args{"action": "type", "text": "x"}) // the agent knows now where the focus is
}

// TestHeldCallIsRefused holds a call longer than it may be held.
func TestHeldCallIsRefused(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{HoldTime: 50 * time.Millisecond})
	s.attend(ann)
	s.take(ann)
	envelope := s.ExpectRefusal("PERSON_IN_CONTROL", "navigate", tooltest.Args{"url": "about:blank"}, "wait and call again", "read_page")
	if since, _ := envelope["since"].(string); since == "" || envelope["begun"] != false {
		t.Errorf("the refusal is %v", envelope)
	}
	s.Call("oc_checkpoint", tooltest.Args{"action": "save", "taskDescription": "x"}) // it needs no browser
}

// TestCancelledWhileHeld cancels a call that waits: it acts neither then nor later.
func TestCancelledWhileHeld(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	s.attend(ann)
	s.take(ann)
	ctx, cancel := context.WithCancel(t.Context())
	reading := s.Call("read_page", nil)
	done := s.start(ctx, "computer", tooltest.Args{"action": "left_click", "ref": refOf(t, reading, "Alpha")})
	s.awaitState(ann, func(st control.State) bool { return st.Waiting == 1 })
	cancel()
	if got := <-done; got.err == nil {
		t.Errorf("the cancelled call ended with %+v", got)
	}
	s.awaitState(ann, func(st control.State) bool { return st.Waiting == 0 })
	s.handBack(ann, "")
	s.Expect("read_page", nil, "nothing was changed meanwhile")
	if got := s.events(); len(got) != 0 {
		t.Errorf("the page saw %v", got)
	}
}

// TestTwoPersons lets one of two persons control the session.
func TestTwoPersons(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	s.attend(ann)
	s.attend(bob)
	s.take(ann)
	s.take(ann) // again is the same
	if err := s.Take(t.Context(), s.id, bob); !errors.As(err, new(*control.InControlError)) {
		t.Errorf("a second person takes over: %v", err)
	}
	if err := s.Input(t.Context(), s.id, bob, s.tab.ID(), click("Person")); !errors.As(err, new(*control.NotInControlError)) {
		t.Errorf("a second person acts: %v", err)
	}
	if err := s.Return(t.Context(), s.id, bob, ""); !errors.As(err, new(*control.NotInControlError)) {
		t.Errorf("a second person hands back: %v", err)
	}
	if state, _, _ := s.State(s.id, bob); !state.Held || state.Mine {
		t.Errorf("the second person sees %+v", state)
	}
	s.handBack(ann, "")
	s.take(bob)
	if err := s.Input(t.Context(), s.id, ann, s.tab.ID(), click("Person")); !errors.As(err, new(*control.NotInControlError)) {
		t.Errorf("who has handed back acts: %v", err)
	}
	if len(s.events()) != 0 {
		t.Errorf("the page saw %v", s.events())
	}
}

// TestUnknown names unknown sessions and tabs.
func TestUnknown(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{})
	if err := s.Take(t.Context(), "unknown", ann); !errors.As(err, new(*control.UnknownSessionError)) {
		t.Error(err)
	}
	s.attend(ann)
	s.take(ann)
	if err := s.Input(t.Context(), s.id, ann, "t999", click("Person")); !errors.As(err, new(*browser.UnknownTabError)) {
		t.Error(err)
	}
	if err := s.AnswerDialog(t.Context(), s.id, ann, s.tab.ID(), control.DialogAnswer{Accept: true}); !errors.Is(err, browser.ErrNoDialog) {
		t.Error(err)
	}
}

// TestPersonDisappears ends the connection of a person who holds a button and a key.
func TestPersonDisappears(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{AbsenceTime: 30 * time.Millisecond})
	leave := s.attend(ann)
	s.take(ann)
	s.act(ann, move("Person"), down("Person"), keys("x")[0])
	leave()
	state := s.awaitState(ann, func(st control.State) bool { return !st.Held })
	if !strings.Contains(state.Ended, "disconnected for 30ms") {
		t.Errorf("it ended because %q", state.Ended)
	}
	var last []string
	for _, e := range s.events() {
		last = append(last, e.Type)
	}
	if got := strings.Join(last, " "); !strings.Contains(got, "keyup mouseup") {
		t.Errorf("the page saw %s", got)
	}
	s.Expect("read_page", nil, "it came back because the browser of the person was disconnected for 30ms", `clicked button "Person"`)
	if err := s.Input(t.Context(), s.id, ann, s.tab.ID(), click("Person")); !errors.As(err, new(*control.NotInControlError)) {
		t.Errorf("a person who was away acts: %v", err)
	}
}

// TestReconnect keeps the control of a person who comes back in time, and of one with two pages.
func TestReconnect(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{AbsenceTime: time.Hour})
	leave := s.attend(ann)
	s.take(ann)
	leave()
	s.attend(ann)
	s.act(ann, click("Person")...)
	s.handBack(ann, "")
}

// TestSessionEndsWhileTakenOver ends the agent's session under a person, with a call that waits.
func TestSessionEndsWhileTakenOver(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{HoldTime: time.Minute})
	s.attend(ann)
	s.take(ann)
	held := s.start(t.Context(), "navigate", tooltest.Args{"url": "about:blank"})
	s.awaitState(ann, func(st control.State) bool { return st.Waiting == 1 })
	s.act(ann, move("Person"), down("Person"))
	s.server.EndSession(s.id)
	if got := <-held; got.err == nil && !got.refused {
		t.Errorf("the call ended with %+v", got)
	}
	if err := s.Input(t.Context(), s.id, ann, s.tab.ID(), click("Person")); err == nil {
		t.Error("a person acts in a session that has ended")
	}
	if _, _, err := s.State(s.id, ann); err != nil && !errors.As(err, new(*control.UnknownSessionError)) {
		t.Error(err)
	}
}

// TestServerEndsWhileTakenOver closes the server under a person, with a call that waits.
func TestServerEndsWhileTakenOver(t *testing.T) {
	t.Parallel()
	s := openShared(t, control.Config{HoldTime: time.Minute})
	s.attend(ann)
	s.take(ann)
	held := s.start(t.Context(), "navigate", tooltest.Args{"url": "about:blank"})
	s.awaitState(ann, func(st control.State) bool { return st.Waiting == 1 })
	if err := s.server.Close(context.Background()); err != nil {
		t.Errorf("close: %v", err)
	}
	if got := <-held; got.err == nil && !got.refused {
		t.Errorf("the call ended with %+v", got)
	}
	if err := s.Take(t.Context(), s.id, ann); !errors.As(err, new(*control.UnknownSessionError)) {
		t.Errorf("take over of an ended server: %v", err)
	}
}

package control

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
)

const (
	// inputTimeout bounds the events of one Input: a page may hang in its handlers.
	inputTimeout = 10 * time.Second
	// targetTimeout bounds the look at the element that an event reaches. A page on a busy machine takes seconds, and
	// the event itself waits as long for one that hangs.
	targetTimeout = inputTimeout / 2
	// maxEvents bounds one Input.
	maxEvents = 256
	// dragDistance is the distance by which the pointer moves between press and release of a drag, in CSS pixels.
	dragDistance = 6
)

// Input dispatches events of the person in control, in their order, as real input in a tab. Events of one
// person never overlap, and none lands when the session was handed back. The errors are those of Take,
// NotInControlError, page.BadInputError, and browser.UnknownTabError, DialogError and others of a tab.
func (c *Controls) Input(ctx context.Context, id, person, tab string, events []input.Event) error {
	if len(events) > maxEvents {
		return &input.BadEventError{Reason: fmt.Sprintf("at most %d events at once", maxEvents)}
	}
	for _, e := range events {
		if err := e.Check(); err != nil {
			return err
		}
	}
	return c.inControl(id, person, tab, func(s *controller, hold *personhold.Hold, t *browser.Tab) error {
		s.releaseAll(ctx, t)
		held, changes := s.heldIn(t)
		if changes == nil {
			return &NotInControlError{}
		}
		if slices.ContainsFunc(events, func(e input.Event) bool { return e.Kind != input.MouseMove }) {
			hold.NoteChange()
		}
		ctx, cancel := context.WithTimeout(ctx, inputTimeout)
		defer cancel()
		begun := false
		err := t.Calls.DoFirst(ctx, hold, func(ctx context.Context, p *page.Page) error {
			begun = true
			in := forwarding{page: p, tab: t.ID(), held: held, changes: changes}
			return in.forwardAll(ctx, events)
		})
		if dialog := (*browser.DialogError)(nil); begun && errors.As(err, &dialog) && dialog.During {
			return nil // the input opened it; the person answers it next
		}
		return err
	})
}

// inControl runs fn for a tab of a session that the person controls, and keeps the person from handing back
// meanwhile.
func (c *Controls) inControl(id, person, tab string, fn func(*controller, *personhold.Hold, *browser.Tab) error) error {
	s, err := c.controller(id)
	if err != nil {
		return err
	}
	s.inputMu.Lock()
	defer s.inputMu.Unlock()
	hold := s.holdOf(person)
	if hold == nil {
		return &NotInControlError{}
	}
	t := s.set.Peek("", tab)
	if t == nil {
		return &browser.UnknownTabError{ID: tab}
	}
	return fn(s, hold, t)
}

// heldIn returns the keys and buttons that the person holds down in a tab, and the log of changes; nil if the session has ended.
func (c *controller) heldIn(t *browser.Tab) (*input.Held, *changeLog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hold == nil {
		return nil, nil
	}
	held := c.held[t]
	if held == nil {
		held = new(input.Held)
		c.held[t] = held
	}
	return held, c.changes
}

// releaseAll releases the keys and buttons that the person holds down in every tab but one. The caller holds inputMu.
func (c *controller) releaseAll(ctx context.Context, except *browser.Tab) {
	c.mu.Lock()
	hold, all := c.hold, c.held
	c.mu.Unlock()
	for t, held := range all {
		if t == except || held.Empty() {
			continue
		}
		delete(all, t)
		release := func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return t.Calls.DoFirst(ctx, hold, func(ctx context.Context, p *page.Page) error { return p.Person.ReleaseHeld(ctx, held) })
		}
		if dialog := (*browser.DialogError)(nil); errors.As(release(ctx), &dialog) {
			c.releaseAfterDialog(t, release)
		}
	}
}

// releaseAfterDialog releases keys and buttons once the dialog is answered that blocks the page.
func (c *controller) releaseAfterDialog(t *browser.Tab, release func(context.Context) error) {
	changed := make(chan struct{}, 1)
	stop := c.set.Watch(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	go func() {
		defer stop()
		for !t.Closed() {
			if t.Dialogs.Open() == nil {
				_ = release(context.Background())
				return
			}
			select {
			case <-changed: // the end of the tab is a change too
			case <-c.ended:
				return
			}
		}
	}()
}

// DialogAnswer is the answer of a person to a dialog; Text is the input for a prompt.
type DialogAnswer struct {
	Accept bool   `json:"accept"`
	Text   string `json:"text"`
}

// AnswerDialog answers the dialog of a tab for the person in control. The errors are those of Input, and
// browser.ErrNoDialog.
func (c *Controls) AnswerDialog(ctx context.Context, id, person, tab string, answer DialogAnswer) error {
	return c.inControl(id, person, tab, func(s *controller, hold *personhold.Hold, t *browser.Tab) error {
		dialog := t.Dialogs.Open()
		if dialog == nil {
			return browser.ErrNoDialog
		}
		hold.NoteChange()
		if _, changes := s.heldIn(t); changes != nil {
			changes.add(change{tab: t.ID(), text: fmt.Sprintf("%s %s %q", dialogOutcome(answer.Accept), dialog.Describe(), dialog.Message)})
		}
		return t.Dialogs.Handle(ctx, answer.Accept, answer.Text)
	})
}

func dialogOutcome(accept bool) string {
	if accept {
		return "accepted"
	}
	return "dismissed"
}

// forwarding dispatches the events of one Input and records the elements that they reach.
type forwarding struct {
	page    *page.Page
	tab     string
	held    *input.Held
	changes *changeLog
	typed   bool // text went into a field
}

// forwardAll dispatches the events in their order.
func (f *forwarding) forwardAll(ctx context.Context, events []input.Event) error {
	defer f.noteValue(ctx)
	for i, e := range events {
		if e.Kind == input.MouseMove && i+1 < len(events) && events[i+1].Kind == input.MouseMove {
			continue // the browser would deliver one a frame
		}
		if err := f.forward(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// noteValue notes the value of the field that has the focus, if text went into it.
func (f *forwarding) noteValue(ctx context.Context) {
	if f.typed && ctx.Err() == nil {
		f.changes.value(f.tab, f.target(ctx, nil))
	}
}

// forward notes an event before it is dispatched: the page may be gone afterwards.
func (f *forwarding) forward(ctx context.Context, e input.Event) error {
	switch e.Kind {
	case input.MouseDown:
		f.noteValue(ctx) // the press may move the focus
		f.changes.press(f.tab, f.target(ctx, &document.Point{X: e.X, Y: e.Y}), e)
	case input.MouseUp:
		if from, ok := f.changes.pressedAt(f.tab, e.Button); ok && math.Hypot(from.X-e.X, from.Y-e.Y) >= dragDistance {
			f.changes.drag(f.tab, f.target(ctx, &document.Point{X: e.X, Y: e.Y}))
		}
	case input.Wheel:
		f.changes.add(change{tab: f.tab, key: "wheel", text: "scrolled"})
	case input.KeyDown, input.TextInput:
		target := f.target(ctx, nil)
		if f.typed {
			f.changes.value(f.tab, target) // the key may move the focus
		}
		f.typed = f.changes.key(f.tab, target, e) || f.typed
	}
	return f.page.Person.Forward(ctx, f.held, e)
}

// target returns the element at a point, or with the focus. It is zero when the page does not say.
func (f *forwarding) target(ctx context.Context, at *document.Point) input.PersonTarget {
	ctx, cancel := context.WithTimeout(ctx, targetTimeout)
	defer cancel()
	var out input.PersonTarget
	if at != nil {
		out, _ = f.page.Person.TargetAt(ctx, *at)
	} else {
		out, _ = f.page.Person.TargetAtFocus(ctx)
	}
	return out
}

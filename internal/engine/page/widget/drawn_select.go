package widget

import (
	"context"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// drawnSelect is the state of a native list in whose place a script draws something else.
type drawnSelect struct {
	Chosen bool   `json:"chosen"` // the option is selected in the native list
	Shown  bool   `json:"shown"`  // and drawn
	Face   string `json:"face"`   // ref of what is drawn for the closed list
	Item   string `json:"item"`   // ref of the drawn option, where the list is open
	Text   string `json:"text"`   // of the face
}

// setDrawnSelect chooses an option as a person does: it clicks what is drawn, then the drawn option. Where no such
// option appears it sets the native list. It fails with [document.NotAppliedError] unless the option is drawn then, and
// closes the list.
func (s *Setter) setDrawnSelect(ctx context.Context, ref, value string) (settle.Effect, error) {
	before, err := s.drawnSelect(ctx, ref, value, nil)
	if err != nil || before.Shown {
		return s.withElement(ctx, settle.Effect{}, ref), err
	}
	isOpen := func(d drawnSelect) bool { return d.Item != "" }
	state := before
	if !isOpen(state) {
		_, _ = s.mouse.Click(ctx, input.Target{Ref: state.Face}, input.ClickOptions{}) // a covered one opens by the focus
		state = s.waitForDrawn(ctx, ref, value, isOpen)
	}
	if !isOpen(state) {
		_, _ = s.drawnSelect(ctx, ref, value, new(true))
		state = s.waitForDrawn(ctx, ref, value, isOpen)
	}
	var effect settle.Effect
	if isOpen(state) {
		effect, err = s.mouse.Click(ctx, input.Target{Ref: state.Item}, input.ClickOptions{})
		state = s.waitForDrawn(ctx, ref, value, func(d drawnSelect) bool { return d.Shown && !isOpen(d) })
	}
	if !state.Chosen {
		effect, err = s.setValue(ctx, ref, value, true, false)
	}
	if err != nil {
		return effect, err
	}
	state = s.closeDrawn(ctx, ref, value)
	if isShown := before.Text == "" || state.Shown || state.Text != before.Text; !state.Chosen || !isShown {
		return effect, fmt.Errorf("setting %s: %w", ref, &document.NotAppliedError{Ref: ref, Holds: state.Text, Changes: effect.Changes})
	}
	return s.withElement(ctx, effect, ref), nil
}

// closeDrawn closes a drawn list that is open, by Escape, by taking the focus away, or by a click on what is drawn.
func (s *Setter) closeDrawn(ctx context.Context, ref, value string) drawnSelect {
	isClosed := func(d drawnSelect) bool { return d.Item == "" }
	state := s.waitForDrawn(ctx, ref, value, func(d drawnSelect) bool { return d.Shown && isClosed(d) })
	for _, act := range []func(){
		func() { _, _ = s.keyboard.Press(ctx, "Escape") },
		func() { _, _ = s.drawnSelect(ctx, ref, value, new(false)) },
		func() { _, _ = s.mouse.Click(ctx, input.Target{Ref: state.Face}, input.ClickOptions{}) },
	} {
		if !isClosed(state) {
			act()
			state = s.waitForDrawn(ctx, ref, value, isClosed)
		}
	}
	return state
}

// waitForDrawn waits until the state is as wanted, at most for listedTimeout, and returns it.
func (s *Setter) waitForDrawn(ctx context.Context, ref, value string, wanted func(drawnSelect) bool) drawnSelect {
	for begun := time.Now(); ; {
		state, err := s.drawnSelect(ctx, ref, value, nil)
		if err != nil || wanted(state) || time.Since(begun) > listedTimeout || settle.Pause(ctx, settle.PollInterval) != nil {
			return state
		}
	}
}

// drawnSelect returns the state, after it gave the native list the focus or took it away.
func (s *Setter) drawnSelect(ctx context.Context, ref, value string, focus *bool) (drawnSelect, error) {
	var state drawnSelect
	_, err := s.doc.EvaluateRef(ctx, ref, "drawnSelect", map[string]any{"value": value, "focus": focus}, &state)
	return state, err
}

package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

const (
	// maxPause is the longest pause of a step, in ms.
	maxPause = 30000
	// defaultRounds is how often steps are repeated that say no number.
	defaultRounds = 20
)

// conditionOf is what a step of a wait, an if or a repeat is about, where it names no element by ref or words. A number of
// a wait is a time in ms.
func conditionOf(s step) (settle.WaitOptions, error) {
	value := s.Value.Value
	ms, err := strconv.Atoi(value)
	switch {
	case s.Selector.Set:
		gone := s.Type.Value == actapi.ActStepsItemTypeGone
		return settle.WaitOptions{Selector: s.Selector.Value, Visible: !gone, Hidden: gone}, nil
	case s.Ms.Set:
		return settle.WaitOptions{Duration: milliseconds(s.Ms.Value)}, nil
	case s.Type.Value == actapi.ActStepsItemTypeIdle:
		return settle.WaitOptions{Idle: true}, nil
	case s.Type.Value == actapi.ActStepsItemTypeMs, !s.Type.Set && err == nil && s.Action == actapi.ActStepsItemActionWait:
		if err != nil || ms < 0 || ms > maxPause {
			return settle.WaitOptions{}, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("a step waits from 0 to %d ms", maxPause))
		}
		return settle.WaitOptions{Duration: milliseconds(ms)}, nil
	case value == "":
		return settle.WaitOptions{}, toolkit.Refuse(toolkit.InvalidArguments, `"value" is required`)
	case s.Type.Value == actapi.ActStepsItemTypeGone:
		return settle.WaitOptions{TextGone: value}, nil
	case s.Type.Value == actapi.ActStepsItemTypeURL:
		return settle.WaitOptions{URL: value}, nil
	}
	return settle.WaitOptions{Text: value}, nil
}

// conditionName names a condition in an answer.
func conditionName(s step) string {
	name := cmp.Or(s.Ref.Value, s.Query.Value, s.Selector.Value, s.Value.Value)
	switch {
	case s.Ms.Set:
		return strconv.Itoa(s.Ms.Value) + " ms"
	case name == "":
		return string(s.Type.Value)
	case s.Type.Value == actapi.ActStepsItemTypeGone:
		return "the end of " + name
	}
	return name
}

// holds reports whether the condition of a step holds now: an element is shown, or what conditionOf says.
func holds(ctx context.Context, p *page.Page, s step) (held bool, err error) {
	switch {
	case s.Ref.Set:
		var info document.ElementInfo
		info, err = p.Document.Describe(ctx, s.Ref.Value)
		if held = err == nil && info.Visible; err != nil {
			if _, stale := errors.AsType[*document.StaleRefError](err); stale {
				err = nil
			}
		}
	case s.Query.Set:
		var found locate.Found
		found, err = p.Locate.Search(ctx, s.Query.Value, locate.FindOptions{})
		held = len(found.Matches) > 0 && !found.Matches[0].Partial()
	default:
		o, err := conditionOf(s)
		if err != nil {
			return false, err
		}
		return p.Settle.Holds(ctx, o)
	}
	return held != (s.Type.Value == actapi.ActStepsItemTypeGone), err
}

// waitStep waits until a condition holds.
func waitStep(ctx context.Context, p *page.Page, _ input.Target, s step) (settle.Effect, error) {
	if !s.Ref.Set && !s.Query.Set {
		o, err := conditionOf(s)
		if err == nil {
			_, err = p.Settle.WaitFor(ctx, o)
		}
		return settle.Effect{}, err
	}
	for {
		held, err := holds(ctx, p, s)
		if held || err != nil && ctx.Err() == nil {
			return settle.Effect{}, err
		}
		if settle.Pause(ctx, expectInterval) != nil {
			return settle.Effect{}, toolkit.Refuse(toolkit.Timeout, "waited too long for "+conditionName(s))
		}
	}
}

// conditionHolds is holds on the page of the call.
func (r *run) conditionHolds(ctx context.Context, s step) (held bool, err error) {
	err = r.tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		held, err = holds(ctx, p, s)
		return err
	})
	return held, err
}

// branch performs the steps of an if, or those of its else.
func (r *run) branch(ctx context.Context, s step) (string, error) {
	held, err := r.conditionHolds(ctx, s)
	if err != nil {
		return "", err
	}
	r.lines = append(r.lines, fmt.Sprintf("%d. if %s: %t", s.number, conditionName(s), held))
	if held {
		return "", r.performAll(ctx, s.body)
	}
	return "", r.performAll(ctx, s.other)
}

// repeat performs steps until a condition holds, or a number of times. The answer has the lines of the last round.
func (r *run) repeat(ctx context.Context, s step) (string, error) {
	conditional, begin := s.Value.Set || s.Query.Set || s.Ref.Set || s.Selector.Set, len(r.lines)
	for round := 0; ; round++ {
		if conditional {
			held, err := r.conditionHolds(ctx, s)
			if err != nil {
				return "", err
			}
			conditional = !held
			if held {
				s.Times = toolkit.Some(round)
			}
		}
		if most := cmp.Or(s.Times.Value, defaultRounds); round == most || s.Times.Set && round == s.Times.Value {
			if r.lines = slices.Insert(r.lines, begin, fmt.Sprintf("%d. repeated %d times", s.number, round)); conditional {
				return "", toolkit.Refuse(toolkit.Timeout, fmt.Sprintf("repeated %d times without %s", round, conditionName(s)))
			}
			return "", nil
		}
		r.lines = r.lines[:begin]
		if err := r.performAll(ctx, s.body); err != nil {
			return "", err
		}
	}
}

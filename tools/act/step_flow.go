package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

const (
	// maxPause is the longest pause of a step, in ms.
	maxPause = 30000
	// defaultRounds is how often steps are repeated that say no number.
	defaultRounds = 20
	// stepReadBytes bounds the reading of one step.
	stepReadBytes = 8000
	// expectInterval is the time between two checks of an expectation.
	expectInterval = 100 * time.Millisecond
)

// conditionOf returns the condition of a wait, an if or a repeat that names no element by ref or words. A number
// as the value of a wait is a time in ms.
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

// readPart reads the page, the element that a step names, or with the value diff what changed. As a value of later steps it is
// the value of the element, or else its text.
func (r *run) readPart(ctx context.Context, s step) (text string, err error) {
	err = r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		reading, ref, err := readStep(ctx, p, s, read.Options{Diff: s.Value.Value == "diff", MaxBytes: stepReadBytes})
		r.unread = false
		text = strings.TrimSpace("read "+s.As.Value) + "\n" + result.QuoteReading(reading, ref == "")
		if err != nil || ref == "" {
			return cmp.Or(err, r.keep(s, reading.Text))
		}
		info, err := p.Document.Describe(ctx, ref)
		if s.As.Set && info.Secret {
			return toolkit.Refuse(toolkit.InvalidArguments, "a field for secrets gives no value")
		}
		return cmp.Or(err, r.keep(s, cmp.Or(info.Value, strings.TrimSpace(info.Text))))
	})
	return text, err
}

// readStep reads the page, or the element that a step names, whose ref it returns.
func readStep(ctx context.Context, p *page.Page, s step, o read.Options) (reading read.Reading, ref string, err error) {
	at, err := targetOf(ctx, p, s)
	if o.Ref = at.Ref; err == nil {
		reading, err = p.Read.Page(ctx, o)
	}
	return reading, at.Ref, err
}

// search searches. A search without a match is an answer, unless a later step is to use the ref of the first match.
func (r *run) search(ctx context.Context, s step) (text string, err error) {
	err = r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		found, err := p.Locate.Search(ctx, s.Query.Value, locate.FindOptions{Wait: fieldWait})
		switch {
		case err != nil:
			return err
		case len(found.Matches) > 0:
			text = "found\n   " + strings.ReplaceAll(result.Matches(found), "\n", "\n   ")
			return r.keep(s, found.Matches[0].Ref)
		case s.As.Set:
			return &locate.NoMatchError{Query: s.Query.Value}
		}
		text = fmt.Sprintf("found nothing for %q", s.Query.Value)
		return nil
	})
	return text, err
}

// expect waits until the page shows the value of a step, or until the element that the step names
// is there and shows it in its own line or below.
func (r *run) expect(ctx context.Context, s step) (string, error) {
	until := time.Now().Add(fieldWait)
	return "as expected", r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		for {
			got, ref, err := readStep(ctx, p, s, read.Options{Values: true, MaxBytes: 100 * stepReadBytes})
			switch {
			case err != nil || contains(got.Text, s.Value.Value):
				return err
			case time.Now().After(until):
				return unexpected(s, ref, got.Text)
			}
			if err := settle.Pause(ctx, expectInterval); err != nil {
				return err
			}
		}
	})
}

// contains compares without regard to case, space and the marks of an outline.
func contains(text, part string) bool {
	plain := func(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
	return strings.Contains(plain(text), plain(part))
}

// unexpected is the refusal of an expectation that does not hold.
func unexpected(s step, ref, got string) error {
	if ref == "" {
		return toolkit.Refuse(codes.NotFound, fmt.Sprintf("%q is not on the page", s.Value.Value))
	}
	const most = 300
	if len(got) > most {
		got = strings.ToValidUTF8(got[:most], "") + "…"
	}
	return toolkit.Refuse(codes.NotFound, fmt.Sprintf("expected %q, but it is: %s", s.Value.Value, strings.TrimSpace(got)))
}

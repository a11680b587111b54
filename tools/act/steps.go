package act

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

const (
	// fieldWait is the time for which a described element is waited for.
	fieldWait = 3 * time.Second
	// stepLimit bounds one step of several.
	stepLimit = 30 * time.Second
	// maxPause is the longest pause of a step, in ms.
	maxPause = 30000
)

// step is one action of several.
//
// Query or Ref name its element; Value is a text, keys, a direction, an address or what to wait for.
type step struct {
	Action            actapi.ActStepsItemAction
	Ref, Query, Value string
	Moving            bool
}

// Act performs steps until one fails.
func (t *Tools) Act(ctx context.Context, call *toolkit.Call, in actapi.ActParams, powers actapi.ActPowers) (toolkit.Result, error) {
	steps, err := stepsOf(in)
	if err != nil {
		return toolkit.Result{}, err
	}
	session, tab, err := t.sessions.Set(call).Tab(ctx, in.TabID.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.Timeout.Set {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Duration(in.Timeout.Value)*time.Millisecond)
		defer stop()
	}
	var lines []string
	refs := successors{before: map[string]place{}, acted: map[string]bool{}}
	if slices.ContainsFunc(steps[1:], func(s step) bool { return s.Ref != "" }) {
		_ = tab.Do(ctx, func(ctx context.Context, p *page.Page) error { // the steps say what is wrong with the page
			refs.remember(ctx, p, steps)
			return nil
		})
	}
	for i, s := range steps {
		var text string
		if s.Action == actapi.ActStepsItemActionNavigate {
			text, err = navigate(ctx, powers.Navigation(), tab, s.Value)
		} else {
			text, err = refs.performAndReport(ctx, call, session, tab, s)
		}
		if err != nil {
			if in.Timeout.Set && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				err = toolkit.Refuse(toolkit.Timeout, fmt.Sprintf("all steps together may take %d ms", in.Timeout.Value))
			}
			return toolkit.Result{}, stepFailure(result.Refusal(call, err), lines, i+1, len(steps), s)
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
	}
	return toolkit.Text(strings.Join(lines, "\n") + result.Then(ctx, call, t.sessions, in.TabID, string(in.Then))), nil
}

// stepsOf returns the steps of a call, or every problem in them.
func stepsOf(in actapi.ActParams) ([]step, error) {
	var v toolkit.Violations
	steps := make([]step, len(in.Steps))
	for i, s := range in.Steps {
		steps[i] = step{Action: s.Action, Ref: s.Ref.Value, Query: s.Query.Value, Value: s.Value.Value, Moving: s.Moving.Value}
		for _, problem := range []string{missingPart(s), unusedPart(s), misplacedSecret(steps[i])} {
			if problem != "" {
				v = append(v, toolkit.Violation{Path: fmt.Sprintf("/steps/%d", i), Problem: problem})
			}
		}
	}
	if len(v) > 0 {
		return nil, v
	}
	return steps, nil
}

// misplacedSecret says that a step names a secret and types nothing.
func misplacedSecret(s step) string {
	typed := s.Action == actapi.ActStepsItemActionSet || s.Action == actapi.ActStepsItemActionType
	if secret.NamedIn(s.Query) || !typed && secret.NamedIn(s.Value) {
		return "a secret is typed by the value of a step that sets or types, and is nothing else"
	}
	return ""
}

// missingPart says what a step is missing.
func missingPart(s actapi.ActStepsItem) string {
	target := s.Ref.Set || s.Query.Set
	if s.Ref.Set && s.Query.Set {
		return `only one of "ref", "query" may be given`
	}
	switch s.Action {
	case actapi.ActStepsItemActionClick, actapi.ActStepsItemActionDoubleClick, actapi.ActStepsItemActionRightClick, actapi.ActStepsItemActionHover:
		if !target {
			return `exactly one of "ref", "query" is required`
		}
	case actapi.ActStepsItemActionSet:
		if !target || !s.Value.Set {
			return `"value" and one of "ref", "query" are required`
		}
	case actapi.ActStepsItemActionType, actapi.ActStepsItemActionKey, actapi.ActStepsItemActionNavigate, actapi.ActStepsItemActionWait:
		if !s.Value.Set {
			return `"value" is required`
		}
	case actapi.ActStepsItemActionFind:
		if !s.Query.Set {
			return `"query" is required`
		}
	case actapi.ActStepsItemActionExpect:
		if !target && s.Value.Value == "" {
			return `"value" or one of "ref", "query" is required`
		}
	case actapi.ActStepsItemActionScroll:
		if !target && !isDirection(s.Value.Value) {
			return `"value" up, down, left or right, or one of "ref", "query" is required`
		}
	}
	return ""
}

// unusedPart says what a step has that its action does not use.
func unusedPart(s actapi.ActStepsItem) string {
	switch s.Action {
	case actapi.ActStepsItemActionClick, actapi.ActStepsItemActionDoubleClick, actapi.ActStepsItemActionRightClick, actapi.ActStepsItemActionHover:
		if s.Value.Set {
			return `"value" is only for set, type, key, scroll, navigate, wait, read and expect`
		}
		return ""
	case actapi.ActStepsItemActionNavigate, actapi.ActStepsItemActionWait:
		if s.Ref.Set || s.Query.Set {
			return `"ref" and "query" are only for steps about an element`
		}
	case actapi.ActStepsItemActionFind:
		if s.Ref.Set || s.Value.Set {
			return `a step that finds takes "query" alone`
		}
	}
	if s.Moving.Set {
		return `"moving" is only for click, double_click, right_click and hover`
	}
	return ""
}

func isDirection(v string) bool { return v == "up" || v == "down" || v == "left" || v == "right" }

func navigate(ctx context.Context, p power.Navigation, tab *browser.Tab, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	nav, err := tab.Navigate(ctx, p, address, browser.NavigateOptions{})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("now at %s %q", nav.URL, nav.Title), nil
}

// performAndReport performs one step and describes its outcome.
func (f *successors) performAndReport(ctx context.Context, call *toolkit.Call, session *browser.Session, tab *browser.Tab, s step) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if looks(s) {
		return f.runCheck(ctx, call, tab, s)
	}
	out, err := result.Act(ctx, call, session, tab, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		return f.perform(ctx, p, s)
	})
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(out.Text(doneStep(s, out.Effect)), "\n", "\n   "), nil
}

func performStep(ctx context.Context, p *page.Page, s step) (settle.Effect, error) {
	return retryStale(s.Query != "", func() (settle.Effect, error) { return performStepOnce(ctx, p, s) })
}

func performStepOnce(ctx context.Context, p *page.Page, s step) (settle.Effect, error) {
	if s.Query != "" {
		var err error
		if s.Ref, err = findStepElement(ctx, p, s); err != nil {
			return settle.Effect{}, err
		}
	}
	target := input.Target{Ref: s.Ref, Moving: s.Moving}
	switch s.Action {
	case actapi.ActStepsItemActionDoubleClick:
		return p.Widget.Click(ctx, target, input.ClickOptions{Count: 2})
	case actapi.ActStepsItemActionRightClick:
		return p.Widget.Click(ctx, target, input.ClickOptions{Button: input.ButtonRight})
	case actapi.ActStepsItemActionHover:
		return p.Mouse.Hover(ctx, target)
	case actapi.ActStepsItemActionSet:
		return p.Widget.SetValue(ctx, s.Ref, s.Value)
	case actapi.ActStepsItemActionType, actapi.ActStepsItemActionKey:
		return keys(ctx, p, s)
	case actapi.ActStepsItemActionScroll:
		return scrollStep(ctx, p, s)
	case actapi.ActStepsItemActionWait:
		return waitStep(ctx, p, s.Value)
	}
	return p.Widget.Click(ctx, target, input.ClickOptions{})
}

// findStepElement finds the element that the description of a step means.
func findStepElement(ctx context.Context, p *page.Page, s step) (string, error) {
	if s.Action == actapi.ActStepsItemActionSet {
		return findField(ctx, p, s.Query, s.Value, fieldWait)
	}
	return name(ctx, p, s.Query, locate.WantAny, fieldWait)
}

// keys types or presses into the element that is named, or into whatever has the focus.
func keys(ctx context.Context, p *page.Page, s step) (settle.Effect, error) {
	if s.Ref != "" {
		if e, err := p.Keyboard.Focus(ctx, s.Ref); err != nil {
			return e, err
		}
	}
	if s.Action == actapi.ActStepsItemActionType {
		return p.Keyboard.Type(ctx, s.Value)
	}
	return p.Keyboard.Press(ctx, s.Value)
}

func scrollStep(ctx context.Context, p *page.Page, s step) (settle.Effect, error) {
	if !isDirection(s.Value) {
		return p.Mouse.ScrollIntoView(ctx, s.Ref)
	}
	dx, dy := scrollDistance(s.Value, 600)
	moved, err := p.Mouse.ScrollBy(ctx, s.Ref, dx, dy, false)
	return settle.Effect{Element: moved.Element, Changes: moved.Changes, Scrolled: moved.Report(dx != 0), Unscrolled: err == nil && !moved.Scrolled}, err
}

// waitStep waits for a time in ms, or for a text.
func waitStep(ctx context.Context, p *page.Page, value string) (settle.Effect, error) {
	o := settle.WaitOptions{Text: value}
	if ms, err := strconv.Atoi(value); err == nil {
		if ms < 0 || ms > maxPause {
			return settle.Effect{}, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("a step waits from 0 to %d ms", maxPause))
		}
		o = settle.WaitOptions{Duration: time.Duration(ms) * time.Millisecond}
	}
	_, err := p.Settle.WaitFor(ctx, o)
	return settle.Effect{}, err
}

// doneStep says a step in the past.
func doneStep(s step, effect settle.Effect) string {
	switch s.Action {
	case actapi.ActStepsItemActionSet:
		return "set"
	case actapi.ActStepsItemActionType:
		return "typed into"
	case actapi.ActStepsItemActionKey:
		return "pressed " + s.Value + " in"
	case actapi.ActStepsItemActionScroll:
		return scrolled(s.Value, effect)
	case actapi.ActStepsItemActionWait:
		return "waited for " + s.Value
	}
	return pastTense(string(s.Action))
}

// stepFailure names the failed step, the reason, and the steps before it.
func stepFailure(err error, lines []string, n, all int, s step) error {
	var r *toolkit.Refusal
	if !errors.As(err, &r) {
		return err
	}
	what := string(s.Action)
	for _, part := range []string{s.Ref, s.Query} {
		if part != "" {
			what += " " + part
		}
	}
	message := fmt.Sprintf("step %d of %d (%s) failed: %s", n, all, what, r.Message)
	if len(lines) > 0 {
		message += "\ndone before:\n" + strings.Join(lines, "\n")
	} else {
		message += "; nothing was done before it"
	}
	fields := append([]toolkit.Field{{Name: "step", Value: n}, {Name: "done", Value: n - 1}}, r.Fields...)
	return toolkit.Refuse(r.Code, message, fields...)
}

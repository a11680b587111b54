package page

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// SetValue sets the value of a field of any kind. Text is replaced by real input, so that the
// page's scripts see typing; the change event comes, as for a person, when the focus leaves. Lists
// take an option's value or label, one per line where several may be chosen. Checkboxes and
// switches take true or false. Dates, colours and ranges take their HTML formats. A slider that a
// script draws is moved to a number by keys. A JSON array is what the second of two lists with buttons
// between them shall hold.
//
// It fails with [NotEditableError], [ValueRefusedError] or [OptionNotFoundError], and as
// [Page.Click] where a checkbox has to be clicked.
func (p *Page) SetValue(ctx context.Context, ref, value string) (Effect, error) {
	var plan editPlan
	barrier := p.startBarrier(ctx)
	defer barrier.remove()
	// The action begins before the call, because the call itself sets a list.
	w, n, err := p.locateRef(ctx, ref)
	if err != nil {
		return Effect{}, fmt.Errorf("setting %s: %w", ref, err)
	}
	a, err := p.beginActionIn(ctx, w, 0, false)
	if err != nil {
		return Effect{}, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
	}
	filled, origin, err := p.fillFor(ctx, w, "fieldOrigin", map[string]any{"n": n}, value)
	if err != nil {
		return Effect{}, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
	}
	if _, err := p.evaluateRef(ctx, ref, "edit", map[string]any{"value": filled, "origin": origin}, &plan); err != nil {
		if refused, ok := errors.AsType[*ValueRefusedError](err); ok {
			refused.Value = value
		}
		return Effect{}, fmt.Errorf("setting %s: %w", ref, err)
	}
	a.element = plan.Element
	if set, ok := p.planSetter(plan, w); ok {
		if origin != "" {
			return Effect{}, secretInWidget(ref)
		}
		return set(ctx, ref, value)
	}
	if plan.Plan == "editor" || plan.Plan == "insert" && !plan.Unchanged {
		edit := textEdit{world: w, barrier: barrier, ref: ref, value: filled, origin: origin, selectAll: plan.Select}
		if err := p.replaceText(ctx, edit); err != nil {
			return Effect{Element: plan.Element}, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
		}
	}
	barrier.remove()
	a.commit = plan.Plan == "insert"
	effect, err := p.waitForEffect(ctx, a)
	if err == nil && plan.Plan == "editor" {
		err = p.checkDrawnText(ctx, w, ref, filled)
	}
	if wrong, ok := errors.AsType[*wrongTargetError](err); ok {
		err = fmt.Errorf("setting %s: %w", ref, focusMoved(ref, wrong))
	}
	if err == nil && a.commit {
		return p.commitDate(ctx, value, effect)
	}
	return effect, err
}

// planSetter returns how a plan is carried out that is more than inserting text.
func (p *Page) planSetter(plan editPlan, w *world) (set func(ctx context.Context, ref, value string) (Effect, error), ok bool) {
	with := func(set func(context.Context, string, string, editPlan) (Effect, error)) func(context.Context, string, string) (Effect, error) {
		return func(ctx context.Context, ref, value string) (Effect, error) { return set(ctx, ref, value, plan) }
	}
	switch plan.Plan {
	case "click":
		return func(ctx context.Context, ref, value string) (Effect, error) {
			return p.toggle(ctx, ref, value, plan.Element.Checked == "mixed")
		}, true
	case "options":
		return with(p.chooseOption), true
	case "combobox":
		return with(p.setCombobox), true
	case "picker":
		return p.pickDates, true
	case "cell":
		return func(ctx context.Context, ref, value string) (Effect, error) {
			return p.setCell(ctx, w, ref, value, plan)
		}, true
	case "drawn":
		return func(ctx context.Context, _, value string) (Effect, error) { return p.SetValue(ctx, plan.Ref, value) }, true
	case "transfer":
		return func(ctx context.Context, _, value string) (Effect, error) { return p.setTransfer(ctx, w, value, plan) }, true
	case "rating":
		return with(p.rate), true
	case "drawnSlider":
		return with(p.dragSlider), true
	case "slider":
		return with(p.moveSlider), true
	case "range":
		return with(p.setRange), true
	}
	return nil, false
}

// focusMoved returns the error for text that did not arrive at the field.
func focusMoved(ref string, wrong *wrongTargetError) error {
	reason := "the page took the focus from it, and the text arrived nowhere"
	if wrong.element != nil {
		reason = "the page moved the focus to " + describeBriefly(wrong.element)
	}
	return &NotEditableError{Ref: ref, Reason: reason}
}

// editPlan is the remaining work of setting a value.
type editPlan struct {
	Plan      string   `json:"plan"`
	Unchanged bool     `json:"unchanged"`
	Element   *Element `json:"element"`
	// Of a list drawn by script: its options are always shown, it accepts several, it is open.
	Inline   bool   `json:"inline"`
	Multiple bool   `json:"multiple"`
	Open     bool   `json:"open"`
	ReadOnly bool   `json:"readOnly"` // a combobox that takes no text
	Plain    bool   `json:"plain"`    // a combobox whose input is drawn as a text field
	Several  bool   `json:"-"`        // several values are to be chosen
	Field    string `json:"field"`    // the one field in a cell of a table
	// Select says that an editor has text to select.
	Select bool `json:"select"`
	// Of a slider drawn by script: its value and the wanted one.
	Current float64 `json:"current"`
	Target  float64 `json:"target"`
	// Of a range, or of a slider without a role: the value of each handle, and the ref where it has one.
	Values []float64 `json:"values"`
	Refs   []string  `json:"refs"`
	// Of a rating: the point to click, in the top viewport. Of a control that a script draws anew: the
	// ref of what it draws.
	Point Point  `json:"point"`
	Ref   string `json:"ref"`
}

func describeBriefly(e *Element) string { return fmt.Sprintf("%s %q [%s]", e.Role, e.Name, e.Ref) }

// optionsTimeout bounds the wait for the options of a list that was just opened.
const optionsTimeout = 2 * time.Second

// chooseOption chooses options of a list that a script draws: it opens the list, also between two
// options if it closes, and clicks the options that the value names. A missing option closes the
// list again.
func (p *Page) chooseOption(ctx context.Context, ref, value string, plan editPlan) (Effect, error) {
	var effect Effect
	for _, wanted := range comboboxValues(value, plan.Multiple) {
		err := error(nil)
		if !plan.Inline {
			effect, ref, err = p.openList(ctx, ref, wanted)
		}
		if err == nil {
			effect, err = p.clickOption(ctx, ref, wanted, effect)
		}
		if err != nil {
			if _, ok := errors.AsType[*OptionNotFoundError](err); ok && !plan.Inline {
				_, _ = p.Press(ctx, "Escape") // close the list again
			}
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
	}
	return p.withElement(ctx, effect, ref), nil
}

// openList clicks the control of a list unless the list is open. It returns the ref of the control,
// whose name may change.
func (p *Page) openList(ctx context.Context, ref, wanted string) (Effect, string, error) {
	state, err := p.comboboxState(ctx, ref, wanted)
	if err != nil || state.Open { // a click on an open list closes it
		return Effect{}, ref, err
	}
	effect, err := p.Click(ctx, Target{Ref: ref}, ClickOptions{})
	if err == nil && effect.Element != nil {
		ref = effect.Element.Ref
	}
	return effect, ref, err
}

// clickOption clicks the option of a value in an open list, or the options on the path that the
// value is ("Germany / Munich").
func (p *Page) clickOption(ctx context.Context, ref, value string, effect Effect) (Effect, error) {
	path := optionPath(value)
	limit := optionsTimeout
	if len(path) > 1 {
		limit = listedTimeout
	}
	found, err := p.findOption(ctx, ref, value, limit)
	if _, missing := errors.AsType[*OptionNotFoundError](err); missing && len(path) > 1 {
		return p.clickPath(ctx, ref, path)
	}
	if err == nil && !found.Chosen {
		effect, err = p.Click(ctx, Target{Ref: found.Option.Ref}, ClickOptions{})
	}
	return effect, err
}

// clickPath clicks the options of a path, each in the list that the one before opens.
func (p *Page) clickPath(ctx context.Context, ref string, path []string) (Effect, error) {
	var effect Effect
	for _, part := range path {
		found, err := p.findOption(ctx, ref, part, optionsTimeout)
		if err == nil {
			effect, err = p.Click(ctx, Target{Ref: found.Option.Ref}, ClickOptions{})
		}
		if err != nil {
			return effect, err
		}
	}
	return effect, nil
}

// optionPath splits the value of a cascade: "Germany / Munich".
func optionPath(value string) []string {
	parts := regexp.MustCompile(`\s+[/>›»→]\s+`).Split(strings.TrimSpace(value), -1)
	for _, part := range parts {
		if part == "" {
			return []string{value}
		}
	}
	return parts
}

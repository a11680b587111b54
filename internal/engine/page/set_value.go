package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// SetValue gives a field a value, whatever kind of field it is: text is
// replaced by real input, so that the page's own script sees what typing would
// show it (its change event comes, as for a person, when the focus leaves);
// lists take an option's value or label, one per line where several may be
// chosen; checkboxes and switches take true or false; dates, colours and
// ranges take their HTML formats; a slider that a script draws is moved by keys to a number.
//
// It fails with [NotEditableError], [ValueRefusedError] or [OptionNotFoundError],
// and as [Page.Click] where a checkbox has to be clicked.
func (p *Page) SetValue(ctx context.Context, ref, value string) (Effect, error) {
	var todo editPlan
	barrier := p.startBarrier(ctx)
	defer barrier.remove()
	// The mark is taken before: setting a list happens inside the call.
	w, _, err := p.locateRef(ctx, ref)
	if err != nil {
		return Effect{}, fmt.Errorf("setting %s: %w", ref, err)
	}
	a, err := p.beginActionIn(ctx, w, 0, false)
	if err != nil {
		return Effect{}, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
	}
	if _, err := p.evaluateRef(ctx, ref, "edit", map[string]any{"value": value}, &todo); err != nil {
		if refused, ok := errors.AsType[*ValueRefusedError](err); ok {
			refused.Value = value
		}
		return Effect{}, fmt.Errorf("setting %s: %w", ref, err)
	}
	a.element = todo.Element
	if todo.Plan == "insert" && !todo.Unchanged {
		err := p.waitForFrameFocus(ctx, w)
		if err == nil {
			err = p.checkInputDelivery(ctx)
		}
		if err == nil {
			err = barrier.waitReady(ctx, ref)
		}
		if err != nil {
			return Effect{Element: todo.Element}, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
		}
	}
	switch {
	case todo.Plan == "click":
		return p.Click(ctx, Target{Ref: ref}, ClickOptions{})
	case todo.Plan == "options":
		return p.chooseOption(ctx, ref, value, todo)
	case todo.Plan == "slider":
		return p.moveSlider(ctx, ref, value, todo)
	case todo.Plan == "insert" && !todo.Unchanged && value != "":
		err = p.insertText(ctx, value)
	case todo.Plan == "insert" && !todo.Unchanged:
		err = p.pressChord(ctx, chord{key: kb.Keys['\b']})
	}
	if err != nil {
		return Effect{Element: todo.Element}, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
	}
	barrier.remove()
	effect, err := p.waitForEffect(ctx, a)
	if missed, ok := errors.AsType[*wrongTargetError](err); ok {
		reason := "the page took the focus from it, and the text arrived nowhere"
		if missed.element != nil {
			reason = "the page moved the focus to " + describeBriefly(missed.element)
		}
		return effect, fmt.Errorf("setting %s: %w", ref, &NotEditableError{Ref: ref, Reason: reason})
	}
	return effect, err
}

// editPlan is what is left to do of setting a value.
type editPlan struct {
	Plan      string   `json:"plan"`
	Unchanged bool     `json:"unchanged"`
	Element   *Element `json:"element"`
	// Of a list drawn by script: its options are always shown, it takes several,
	// it is open.
	Inline   bool `json:"inline"`
	Multiple bool `json:"multiple"`
	Open     bool `json:"open"`
	// Of a slider drawn by script: its value, and the one that it is to have.
	Current float64 `json:"current"`
	Target  float64 `json:"target"`
}

func describeBriefly(e *Element) string { return fmt.Sprintf("%s %q [%s]", e.Role, e.Name, e.Ref) }

// optionsTimeout bounds the wait for the options of a list that was just opened.
const optionsTimeout = 2 * time.Second

// chooseOption chooses options of a list that a script draws, as a person does: it opens
// the list and clicks what the value names. One that is not there closes it again.
func (p *Page) chooseOption(ctx context.Context, ref, value string, plan editPlan) (Effect, error) {
	var effect Effect
	var err error
	if !plan.Inline && !plan.Open {
		if effect, err = p.Click(ctx, Target{Ref: ref}, ClickOptions{}); err != nil {
			return effect, err
		}
		// The click may have changed its name: the ref stays that of the same element.
		if effect.Element != nil {
			ref = effect.Element.Ref
		}
	}
	wanted := []string{value}
	if plan.Multiple {
		wanted = strings.Split(value, "\n")
	}
	for _, w := range wanted {
		var found struct {
			Option Element `json:"option"`
			Chosen bool    `json:"chosen"`
		}
		_, err = p.evaluateRef(ctx, ref, "findOption", map[string]any{"value": w, "limit": remaining(ctx, optionsTimeout)}, &found)
		if err == nil && !found.Chosen {
			effect, err = p.Click(ctx, Target{Ref: found.Option.Ref}, ClickOptions{})
		}
		if err != nil {
			if _, ok := errors.AsType[*OptionNotFoundError](err); ok && !plan.Inline {
				_, _ = p.Press(ctx, "Escape") // what was opened is closed again
			}
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
	}
	if info, err := p.Describe(ctx, ref); err == nil {
		effect.Element = &info.Element
	}
	return effect, nil
}

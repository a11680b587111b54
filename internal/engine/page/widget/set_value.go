package widget

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// Setter sets fields of one tab's document.
type Setter struct {
	doc      *document.Document
	settle   *settle.Waiter
	guard    *secret.Guard
	mouse    *input.Mouse
	keyboard *input.Keyboard
	form     *Form // of the field that is being set, or nil
}

// New makes the setter of a document.
func New(d *document.Document, w *settle.Waiter, g *secret.Guard, m *input.Mouse, k *input.Keyboard) *Setter {
	return &Setter{doc: d, settle: w, guard: g, mouse: m, keyboard: k}
}

// withElement makes the element that was set the one that the effect reports.
func (s *Setter) withElement(ctx context.Context, effect settle.Effect, ref string) settle.Effect {
	if info, err := s.doc.Describe(ctx, ref); err == nil {
		effect.Element, effect.Detached = &info.Element, false // an option that was chosen may have gone
	}
	return effect
}

// secretInWidget returns the error for a secret that is to be set in another way than by inserting text.
func secretInWidget(ref string) error {
	return &document.NotEditableError{Ref: ref, Reason: "a secret is typed into a field for text, and this is another; focus it and type"}
}

// SetValue sets the value of a field of any kind. Text is replaced by real input, so that the
// page's scripts see typing; the change event comes, as for a person, when the focus leaves. Lists
// and groups of radio buttons take an option's value or label, one per line where several may be chosen. Checkboxes and
// switches take true or false. Dates, colours and ranges take their HTML formats. A slider that a
// script draws is moved to a number by keys. A JSON array lists the items that the
// second of two lists with buttons between them shall hold.
//
// It fails with [document.NotEditableError], [document.ValueRefusedError], [document.OptionNotFoundError] or
// [document.NotAppliedError], and as [Setter.Click] where a checkbox has to be clicked.
func (s *Setter) SetValue(ctx context.Context, ref, value string) (settle.Effect, error) {
	return s.setValue(ctx, ref, value, false, false)
}

// setValue sets a value; with native, a list that a script draws anew is set without its drawn form. With last, the end
// of the form waits for the effect.
func (s *Setter) setValue(ctx context.Context, ref, value string, native, last bool) (settle.Effect, error) {
	var plan editPlan
	barrier := s.startBarrier(ctx)
	defer barrier.Remove()
	// The action begins before the call, because the call itself sets a list.
	w, n, err := s.doc.LocateRef(ctx, ref)
	if err != nil {
		return settle.Effect{}, fmt.Errorf("setting %s: %w", ref, err)
	}
	a, err := s.settle.BeginActionIn(ctx, w, 0, false)
	if err != nil {
		return settle.Effect{}, fmt.Errorf("setting %s: %w", ref, s.doc.Translate(ctx, ref, err))
	}
	filled, origin, err := s.guard.FillFor(ctx, w, "fieldOrigin", map[string]any{"n": n}, value)
	if err != nil {
		return settle.Effect{}, fmt.Errorf("setting %s: %w", ref, s.doc.Translate(ctx, ref, err))
	}
	if _, err := s.doc.EvaluateRef(ctx, ref, "edit", map[string]any{"value": filled, "origin": origin, "native": native}, &plan); err != nil {
		if refused, ok := errors.AsType[*document.ValueRefusedError](err); ok {
			refused.Value = value
		}
		return settle.Effect{}, fmt.Errorf("setting %s: %w", ref, err)
	}
	a.Element, a.Commit, a.InForm = plan.Element, plan.Plan == "insert", s.form != nil && plan.Plan != "editor"
	if set, ok := s.planSetter(plan, w); ok {
		if origin != "" {
			return settle.Effect{}, secretInWidget(ref)
		}
		return set(ctx, ref, value)
	}
	if plan.Plan == "code" || plan.Plan == "editor" || plan.Plan == "insert" && !plan.Unchanged {
		edit := input.TextEdit{World: w, Barrier: barrier, Ref: ref, Value: filled, Origin: origin, SelectAll: plan.Select}
		if err := s.enter(ctx, edit, plan); err != nil {
			return settle.Effect{Element: plan.Element}, fmt.Errorf("setting %s: %w", ref, s.doc.Translate(ctx, ref, err))
		}
	}
	barrier.Remove()
	if last && a.InForm && (!a.Commit || !typedDate().MatchString(value)) {
		s.form.last, s.form.secret = &a, origin != ""
		return settle.Effect{Element: plan.Element}, nil
	}
	effect, err := s.settle.WaitForApplied(ctx, a)
	if err == nil && plan.Plan == "editor" {
		err = s.checkDrawnText(ctx, w, ref, filled)
	}
	if err == nil && a.Commit {
		return s.commitDate(ctx, value, effect)
	}
	return effect, setError(ref, origin != "", err)
}

// codeSigns removes the signs between the groups of a code, which has no box for them.
var codeSigns = strings.NewReplacer(" ", "", "-", "", "\u00a0", "", "\t", "", "\n", "")

// enter types the text of a field, or that of each of its boxes.
func (s *Setter) enter(ctx context.Context, edit input.TextEdit, plan editPlan) error {
	if plan.Plan != "code" {
		return s.keyboard.ReplaceText(ctx, edit)
	}
	edit.Value = codeSigns.Replace(edit.Value)
	texts := plan.Texts
	if edit.Origin != "" {
		texts = strings.Split(edit.Value, "")
	}
	return s.keyboard.TypeBoxes(ctx, edit, plan.Refs, texts)
}

// setError returns the error of a set field; that of a field with a secret does not show the value.
func setError(ref string, secret bool, err error) error {
	if wrong, ok := errors.AsType[*settle.WrongTargetError](err); ok {
		err = focusMoved(ref, wrong)
	} else if n, ok := errors.AsType[*document.NotAppliedError](err); ok {
		n.Secret = n.Secret || secret
	} else {
		return err
	}
	return fmt.Errorf("setting %s: %w", ref, err)
}

// planSetter returns how a plan is carried out that is more than inserting text.
func (s *Setter) planSetter(plan editPlan, w *document.World) (set func(ctx context.Context, ref, value string) (settle.Effect, error), ok bool) {
	with := func(set func(context.Context, string, string, editPlan) (settle.Effect, error)) func(context.Context, string, string) (settle.Effect, error) {
		return func(ctx context.Context, ref, value string) (settle.Effect, error) { return set(ctx, ref, value, plan) }
	}
	switch plan.Plan {
	case "click":
		return func(ctx context.Context, ref, value string) (settle.Effect, error) {
			return s.toggle(ctx, ref, value, plan.Element.Checked == "mixed")
		}, true
	case "options":
		return with(s.chooseOption), true
	case "close":
		return func(ctx context.Context, ref, _ string) (settle.Effect, error) {
			effect, err := s.keyboard.Press(ctx, "Escape")
			return s.withElement(ctx, effect, ref), err
		}, true
	case "combobox":
		return with(s.setCombobox), true
	case "picker":
		return s.pickDates, true
	case "cell":
		return func(ctx context.Context, ref, value string) (settle.Effect, error) {
			return s.setCell(ctx, w, ref, value, plan)
		}, true
	case "drawn":
		return func(ctx context.Context, _, value string) (settle.Effect, error) {
			return s.SetValue(ctx, plan.Ref, value)
		}, true
	case "radio":
		return func(ctx context.Context, _, _ string) (settle.Effect, error) {
			return s.SetValue(ctx, plan.Ref, "true")
		}, true
	case "drawnSelect":
		return s.setDrawnSelect, true
	case "transfer":
		return func(ctx context.Context, _, value string) (settle.Effect, error) {
			return s.setTransfer(ctx, w, value, plan)
		}, true
	case "rating":
		return with(s.rate), true
	case "drawnSlider":
		return with(s.dragSlider), true
	case "slider":
		return with(s.moveSlider), true
	case "range":
		return with(s.setRange), true
	}
	return nil, false
}

// focusMoved returns the error for text that did not arrive at the field.
func focusMoved(ref string, wrong *settle.WrongTargetError) error {
	reason := "the page took the focus from it, and the text arrived nowhere"
	if wrong.Element != nil {
		reason = "the page moved the focus to " + describeBriefly(wrong.Element)
	}
	return &document.NotEditableError{Ref: ref, Reason: reason}
}

// editPlan is the remaining work of setting a value.
type editPlan struct {
	Plan      string            `json:"plan"`
	Unchanged bool              `json:"unchanged"`
	Element   *document.Element `json:"element"`
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
	Texts  []string  `json:"texts"`
	// Of a rating: the point to click, in the top viewport. Of a control that a script draws anew: the
	// ref of what it draws. Of a value in boxes, Refs are these, and Texts what is typed into each.
	Point document.Point `json:"point"`
	Ref   string         `json:"ref"`
}

func describeBriefly(e *document.Element) string {
	return fmt.Sprintf("%s %q [%s]", e.Role, e.Name, e.Ref)
}

// optionsTimeout bounds the wait for the options of a list that was just opened.
const optionsTimeout = 2 * time.Second

// chooseOption chooses options of a list that a script draws: it opens the list, also between two
// options if it closes, and clicks the options that the value names. A missing option closes the
// list again.
func (s *Setter) chooseOption(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	var effect settle.Effect
	for _, wanted := range comboboxValues(value, plan.Multiple) {
		err := error(nil)
		if !plan.Inline {
			effect, ref, err = s.openList(ctx, ref, wanted)
		}
		if err == nil {
			effect, err = s.clickOption(ctx, ref, wanted, effect)
		}
		if err != nil {
			if _, ok := errors.AsType[*document.OptionNotFoundError](err); ok && !plan.Inline {
				s.dismissList(ctx, ref)
			}
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
	}
	return s.withElement(ctx, s.closeList(ctx, ref, plan, effect), ref), nil
}

// openList clicks the control of a list unless the list is open. It returns the ref of the control,
// whose name may change.
func (s *Setter) openList(ctx context.Context, ref, wanted string) (settle.Effect, string, error) {
	state, err := s.comboboxState(ctx, ref, wanted)
	if err != nil || state.Open { // a click on an open list closes it
		return settle.Effect{}, ref, err
	}
	effect, err := s.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{})
	if err == nil && effect.Element != nil {
		ref = effect.Element.Ref
	}
	return effect, ref, err
}

// clickOption clicks the option of a value in an open list, or the options on the path that the
// value is ("Germany / Munich").
func (s *Setter) clickOption(ctx context.Context, ref, value string, effect settle.Effect) (settle.Effect, error) {
	path := optionPath(value)
	limit := optionsTimeout
	if len(path) > 1 {
		limit = listedTimeout
	}
	found, err := s.findOption(ctx, ref, value, limit)
	if _, missing := errors.AsType[*document.OptionNotFoundError](err); missing && len(path) > 1 {
		return s.clickPath(ctx, ref, path)
	}
	if err == nil && !found.Chosen {
		effect, err = s.pickOption(ctx, ref, value, found)
	}
	return effect, err
}

// maxRedraws bounds how often an option is clicked anew that the page has drawn anew, as a list of a search does.
const maxRedraws = 3

// pickOption clicks an option of an open list. It fails with a [document.NotAppliedError] where the control of
// the list does not show the option then.
func (s *Setter) pickOption(ctx context.Context, ref, value string, found foundOption) (settle.Effect, error) {
	effect, err := s.Click(ctx, input.Target{Ref: found.Option.Ref}, input.ClickOptions{})
	for range maxRedraws {
		if _, stale := errors.AsType[*document.StaleRefError](err); !stale {
			break
		}
		if again, missing := s.findOption(ctx, ref, value, optionsTimeout); missing == nil && !again.Chosen {
			found = again
			effect, err = s.Click(ctx, input.Target{Ref: found.Option.Ref}, input.ClickOptions{})
		}
	}
	if err != nil || effect.NewDocument || len(found.Before) == 0 {
		return effect, err
	}
	var now settle.FieldState
	argument := map[string]any{"before": found.Before, "limit": document.Remaining(ctx, toggleTimeout)}
	if _, err := s.doc.EvaluateRef(ctx, ref, "waitForChosen", argument, &now); err != nil {
		return effect, nil // the control left the page with its list
	}
	if !now.Held {
		return effect, &document.NotAppliedError{Ref: ref, Holds: now.Holds}
	}
	return effect, nil
}

// clickPath clicks the options of a path, each in the list that the one before opens.
func (s *Setter) clickPath(ctx context.Context, ref string, path []string) (settle.Effect, error) {
	var effect settle.Effect
	for _, part := range path {
		found, err := s.findOption(ctx, ref, part, optionsTimeout)
		if err == nil {
			effect, err = s.Click(ctx, input.Target{Ref: found.Option.Ref}, input.ClickOptions{})
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

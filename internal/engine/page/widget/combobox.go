package widget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// setCombobox sets a text input with a list of options, as custom selects have one: it opens the
// list, types the value unless the input is read-only, and clicks the option of that name. Without
// such an option the typed text stays where the input accepts it. A JSON array, or one value per
// line where several may be chosen, sets several.
func (s *Setter) setCombobox(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	var effect settle.Effect
	values := comboboxValues(value, plan.Multiple)
	plan.Several = len(values) > 1
	for _, wanted := range values {
		var err error
		if effect, err = s.chooseInCombobox(ctx, ref, wanted, plan); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
	}
	return s.withElement(ctx, s.closeList(ctx, ref, plan, effect), ref), nil
}

// closeList closes a list that stays open after a choice, as one of which several may be chosen does. A text field keeps
// the list of what was typed.
func (s *Setter) closeList(ctx context.Context, ref string, plan editPlan, effect settle.Effect) settle.Effect {
	state, err := s.comboboxState(ctx, ref, "")
	if err != nil || !state.Open || plan.Inline || plan.Plain && !plan.ReadOnly && !plan.Several && !plan.Multiple {
		return effect
	}
	s.dismissList(ctx, ref)
	effect.Focus = nil // it may have been in the list
	return effect
}

// dismissList closes the list of a control: by Escape where the control has the focus and no dialog around it would hear
// that too, else by a click on the control.
func (s *Setter) dismissList(ctx context.Context, ref string) {
	state, err := s.comboboxState(ctx, ref, "")
	if err == nil && state.Keyed {
		_, _ = s.keyboard.Press(ctx, "Escape")
		state, err = s.comboboxState(ctx, ref, "")
	}
	if err == nil && state.Open {
		_, _ = s.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{})
	}
}

// comboboxValues splits a value into those to choose.
func comboboxValues(value string, multiple bool) []string {
	var list []string
	if strings.HasPrefix(value, "[") && json.Unmarshal([]byte(value), &list) == nil {
		return list
	}
	if multiple {
		return strings.Split(value, "\n")
	}
	return []string{value}
}

// chooseInCombobox opens the list and clicks the option; where it is not in the list yet, the value
// is typed.
func (s *Setter) chooseInCombobox(ctx context.Context, ref, value string, plan editPlan) (settle.Effect, error) {
	state, err := s.comboboxState(ctx, ref, value)
	if err != nil {
		return settle.Effect{}, err
	}
	var effect settle.Effect
	if plan.Several && state.Shown {
		return effect, nil // chosen already; a second click would take it out again
	}
	if !state.Open { // a click on an open list closes it
		if effect, err = s.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{}); err != nil {
			return effect, err
		}
		ref = presentRef(ref, effect)
	}
	if value == "" && !plan.ReadOnly {
		return s.keyboard.Press(ctx, "Control+a Delete")
	}
	option, err := s.findOption(ctx, ref, value, listedTimeout)
	if path := optionPath(value); err != nil && len(path) > 1 {
		if effect, pathErr := s.clickPath(ctx, ref, path); pathErr == nil {
			return effect, nil
		}
	}
	if _, missing := errors.AsType[*document.OptionNotFoundError](err); missing && !plan.ReadOnly {
		if effect, err = s.typeOver(ctx, value); err != nil {
			return effect, err
		}
		ref = presentRef(ref, effect)
		option, err = s.findOption(ctx, ref, value, optionsTimeout)
	}
	if err == nil {
		if option.Chosen {
			s.dismissList(ctx, ref) // a second click on the option would take it out again
			return effect, nil
		}
		return s.pickOption(ctx, ref, value, option)
	}
	if _, missing := errors.AsType[*document.OptionNotFoundError](err); missing {
		if partial := partialOptions(err, value); len(partial) > 0 && !plan.ReadOnly && (plan.Plain || len(partial) == 1) {
			return s.acceptPartial(ctx, ref, effect, partial, plan)
		}
		if !plan.ReadOnly {
			return s.acceptTyped(ctx, ref, effect, value, err)
		}
		s.dismissList(ctx, ref)
	}
	return effect, err
}

// partialOptions returns the listed options that contain the value.
func partialOptions(missing error, value string) []string {
	list, ok := errors.AsType[*document.OptionNotFoundError](missing)
	if !ok || value == "" {
		return nil
	}
	var out []string
	for _, option := range list.Options {
		if strings.Contains(strings.ToLower(option), strings.ToLower(value)) {
			out = append(out, option)
		}
	}
	return out
}

// acceptPartial keeps typed text with its suggestions in a text field; in a select it chooses the
// only option that contains the text.
func (s *Setter) acceptPartial(ctx context.Context, ref string, effect settle.Effect, partial []string, plan editPlan) (settle.Effect, error) {
	if plan.Plain {
		effect.Changes = append(effect.Changes, fmt.Sprintf("typed, not chosen; its list has %q", partial[:min(len(partial), 8)]))
		return effect, nil
	}
	option, err := s.findOption(ctx, ref, partial[0], listedTimeout)
	if err != nil {
		return effect, err
	}
	return s.pickOption(ctx, ref, partial[0], option)
}

// presentRef returns the ref of the input after an action: a list that opens may change the name of
// its input, and with it the ref.
func presentRef(ref string, effect settle.Effect) string {
	if effect.Element != nil && effect.Element.Role == "combobox" && effect.Element.Ref != "" {
		return effect.Element.Ref
	}
	return ref
}

// typeOver replaces the text of the focused input.
func (s *Setter) typeOver(ctx context.Context, value string) (settle.Effect, error) {
	if effect, err := s.keyboard.Press(ctx, "Control+a"); err != nil {
		return effect, err
	}
	return s.keyboard.Type(ctx, value)
}

// acceptTyped keeps text that no option has: an input that accepts any text has it already, one
// that makes new entries takes it with Enter. Otherwise it returns missing, and the text is
// removed.
func (s *Setter) acceptTyped(ctx context.Context, ref string, effect settle.Effect, value string, missing error) (settle.Effect, error) {
	state, err := s.comboboxState(ctx, ref, value)
	if err != nil {
		return effect, err
	}
	if state.Open {
		if effect, err = s.keyboard.Press(ctx, "Enter"); err != nil {
			return effect, err
		}
		if state, err = s.comboboxState(ctx, ref, value); err != nil {
			return effect, err
		}
	}
	if !state.Open && (state.Value == value || state.Shown) {
		return effect, nil
	}
	_, _ = s.keyboard.Press(ctx, "Control+a Delete Escape") // leaves the field as it was: empty and closed
	return effect, missing
}

// comboboxState is the text in a combobox's input, whether the box around it shows the wanted
// value, and whether its list is open.
type comboboxState struct {
	Value string `json:"value"`
	Shown bool   `json:"shown"`
	Open  bool   `json:"open"`
	Keyed bool   `json:"keyed"` // Escape reaches it, and closes no dialog around it
}

func (s *Setter) comboboxState(ctx context.Context, ref, value string) (comboboxState, error) {
	var state comboboxState
	_, err := s.doc.EvaluateRef(ctx, ref, "comboboxValue", map[string]any{"value": value}, &state)
	return state, err
}

// listedTimeout bounds the wait for an option that may already be in the list without typing.
const listedTimeout = 300 * time.Millisecond

// foundOption is an option of an open list.
type foundOption struct {
	Option document.Element `json:"option"`
	Chosen bool             `json:"chosen"`
	Before json.RawMessage  `json:"before"` // what its control shows before the click, of an option that it shows
}

// findOption waits for the option that a value names, in the list that an element opens.
func (s *Setter) findOption(ctx context.Context, ref, value string, limit time.Duration) (foundOption, error) {
	var found foundOption
	_, err := s.doc.EvaluateRef(ctx, ref, "findOption", map[string]any{"value": value, "limit": document.Remaining(ctx, limit)}, &found)
	return found, err
}

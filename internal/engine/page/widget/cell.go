package widget

import (
	"context"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

const (
	// editorTimeout bounds the wait for the editor of a cell after each way to open one.
	editorTimeout = 400 * time.Millisecond
	// cellTimeout bounds the wait for a cell to show the entered value.
	cellTimeout = 1500 * time.Millisecond
)

// setCell sets a cell of a table: the one field in it, or the editor that a double click, Enter or
// F2 opens. Enter commits the value, and the cell must show it then.
func (s *Setter) setCell(ctx context.Context, w *document.World, ref, value string, plan editPlan) (settle.Effect, error) {
	if plan.Field != "" {
		return s.SetValue(ctx, plan.Field, value)
	}
	effect, editor, err := s.openCellEditor(ctx, w, ref)
	if err != nil {
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	if effect, err = s.SetValue(ctx, editor, value); err != nil {
		_, _ = s.keyboard.Press(ctx, "Escape") // leave the cell as it was
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	var shown struct {
		Shown   bool              `json:"shown"`
		Editing bool              `json:"editing"`
		Text    string            `json:"text"`
		Element *document.Element `json:"element"`
	}
	for _, key := range [...]string{"Enter", "Tab"} {
		if effect, err = s.keyboard.Press(ctx, key); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
		argument := map[string]any{"value": value, "limit": document.Remaining(ctx, cellTimeout)}
		if err = s.doc.EvaluateIn(ctx, w, "cellShows", argument, &shown); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, s.doc.Translate(ctx, ref, err))
		}
		if !shown.Editing {
			break
		}
	}
	effect.Element = shown.Element
	if !shown.Shown {
		reason := fmt.Sprintf("it was entered, and the cell shows %q", shown.Text)
		return effect, fmt.Errorf("setting %s: %w", ref, &document.ValueRefusedError{Ref: ref, Value: value, Reason: reason})
	}
	return effect, nil
}

// openCellEditor opens the editor of a cell and returns its ref.
func (s *Setter) openCellEditor(ctx context.Context, w *document.World, ref string) (settle.Effect, string, error) {
	ways := [...]func() (settle.Effect, error){
		func() (settle.Effect, error) {
			return s.Click(ctx, input.Target{Ref: ref}, input.ClickOptions{Count: 2})
		},
		func() (settle.Effect, error) { return s.keyboard.Press(ctx, "Enter") },
		func() (settle.Effect, error) { return s.keyboard.Press(ctx, "F2") },
	}
	var effect settle.Effect
	for _, open := range ways {
		var err error
		if effect, err = open(); err != nil {
			return effect, "", err
		}
		var editor struct {
			Ref string `json:"ref"`
		}
		argument := map[string]any{"limit": document.Remaining(ctx, editorTimeout)}
		if err := s.doc.EvaluateIn(ctx, w, "cellEditor", argument, &editor); err != nil {
			return effect, "", s.doc.Translate(ctx, ref, err)
		}
		if editor.Ref != "" {
			return effect, editor.Ref, nil
		}
	}
	return effect, "", &document.NotEditableError{Ref: ref, Reason: "no editor opens in the cell by a double click, Enter or F2"}
}

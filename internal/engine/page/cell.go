package page

import (
	"context"
	"fmt"
	"time"
)

const (
	// editorTimeout bounds the wait for the editor of a cell after each way to open one.
	editorTimeout = 400 * time.Millisecond
	// cellTimeout bounds the wait for a cell to show what was entered.
	cellTimeout = 1500 * time.Millisecond
)

// locateCell is locateRef for a derived ref: e47/3 is the third cell of row e47, e47/Qty its cell
// under that column, and e3/2/Qty or e3/Name 3/Qty is in the second row, or in that of this name, of
// table e3.
func (p *Page) locateCell(ctx context.Context, ref, base string, path []string) (*world, int, error) {
	w, n, err := p.locateRef(ctx, base)
	if err != nil {
		return nil, 0, err
	}
	var cell struct {
		N int `json:"n"`
	}
	if err := p.evaluateIn(ctx, w, "cellRef", map[string]any{"n": n, "path": path}, &cell); err != nil {
		return nil, 0, p.translate(ctx, ref, err)
	}
	return w, cell.N, nil
}

// setCell sets a cell of a table: the one field in it, or the editor that a double click, Enter or
// F2 opens. Enter commits the value, and the cell must show it then.
func (p *Page) setCell(ctx context.Context, w *world, ref, value string, plan editPlan) (Effect, error) {
	if plan.Field != "" {
		return p.SetValue(ctx, plan.Field, value)
	}
	effect, editor, err := p.openCellEditor(ctx, w, ref)
	if err != nil {
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	if effect, err = p.SetValue(ctx, editor, value); err != nil {
		_, _ = p.Press(ctx, "Escape") // leave the cell as it was
		return effect, fmt.Errorf("setting %s: %w", ref, err)
	}
	var shown struct {
		Shown   bool     `json:"shown"`
		Editing bool     `json:"editing"`
		Text    string   `json:"text"`
		Element *Element `json:"element"`
	}
	for _, key := range [...]string{"Enter", "Tab"} {
		if effect, err = p.Press(ctx, key); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, err)
		}
		argument := map[string]any{"value": value, "limit": remaining(ctx, cellTimeout)}
		if err = p.evaluateIn(ctx, w, "cellShows", argument, &shown); err != nil {
			return effect, fmt.Errorf("setting %s: %w", ref, p.translate(ctx, ref, err))
		}
		if !shown.Editing {
			break
		}
	}
	effect.Element = shown.Element
	if !shown.Shown {
		reason := fmt.Sprintf("it was entered, and the cell shows %q", shown.Text)
		return effect, fmt.Errorf("setting %s: %w", ref, &ValueRefusedError{Ref: ref, Value: value, Reason: reason})
	}
	return effect, nil
}

// openCellEditor opens the editor of a cell and returns its ref.
func (p *Page) openCellEditor(ctx context.Context, w *world, ref string) (Effect, string, error) {
	ways := [...]func() (Effect, error){
		func() (Effect, error) { return p.Click(ctx, Target{Ref: ref}, ClickOptions{Count: 2}) },
		func() (Effect, error) { return p.Press(ctx, "Enter") },
		func() (Effect, error) { return p.Press(ctx, "F2") },
	}
	var effect Effect
	for _, open := range ways {
		var err error
		if effect, err = open(); err != nil {
			return effect, "", err
		}
		var editor struct {
			Ref string `json:"ref"`
		}
		argument := map[string]any{"limit": remaining(ctx, editorTimeout)}
		if err := p.evaluateIn(ctx, w, "cellEditor", argument, &editor); err != nil {
			return effect, "", p.translate(ctx, ref, err)
		}
		if editor.Ref != "" {
			return effect, editor.Ref, nil
		}
	}
	return effect, "", &NotEditableError{Ref: ref, Reason: "no editor opens in the cell by a double click, Enter or F2"}
}

package settle

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// FormField is a field of a form that was set, with its value then.
type FormField struct {
	N       int    `json:"n"`
	Value   string `json:"value"`
	Checked string `json:"checked"`
}

// FieldState says whether a field of a form holds what was set, and what it holds. Element is nil where it left the
// page.
type FieldState struct {
	Held    bool              `json:"held"`
	Holds   string            `json:"holds"`
	Secret  bool              `json:"secret"`
	Limit   int               `json:"limit"`
	Element *document.Element `json:"element"`
}

// Err returns a [document.NotAppliedError] where the field does not hold what was set.
func (f FieldState) Err(changes []string) error {
	if f.Held {
		return nil
	}
	return &document.NotAppliedError{Ref: f.Element.Ref, Holds: f.Holds, Secret: f.Secret, Limit: f.Limit, Changes: changes}
}

// WaitForApplied is WaitForEffect for an action that sets a field or types. It fails with a
// [document.NotAppliedError] where the field then holds something else.
func (wt *Waiter) WaitForApplied(ctx context.Context, a Action) (Effect, error) {
	effect, err := wt.WaitForEffect(ctx, a)
	if err == nil {
		err = effect.Applied()
	}
	return effect, err
}

// Applied returns a [document.NotAppliedError] where the field of the action does not hold what the action set.
func (e *Effect) Applied() error {
	if e.notApplied == nil || e.NewDocument {
		return nil
	}
	return e.notApplied.Err(e.Changes)
}

package settle

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// notApplied is a field that does not hold what the action set.
type notApplied struct {
	Ref    string `json:"ref"`
	Holds  string `json:"holds"`
	Secret bool   `json:"secret"`
	Limit  int    `json:"limit"`
}

// WaitForApplied is WaitForEffect for an action that sets a field or types. It fails with a
// [document.NotAppliedError] where the field then holds something else.
func (wt *Waiter) WaitForApplied(ctx context.Context, a Action) (Effect, error) {
	effect, err := wt.WaitForEffect(ctx, a)
	if n := effect.notApplied; err == nil && n != nil && !effect.NewDocument {
		err = &document.NotAppliedError{Ref: n.Ref, Holds: n.Holds, Secret: n.Secret, Limit: n.Limit, Changes: effect.Changes}
	}
	return effect, err
}

package page

import (
	"context"
	"encoding/json"
	"fmt"
)

// Secrets is what nobody may write down of a page. It is for taking these texts out of what is kept, and for nothing
// else.
type Secrets struct {
	FieldValues   []string `json:"fieldValues"`   // what is in fields for passwords, codes and card numbers
	StorageValues []string `json:"storageValues"` // values of web storage
	FieldCount    int      `json:"fieldCount"`    // how many such fields there are, filled or not
	Focused       bool     `json:"focused"`       // one of them has the focus
}

// Secrets looks for it in every frame.
func (p *Page) Secrets(ctx context.Context) (out Secrets, err error) {
	err = p.evaluateAll(ctx, "pageSecrets", nil, func(_ *world, result json.RawMessage) error {
		var one Secrets
		if err := json.Unmarshal(result, &one); err != nil {
			return fmt.Errorf("read what is confidential: %w", err)
		}
		out.FieldValues, out.StorageValues = append(out.FieldValues, one.FieldValues...), append(out.StorageValues, one.StorageValues...)
		out.FieldCount += one.FieldCount
		out.Focused = out.Focused || one.Focused
		return nil
	})
	return out, err
}

package page

import (
	"context"
	"encoding/json"
	"fmt"
)

// Secrets are texts of a page that must not be stored. Callers use them only to remove them from
// what they store.
type Secrets struct {
	FieldValues   []string `json:"fieldValues"`   // values of fields for passwords, codes and card numbers
	StorageValues []string `json:"storageValues"` // values of web storage
	FieldCount    int      `json:"fieldCount"`    // number of such fields, filled or not
	Focused       bool     `json:"focused"`       // whether one of them has the focus
}

// Secrets reads the secrets of every frame.
func (p *Page) Secrets(ctx context.Context) (out Secrets, err error) {
	err = p.evaluateAll(ctx, "pageSecrets", nil, func(_ *world, result json.RawMessage) error {
		var one Secrets
		if err := json.Unmarshal(result, &one); err != nil {
			return fmt.Errorf("reading the secrets of the page: %w", err)
		}
		out.FieldValues = append(out.FieldValues, one.FieldValues...)
		out.StorageValues = append(out.StorageValues, one.StorageValues...)
		out.FieldCount += one.FieldCount
		out.Focused = out.Focused || one.Focused
		return nil
	})
	return out, err
}

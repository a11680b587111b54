package secret

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Found are texts of a page that must not be stored. Callers use them only to remove them from
// what they store.
type Found struct {
	FieldValues   []string `json:"fieldValues"`   // values of fields for passwords, codes and card numbers
	StorageValues []string `json:"storageValues"` // values of web storage
	FieldCount    int      `json:"fieldCount"`    // number of such fields, filled or not
	Focused       bool     `json:"focused"`       // whether one of them has the focus
}

// Find reads the secrets of every frame.
func (g *Guard) Find(ctx context.Context) (out Found, err error) {
	err = g.doc.EvaluateAll(ctx, "pageSecrets", nil, func(_ *document.World, result json.RawMessage) error {
		var one Found
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

package page

import (
	"context"
	"encoding/json"
	"fmt"
)

// Confidential is what nobody may write down of a page. It is for taking these texts out of what is kept, and for nothing
// else.
type Confidential struct {
	Typed  []string `json:"typed"`  // what is in fields for passwords, codes and card numbers
	Stored []string `json:"stored"` // values of web storage
	Fields int      `json:"fields"` // how many such fields there are, filled or not
	Focus  bool     `json:"focus"`  // one of them has the focus
}

// Confidential looks for it in every frame.
func (p *Page) Confidential(ctx context.Context) (out Confidential, err error) {
	err = p.everywhere(ctx, "confidential", nil, func(_ *world, result json.RawMessage) error {
		var one Confidential
		if err := json.Unmarshal(result, &one); err != nil {
			return fmt.Errorf("read what is confidential: %w", err)
		}
		out.Typed, out.Stored = append(out.Typed, one.Typed...), append(out.Stored, one.Stored...)
		out.Fields += one.Fields
		out.Focus = out.Focus || one.Focus
		return nil
	})
	return out, err
}

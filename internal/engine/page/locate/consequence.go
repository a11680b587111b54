package locate

import (
	"context"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Consequence is the request that a click on an element sends, as links and forms are written. Scripts may do
// something else.
type Consequence struct {
	Method string `json:"method"` // GET, POST or DIALOG; "" leads nowhere that is known
	URL    string `json:"url"`    // absolute
	// Submits reports that a click submits the form. It is false for a field, of which Enter may.
	Submits bool `json:"submits"`
	// Missing are the fields that the form asks for and that are empty, at most ten.
	Missing []document.Element `json:"missing"`
}

// Consequence returns where a click on a ref's element leads; with ref "", where Enter in the element
// with the focus does.
func (l *Locator) Consequence(ctx context.Context, ref string) (Consequence, error) {
	var out Consequence
	var err error
	if ref == "" {
		err = l.doc.Translate(ctx, "", l.doc.EvaluateWithRetry(ctx, "consequence", map[string]any{}, &out))
	} else {
		_, err = l.doc.EvaluateRef(ctx, ref, "consequence", nil, &out)
	}
	if err != nil {
		return out, fmt.Errorf("looking where it leads: %w", err)
	}
	return out, nil
}

package locate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// QueryOptions is an exact selection; exactly one of CSS and XPath is set.
type QueryOptions struct {
	CSS   string
	XPath string
	// All returns up to Limit elements (0: 50), else the first one.
	All   bool
	Limit int
	// PierceShadow also tries a CSS selector inside every open shadow tree and
	// readable frame; it does not match across their boundaries.
	PierceShadow bool
}

// Query selects elements and issues refs; total counts all matches. Without matches total is 0. A
// selector that does not parse, or cannot select elements, is a [document.BadSelectorError].
func (l *Locator) Query(ctx context.Context, o QueryOptions) (found []document.ElementInfo, total int, err error) {
	selector := o.CSS + o.XPath
	if (o.CSS == "") == (o.XPath == "") {
		return nil, 0, &document.BadSelectorError{Selector: selector, Reason: "give either a CSS selector or an XPath expression"}
	}
	if o.Limit <= 0 {
		o.Limit = 50
	}
	argument := map[string]any{"all": o.All, "limit": o.Limit, "pierce": o.PierceShadow}
	if o.CSS != "" {
		argument["css"] = o.CSS
	} else {
		argument["xpath"] = o.XPath
	}
	most := 1
	if o.All {
		most = o.Limit
	}
	err = l.doc.EvaluateAll(ctx, "query", argument, func(w *document.World, result json.RawMessage) error {
		if w.Parent == nil {
			found, total = nil, 0
		}
		var here struct {
			Total    int                    `json:"total"`
			Elements []document.ElementInfo `json:"elements"`
		}
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the elements: %w", err)
		}
		if !l.shiftBoxes(ctx, w, here.Elements) {
			return nil
		}
		found, total = append(found, here.Elements...), total+here.Total
		found = found[:min(len(found), most)]
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("querying: %w", document.NameSelector(l.doc.Translate(ctx, "", err), selector))
	}
	return found, total, nil
}

// shiftBoxes moves the boxes of elements of a frame to the top viewport. It returns false when the
// frame left the page.
func (l *Locator) shiftBoxes(ctx context.Context, w *document.World, elements []document.ElementInfo) bool {
	if w.Parent == nil || len(elements) == 0 {
		return true
	}
	to, err := l.doc.FrameTransform(ctx, w)
	for i := range elements {
		elements[i].Box = elements[i].Box.In(to)
	}
	return err == nil
}

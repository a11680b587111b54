package page

import (
	"context"
	"errors"
	"fmt"
)

// QueryOptions is an exact selection; exactly one of CSS and XPath is set.
type QueryOptions struct {
	CSS   string
	XPath string
	// All answers with up to Limit elements (0: 50), else with the first one.
	All   bool
	Limit int
	// PierceShadow also tries a CSS selector inside every open shadow tree and
	// readable frame; it does not match across their boundaries.
	PierceShadow bool
}

// Query selects elements and gives them refs; total counts all that matched.
// Nothing found is total 0. A selector that does not parse, or selects no
// elements by its nature, is a [BadSelectorError].
func (p *Page) Query(ctx context.Context, o QueryOptions) (found []ElementInfo, total int, err error) {
	selector := o.CSS + o.XPath
	if (o.CSS == "") == (o.XPath == "") {
		return nil, 0, &BadSelectorError{Selector: selector, Reason: "give either a CSS selector or an XPath expression"}
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
	var out struct {
		Total    int           `json:"total"`
		Elements []ElementInfo `json:"elements"`
	}
	if err := p.askAgain(ctx, "query", argument, &out); err != nil {
		return nil, 0, fmt.Errorf("querying: %w", nameSelector(p.refuse(ctx, "", err), selector))
	}
	return out.Elements, out.Total, nil
}

// nameSelector adds to a BadSelectorError the selector, which the engine does
// not repeat.
func nameSelector(err error, selector string) error {
	if bad, ok := errors.AsType[*BadSelectorError](err); ok {
		bad.Selector = selector
	}
	return err
}

package page

import (
	"context"
	"fmt"
	"strings"
)

// InputTarget is the element that input of a person reaches. It is named without a ref, and refs of the
// agent stay as a reading left them.
type InputTarget struct {
	// Key is the same for one element as long as its document lives; "" where there is no element.
	Key  string `json:"key"`
	Role string `json:"role"`
	Name string `json:"name"`
	// Value is the value of a field; "" for a secret one.
	Value    string `json:"value"`
	Editable bool   `json:"editable"`
	// Secret says that it is, or once was, a field for passwords, codes or card numbers.
	Secret   bool `json:"secret"`
	FrameKey int  `json:"frameKey"`
}

// String names the element: button "Save".
func (t InputTarget) String() string {
	switch {
	case t.Role == "":
		return "the page"
	case t.Name == "":
		return t.Role
	}
	return strings.TrimSpace(fmt.Sprintf("%s %q", t.Role, t.Name))
}

// InputTargetAt returns the element at a point of the top viewport, in any document.
func (p *Page) InputTargetAt(ctx context.Context, at Point) (InputTarget, error) {
	return p.inputTarget(ctx, "inputTargetAt", &at)
}

// InputTargetAtFocus returns the element that receives keys.
func (p *Page) InputTargetAtFocus(ctx context.Context) (InputTarget, error) {
	return p.inputTarget(ctx, "inputTargetFocus", nil)
}

func (p *Page) inputTarget(ctx context.Context, operation string, at *Point) (out InputTarget, err error) {
	var argument any = map[string]any{}
	if at != nil {
		argument = *at
	}
	if err := p.evaluateWithRetry(ctx, operation, argument, &out); err != nil {
		return out, p.translate(ctx, "", err)
	}
	w := p.current()
	for key := out.FrameKey; key != 0; {
		found := p.frames.enter(ctx, w, []int{key})
		if len(found) == 0 {
			return out, nil // the frame element itself
		}
		if at != nil {
			var origin Point
			if err := p.evaluateIn(ctx, w, "frameOrigin", map[string]any{"frameKey": key}, &origin); err != nil {
				return out, nil
			}
			local := Point{at.X - origin.X, at.Y - origin.Y}
			at, argument = &local, local
		}
		var inner InputTarget
		if err := p.evaluateIn(ctx, found[0], operation, argument, &inner); err != nil {
			return out, nil // the frame left the page
		}
		out, w, key = inner, found[0], inner.FrameKey
	}
	return out, nil
}

// ElementAtPoint issues a ref to the element at a point of the top viewport, in any document. It returns false
// where there is no element.
func (p *Page) ElementAtPoint(ctx context.Context, at Point) (ElementInfo, bool, error) {
	found, err := p.elementAtPoint(ctx, &at)
	if err != nil || found.Element == nil || found.Element.Ref == "" {
		return ElementInfo{}, false, err
	}
	info, err := p.Describe(ctx, found.Element.Ref)
	return info, err == nil, err
}

package input

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// PersonTarget is the element that input of a person reaches. It is named without a ref, and refs of the
// agent stay as a reading left them.
type PersonTarget struct {
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
func (t PersonTarget) String() string {
	switch {
	case t.Role == "":
		return "the page"
	case t.Name == "":
		return t.Role
	}
	return strings.TrimSpace(fmt.Sprintf("%s %q", t.Role, t.Name))
}

// TargetAt returns the element at a point of the top viewport, in any document.
func (fw *Forwarder) TargetAt(ctx context.Context, at document.Point) (PersonTarget, error) {
	return fw.target(ctx, "inputTargetAt", &at)
}

// TargetAtFocus returns the element that receives keys.
func (fw *Forwarder) TargetAtFocus(ctx context.Context) (PersonTarget, error) {
	return fw.target(ctx, "inputTargetFocus", nil)
}

func (fw *Forwarder) target(ctx context.Context, operation string, at *document.Point) (out PersonTarget, err error) {
	var argument any = map[string]any{}
	if at != nil {
		argument = *at
	}
	if err := fw.doc.EvaluateWithRetry(ctx, operation, argument, &out); err != nil {
		return out, fw.doc.Translate(ctx, "", err)
	}
	w := fw.doc.Current()
	for key := out.FrameKey; key != 0; {
		found := fw.doc.Frames.Enter(ctx, w, []int{key})
		if len(found) == 0 {
			return out, nil // the frame element itself
		}
		if at != nil {
			local, err := fw.doc.IntoFrame(ctx, w, key, *at)
			if err != nil {
				return out, nil
			}
			at, argument = &local, local
		}
		var inner PersonTarget
		if err := fw.doc.EvaluateIn(ctx, found[0], operation, argument, &inner); err != nil {
			return out, nil // the frame left the page
		}
		out, w, key = inner, found[0], inner.FrameKey
	}
	return out, nil
}

// ElementAtPoint issues a ref to the element at a point of the top viewport, in any document. It returns false
// where there is no element.
func (m *Mouse) ElementAtPoint(ctx context.Context, at document.Point) (document.ElementInfo, bool, error) {
	found, err := m.elementAtPoint(ctx, &at, false)
	if err != nil || found.Element == nil || found.Element.Ref == "" {
		return document.ElementInfo{}, false, err
	}
	info, err := m.doc.Describe(ctx, found.Element.Ref)
	return info, err == nil, err
}

package styles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// inactive are the declarations for the element that do not apply, because a condition around them does
// not hold.
func (r *reader) inactive(ctx context.Context, wanted func(property string) bool) []Declaration {
	candidates, more := r.conditionals(ctx, wanted)
	if more {
		r.truncated = true
	}
	if len(candidates) == 0 {
		return nil
	}
	type rule struct {
		Selectors  []string `json:"selectors"`
		Conditions []string `json:"conditions"`
	}
	rules := slicesx.List(candidates, func(c candidate) rule { return rule{c.selectors, c.conditions} })
	var answers []struct {
		Matches bool `json:"matches"`
		Failing int  `json:"failing"`
	}
	if r.ask(ctx, map[string]any{"ask": "rules", "rules": rules}, &answers) != nil || len(answers) != len(rules) {
		return nil
	}
	var out []Declaration
	for i, a := range answers {
		c := candidates[i]
		if !a.Matches {
			continue
		}
		reason := r.conditionReason(ctx, c.conditional, a.Failing)
		if reason == "" {
			continue
		}
		value, important := strings.CutSuffix(c.value, "!important")
		out = append(out, Declaration{
			Property: clip(c.property), Value: clip(strings.TrimSpace(value)), Important: important,
			Selector: clip(strings.Join(c.selectors, " { ")), Conditions: clipAll(c.conditions), Place: r.sheets.sourcePlace(ctx, c.sheet, c.at),
			Reason: reason,
		})
	}
	return out
}

// conditionReason names the condition that does not hold. A rule whose @media and @supports hold and
// that the browser still does not apply is in a @container that does not.
func (r *reader) conditionReason(ctx context.Context, c conditional, failing int) string {
	if failing >= 0 && failing < len(c.conditions) {
		condition := clip(c.conditions[failing])
		if strings.HasPrefix(condition, "@media") {
			if r.viewport == "" {
				var size struct{ Width, Height int }
				if r.ask(ctx, map[string]any{"ask": "viewport"}, &size) == nil {
					r.viewport = fmt.Sprintf("; the viewport is %d×%d", size.Width, size.Height)
				}
			}
			return "it does not apply: " + condition + " is false" + r.viewport
		}
		return "it does not apply: " + condition + " is false"
	}
	for _, condition := range slices.Backward(c.conditions) {
		if strings.HasPrefix(condition, "@container") {
			return "it does not apply: " + clip(condition) + " is false, or no ancestor is such a container"
		}
	}
	return ""
}

// candidate is a conditional declaration with its style sheet.
type candidate struct {
	conditional
	sheet *css.StyleSheetHeader
}

// conditionals lists the declarations in conditional rules of the page's style sheets that the browser
// did not report as matching. more says that there were too many.
func (r *reader) conditionals(ctx context.Context, wanted func(string) bool) (out []candidate, more bool) {
	bytes, read := 0, 0
	for _, id := range r.sheets.order {
		h := r.sheets.headers[id]
		if !isAuthors(h) {
			continue
		}
		if bytes += int(h.Length); bytes > maxSheetBytes || read == maxSheets || ctx.Err() != nil {
			return out, true
		}
		read++
		text, condition := r.sheets.text(ctx, id), r.sheetCondition(ctx, h)
		if condition == "" && !strings.Contains(text, "@media") && !strings.Contains(text, "@container") && !strings.Contains(text, "@supports") {
			continue
		}
		var found []candidate
		scanConditional(text, condition, func(c conditional) bool {
			if wanted(strings.ToLower(c.property)) && !r.matched[position{id, c.at}] {
				found = append(found, candidate{c, h})
			}
			return len(out)+len(found) < maxCandidates
		})
		if len(found) > 0 && r.concerns(ctx, h) {
			out = append(out, found...)
		}
		if len(out) >= maxCandidates {
			return out, true
		}
	}
	return out, false
}

// sheetCondition returns the media attribute of the element that has a style sheet, as a condition.
func (r *reader) sheetCondition(ctx context.Context, h *css.StyleSheetHeader) string {
	if h.OwnerNode == 0 {
		return ""
	}
	res, err := cdp.Call(ctx, r.session, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: h.OwnerNode})
	if err != nil {
		return ""
	}
	for i := 0; i+1 < len(res.Node.Attributes); i += 2 {
		if media := strings.TrimSpace(res.Node.Attributes[i+1]); res.Node.Attributes[i] == "media" && media != "" && media != "all" {
			return "@media " + media
		}
	}
	return ""
}

// concerns reports whether a style sheet applies to the tree of the element. A sheet without an owner,
// such as a constructed one, does if one of its rules matches.
func (r *reader) concerns(ctx context.Context, h *css.StyleSheetHeader) bool {
	for m := range r.matched {
		if m.sheet == h.StyleSheetID {
			return true
		}
	}
	return h.OwnerNode != 0 && r.node.SharesTree(ctx, h.OwnerNode)
}

package styles

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/node"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

//go:embed probe.js
var probe string

// reader answers one question about one element.
type reader struct {
	session  cdp.Session // with DOM and CSS enabled
	node     node.Node
	pseudo   string
	sheets   *sheets
	levels   []level
	matched  map[position]bool // declarations of rules that match the element
	longhand map[string][]string
	scopes   map[string]int // distance of the root by prelude of @scope
	viewport string

	truncated bool // not every style sheet was searched
}

// position is where a declaration stands in the text of a style sheet.
type position struct {
	sheet cdp.StyleSheetID
	at    wireRange
}

// Explain answers a question about the element of a ref. It runs under the tab's lock. The errors are
// those of the ref, and an invalid property.
func Explain(ctx context.Context, tab *browser.Tab, p *page.Page, ref string, q Question) (out Explanation, err error) {
	err = p.Nodes.With(ctx, ref, func(n node.Node) error {
		collector := sheetCollector{headers: make(map[cdp.StyleSheetID]*css.StyleSheetHeader)}
		return tab.Inspect(ctx, n.Target, collector.observe, func(ctx context.Context, s cdp.Session) error {
			r := reader{
				session: s, node: n, pseudo: q.Pseudo, matched: make(map[position]bool),
				longhand: make(map[string][]string), scopes: make(map[string]int),
			}
			if err := r.read(ctx, &collector); err != nil {
				return err
			}
			if len(q.Properties) == 0 {
				out = r.overview(ctx)
			} else {
				out, err = r.explain(ctx, q.Properties)
			}
			return err
		})
	})
	return out, err
}

// maxWork bounds the rules that the browser reads to list those of an element: about five seconds, in
// which the page stands still.
const maxWork = 10_000_000

// checkWork refuses an element for which the browser would read more rules than maxWork.
func (r *reader) checkWork(ctx context.Context) error {
	var weight struct{ Matching, Cost int }
	if err := r.ask(ctx, map[string]any{"ask": "weigh", "limit": maxWork}, &weight); err != nil {
		return err
	}
	if weight.Cost <= maxWork {
		return nil
	}
	return fault.New(codes.Failed, fmt.Sprintf("read the rules of the element: more than %d match, in style sheets so long that "+
		"the browser would stand still for many seconds; read single values with getComputedStyle", weight.Matching))
}

// read asks the browser for the rules of the element.
func (r *reader) read(ctx context.Context, collector *sheetCollector) error {
	if err := r.checkWork(ctx); err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, r.session, dom.Enable, dom.EnableParams{}); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	depth := int64(0)
	if _, err := cdp.Call(ctx, r.session, dom.GetDocument, dom.GetDocumentParams{Depth: &depth}); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	if _, err := cdp.Call(ctx, r.session, css.Enable, cdp.Empty{}); err != nil {
		return fmt.Errorf("read the style sheets: %w", err)
	}
	pushed, err := cdp.Call(ctx, r.session, dom.PushNodesByBackendIDsToFrontend, dom.PushNodesByBackendIDsToFrontendParams{
		BackendNodeIDs: []cdp.BackendNodeID{r.node.Backend},
	})
	if err != nil || len(pushed.NodeIDs) == 0 {
		return fmt.Errorf("find the element: %w", err)
	}
	params := css.GetMatchedStylesForNodeParams{NodeID: pushed.NodeIDs[0]}
	var matched wireMatched
	if err := r.session.Call(ctx, css.CommandGetMatchedStylesForNode, params, &matched); err != nil {
		return fmt.Errorf("read the rules of the element: %w", err)
	}
	var animated wireAnimated // without it, animations are not named
	_ = r.session.Call(ctx, css.CommandGetAnimatedStylesForNode, params, &animated)
	r.sheets = collector.sheets(r.session)
	r.levels = levels(matched, animated, r.pseudo, r.node.Tree)
	return r.prepare(ctx)
}

// prepare asks the element for what the rules alone do not say: what shorthands expand to, and how far
// the roots of scopes are.
func (r *reader) prepare(ctx context.Context) error {
	var names, scopes []string
	for _, l := range r.levels {
		for _, d := range l.declarations {
			if _, known := r.longhand[d.property]; !known && !strings.HasPrefix(d.property, "--") {
				r.longhand[d.property] = nil
				names = append(names, d.property)
			}
			if d.at != nil && l.up == 0 {
				r.matched[position{d.sheet, *d.at}] = true
			}
			if _, known := r.scopes[scopeOf(d)]; !known && scopeOf(d) != "" && l.up == 0 {
				r.scopes[scopeOf(d)] = unscoped
				scopes = append(scopes, scopeOf(d))
			}
		}
	}
	expanded := map[string][]string{}
	if err := r.ask(ctx, map[string]any{"ask": "longhands", "names": names}, &expanded); err != nil {
		return err
	}
	for name, longhands := range expanded {
		r.longhand[name] = longhands
	}
	if len(scopes) == 0 {
		return nil
	}
	var hops []int
	if err := r.ask(ctx, map[string]any{"ask": "hops", "scopes": scopes}, &hops); err != nil {
		return err
	}
	for i, n := range hops {
		if n >= 0 && i < len(scopes) {
			r.scopes[scopes[i]] = n
		}
	}
	return nil
}

func scopeOf(d declaration) string {
	if len(d.scopes) == 0 {
		return ""
	}
	return d.scopes[0]
}

// hops returns the distance from the element up to the root of a declaration's @scope; unscoped without one.
func (r *reader) hops(d declaration) int {
	if n, ok := r.scopes[scopeOf(d)]; ok {
		return n
	}
	return unscoped
}

// ask asks the element in the isolated world.
func (r *reader) ask(ctx context.Context, question map[string]any, out any) error {
	if r.pseudo != "" {
		question["pseudo"] = r.pseudo
	}
	_, function, _ := strings.Cut(probe, "\n") // without the comment above it
	return r.node.Evaluate(ctx, function+"\n//# sourceURL=callsheet:styles\n", question, out)
}

func clip(s string) string { return text.ClipBytes(s, maxValueBytes) }

func clipAll(list []string) []string {
	return slicesx.Map(list, clip)
}

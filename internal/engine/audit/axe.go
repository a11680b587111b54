package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/node"
)

// axeRule is a rule of axe with the nodes that it concerns.
type axeRule struct {
	ID, Impact, Help, HelpURL string
	Tags                      []string
	Total                     int
	Nodes                     []axeNode
}

// axeNode is one node. Target has a selector for each frame on the way, and then the node's: a text,
// or a list of texts through shadow roots.
type axeNode struct {
	Target []json.RawMessage
	HTML   string
	Why    string
}

type axeResult struct {
	Version                string
	Violations, Incomplete []axeRule
	Passes, Inapplicable   []string
}

// axeRun is a run of axe over a document and the frames in it.
type axeRun struct {
	page      *page.Page
	documents map[cdp.FrameID]node.FrameDocument // those that have a world of their own
	root      *frame
	options   any
	frames    map[cdp.FrameID]*frame
	texts     []string // results of the frames, in the order that axe wants; "" is none
	skipped   int
	byPath    map[string]*frame // frames by the selectors that lead to them
}

// run runs axe in all documents and joins the results. element is the handle of the element to which
// it is limited, or "".
func (r *axeRun) run(ctx context.Context, element runtime.RemoteObjectID) (axeResult, error) {
	r.frames = map[cdp.FrameID]*frame{r.root.document.Frame: r.root}
	r.byPath = map[string]*frame{"": r.root}
	if err := r.root.loadAxe(ctx); err != nil {
		return axeResult{}, err
	}
	if _, err := r.root.call(ctx, "run", true, r.options, element, nil, true); err != nil {
		return axeResult{}, err
	}
	if err := r.enterFrames(ctx, r.root, element, nil); err != nil {
		return axeResult{}, err
	}
	var out axeResult
	err := r.root.decode(ctx, &out, "finish", r.options, map[string]any{"texts": append([]string{}, r.texts...)})
	return out, err
}

// enterFrames runs axe in the frames below f, depth first, as axe joins them.
func (r *axeRun) enterFrames(ctx context.Context, f *frame, element runtime.RemoteObjectID, of json.RawMessage) error {
	var inside []struct{ Selector, Context json.RawMessage }
	if err := f.decode(ctx, &inside, "frames", r.options, element, of); err != nil {
		return err
	}
	for _, in := range inside {
		text := ""
		child, err := r.child(ctx, f, in.Selector)
		if err == nil {
			text, err = r.runIn(ctx, child, in.Context)
		}
		r.texts = append(r.texts, text)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("run axe-core in a frame: %w", context.Cause(ctx))
		case err != nil:
			r.skipped++
			continue
		}
		if err := r.enterFrames(ctx, child, "", in.Context); err != nil {
			return err
		}
	}
	return nil
}

// frameTimeout bounds axe in one frame: a frame of another process can hang without the page.
const frameTimeout = 20 * time.Second

func (r *axeRun) runIn(ctx context.Context, f *frame, of json.RawMessage) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, frameTimeout)
	defer cancel()
	if err := f.loadAxe(ctx); err != nil {
		return "", err
	}
	return f.text(ctx, "run", r.options, nil, of, false)
}

// child returns the world of the frame that an element of f shows.
func (r *axeRun) child(ctx context.Context, f *frame, selector json.RawMessage) (*frame, error) {
	element, err := f.call(ctx, "frameElement", false, selector)
	if err != nil {
		return nil, err
	}
	if element.ObjectID == "" {
		return nil, errNoDocument
	}
	node, err := cdp.Call(ctx, f.document.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: element.ObjectID})
	if err != nil {
		return nil, fmt.Errorf("find a frame: %w", err)
	}
	id := node.Node.FrameID
	if id == "" {
		return nil, errNoDocument
	}
	if known := r.frames[id]; known != nil {
		return known, nil
	}
	document, ok := r.documents[id]
	if !ok {
		document = f.document.In(id)
	}
	child, err := enter(ctx, document)
	if err == nil {
		r.frames[id] = child
	}
	return child, err
}

// release releases the handles in all documents.
func (r *axeRun) release(ctx context.Context) {
	for _, f := range r.frames {
		f.release(ctx)
	}
}

// frameOf returns the world of the document that shows a node.
func (r *axeRun) frameOf(ctx context.Context, target []json.RawMessage) *frame {
	if len(target) == 0 {
		return nil
	}
	way := target[:len(target)-1]
	key := pathKey(way)
	if f, ok := r.byPath[key]; ok {
		return f
	}
	parent := r.frameOf(ctx, way)
	var found *frame
	if parent != nil {
		found, _ = r.child(ctx, parent, way[len(way)-1])
	}
	r.byPath[key] = found
	return found
}

func pathKey(way []json.RawMessage) string {
	parts := slicesx.List(way, func(s json.RawMessage) string { return string(s) })
	return strings.Join(parts, "\n")
}

// TargetText writes the target of a node as one line.
func TargetText(target []json.RawMessage) string {
	parts := make([]string, len(target))
	for i, raw := range target {
		var one string
		var shadow []string
		switch {
		case json.Unmarshal(raw, &one) == nil:
			parts[i] = one
		case json.Unmarshal(raw, &shadow) == nil:
			parts[i] = strings.Join(shadow, " >>> ")
		}
	}
	return strings.Join(parts, " | ")
}

// maxRefs bounds the offenders of one finding that get refs.
const maxRefs = 5

// describe fills in the elements of the first offenders of each finding, with one call per document.
func (r *axeRun) describe(ctx context.Context, rules []axeRule, findings []Finding) error {
	type place struct{ finding, offender int }
	selectors, places := map[*frame][]json.RawMessage{}, map[*frame][]place{}
	for i, rule := range rules {
		for j, node := range rule.Nodes[:min(len(rule.Nodes), maxRefs)] {
			if f := r.frameOf(ctx, node.Target); f != nil {
				selectors[f] = append(selectors[f], node.Target[len(node.Target)-1])
				places[f] = append(places[f], place{i, j})
			}
		}
	}
	for f, list := range selectors {
		nodes, err := f.nodes(ctx, "elements", list)
		if err != nil {
			return err
		}
		elements, err := r.page.Nodes.Elements(ctx, f.document, nodes)
		if err != nil {
			return err
		}
		for i, e := range elements {
			at := places[f][i]
			findings[at.finding].Offenders[at.offender].Element = e
		}
	}
	return nil
}

// findings turns rules of axe into findings.
func findings(rules []axeRule) []Finding {
	out := make([]Finding, len(rules))
	for i, r := range rules {
		out[i] = Finding{
			ID: r.ID, Category: Accessibility, Impact: Impact(r.Impact), Doc: r.Help, Help: r.HelpURL, Tags: r.Tags, Total: r.Total,
		}
		for _, n := range r.Nodes {
			out[i].Offenders = append(out[i].Offenders, Offender{Target: TargetText(n.Target), HTML: n.HTML, Detail: n.Why})
		}
	}
	return out
}

// Remedy takes the first remedy out of axe's summary of a failure, whose first line says how many of
// the others are needed.
func Remedy(summary string) string {
	for line := range strings.Lines(summary) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Fix ") {
			return line
		}
	}
	return ""
}

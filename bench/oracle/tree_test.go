package oracle

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// probe is a function of an element that says whether a person sees it, and what it is.
//
//go:embed probe.js
var probe string

// probed is the result of the probe.
type probed struct {
	Visible bool     `json:"visible"`
	Node    string   `json:"node"`
	Traits  []string `json:"traits"`
}

// browser is the browser of the server, seen over DevTools.
type browser struct {
	allocator context.Context
	tab       context.Context // of the target that the server drives
	close     []context.CancelFunc
}

func connect(ctx context.Context, endpoint string) *browser {
	allocator, stop := remote.NewAllocator(ctx, endpoint)
	return &browser{allocator: allocator, close: []context.CancelFunc{stop}}
}

// attach finds the tab that shows an address and attaches to it, once.
func (b *browser) attach(address string) error {
	if b.tab != nil {
		return nil
	}
	first, cancel := chromedp.NewContext(b.allocator)
	defer cancel()
	targets, err := chromedp.Targets(first)
	if err != nil {
		return fmt.Errorf("list the targets of the browser: %w", err)
	}
	for _, info := range targets {
		if info.Type == "page" && info.URL == address {
			return b.attachTo(info.TargetID)
		}
	}
	return errors.New("no tab shows " + address)
}

func (b *browser) attachTo(id target.ID) error {
	tab, cancel := chromedp.NewContext(b.allocator, chromedp.WithTargetID(id))
	b.close = append(b.close, cancel)
	if err := chromedp.Do(tab); err != nil {
		return fmt.Errorf("attach to the tab: %w", err)
	}
	b.tab = tab
	return nil
}

// controls returns the controls of the accessibility trees of all frames of the tab, in tree order, frame
// by frame.
func (b *browser) controls() (found []control, err error) {
	ctx, cancel := context.WithTimeout(b.tab, time.Minute)
	defer cancel()
	tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, fmt.Errorf("read the frame tree: %w", err)
	}
	for _, frame := range frames(tree.FrameTree) {
		got, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: frame})
		if err != nil {
			if frame != tree.FrameTree.Frame.ID { // it is in another process, or left the page
				continue
			}
			return nil, fmt.Errorf("read the accessibility tree: %w", err)
		}
		more, err := frameControls(ctx, got.Nodes)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

func frames(tree *page.FrameTree) []cdp.FrameID {
	ids := []cdp.FrameID{tree.Frame.ID}
	for _, child := range tree.ChildFrames {
		ids = append(ids, frames(child)...)
	}
	return ids
}

// frameControls returns the controls among the nodes of one frame, each with what the probe says of it.
func frameControls(ctx context.Context, nodes []*accessibility.Node) (found []control, err error) {
	for _, n := range nodes {
		if n.Ignored || n.Role == nil || n.BackendDOMNodeID == 0 {
			continue
		}
		role := roles[text(n.Role)]
		if role == "" && isEditor(n) {
			role = "textbox"
		}
		if role == "" {
			continue
		}
		p, err := probeNode(ctx, n.BackendDOMNodeID)
		if err != nil {
			return nil, err
		}
		found = append(found, control{Role: role, Name: normal(text(n.Name)), Node: p.Node, Traits: p.Traits, Unseen: !p.Visible})
	}
	return found, nil
}

// isEditor reports whether a node is the root of editable content without a role: focusable, and editable as rich
// text.
func isEditor(n *accessibility.Node) bool {
	var focusable, editable bool
	for _, p := range n.Properties {
		switch p.Name {
		case "focusable":
			focusable = true
		case "editable":
			editable = text(p.Value) == "richtext"
		}
	}
	return focusable && editable
}

// hiddenNames returns the texts, labels and classes (".name") of elements that are hidden from assistive technology.
func (b *browser) hiddenNames() (names map[string]bool, err error) {
	yes := true
	result, err := chromedp.Call(b.tab, runtime.Evaluate, runtime.EvaluateParams{ReturnByValue: &yes, Expression: `
		[...document.querySelectorAll('[aria-hidden=true], [aria-hidden=true] *')].flatMap((el) =>
			[el.textContent, el.getAttribute('aria-label'), el.title, ...[...el.classList].map((c) => '.' + c)])
			.map((s) => (s ?? '').replace(/\s+/g, ' ').trim()).filter((s) => s && s.length < 200)`})
	if err != nil {
		return nil, fmt.Errorf("list what is hidden from assistive technology: %w", err)
	}
	var list []string
	if err := json.Unmarshal(result.Result.Value, &list); err != nil {
		return nil, err
	}
	names = map[string]bool{}
	for _, name := range list {
		names[name] = true
	}
	return names, nil
}

// probeNode calls the probe on an element. A node that left the document is not visible.
func probeNode(ctx context.Context, id cdp.BackendNodeID) (p probed, err error) {
	object, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id})
	if err != nil {
		if strings.Contains(err.Error(), "No node") {
			return p, nil
		}
		return p, fmt.Errorf("resolve a node: %w", err)
	}
	yes := true
	result, err := chromedp.Call(ctx, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: probe, ObjectID: object.Object.ObjectID, ReturnByValue: &yes,
	})
	if err != nil {
		return p, fmt.Errorf("probe a node: %w", err)
	}
	if result.ExceptionDetails != nil {
		return p, errors.New("probe a node: " + result.ExceptionDetails.Text)
	}
	if err := json.Unmarshal(result.Result.Value, &p); err != nil {
		return p, fmt.Errorf("read the probe's result: %w", err)
	}
	return p, nil
}

// text returns the string of a value of the tree.
func text(v *accessibility.Value) (s string) {
	if v == nil {
		return ""
	}
	_ = json.Unmarshal(v.Value, &s) // names and roles are strings
	return s
}

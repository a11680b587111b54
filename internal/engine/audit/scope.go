package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/page/node"
)

// scope is the document that an audit is about, with the worlds that it opened.
type scope struct {
	page      *page.Page
	documents map[cdp.FrameID]node.FrameDocument
	top       *frame // nil for a document without a root
	root      *frame // where axe begins: top, or the document of the element
	element   runtime.RemoteObjectID
	run       *axeRun // nil until axe runs
}

// open enters the top document, and that of the element to which the options limit an audit.
func open(ctx context.Context, p *page.Page, o Options) (*scope, error) {
	documents, err := p.Nodes.Documents(ctx)
	if empty := (*document.EmptyDocumentError)(nil); errors.As(err, &empty) {
		return &scope{page: p}, nil
	}
	if err != nil {
		return nil, err
	}
	s := &scope{page: p, documents: map[cdp.FrameID]node.FrameDocument{}}
	for _, d := range documents {
		s.documents[d.Frame] = d
	}
	if s.top, err = enter(ctx, documents[0]); err != nil {
		return nil, err
	}
	s.root = s.top
	ref, err := refOf(ctx, p, o)
	if ref == "" {
		return s, err
	}
	document, node, err := p.Nodes.Locate(ctx, ref)
	if err != nil {
		return nil, err
	}
	if document.Frame != s.top.document.Frame {
		if s.root, err = enter(ctx, document); err != nil {
			return nil, err
		}
	}
	element, err := cdp.Call(ctx, document.Session, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: node, ExecutionContextID: s.root.context, ObjectGroup: objectGroup,
	})
	if err != nil {
		return nil, fmt.Errorf("find the element: %w", err)
	}
	s.element = element.Object.ObjectID
	return s, nil
}

// refOf returns the ref of the element to which an audit is limited; "" means the document.
func refOf(ctx context.Context, p *page.Page, o Options) (string, error) {
	if o.Ref != "" || o.Selector == "" {
		return o.Ref, nil
	}
	found, _, err := p.Locate.Query(ctx, locate.QueryOptions{CSS: o.Selector, PierceShadow: true})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", &document.NoElementError{Selector: o.Selector}
	}
	return found[0].Ref, nil
}

// close releases the handles of all worlds; those of one session are one group.
func (s *scope) close(ctx context.Context) {
	if s.run != nil {
		s.run.release(ctx)
	}
	for _, f := range []*frame{s.top, s.root} {
		if f != nil {
			f.release(ctx)
		}
	}
}

// elements describes elements that the script of the top document keeps.
func (s *scope) elements(ctx context.Context, indices []int) ([]document.Element, error) {
	nodes, err := s.top.nodes(ctx, "kept", indices)
	if err != nil {
		return nil, err
	}
	for len(nodes) < len(indices) {
		nodes = append(nodes, 0)
	}
	return s.page.Nodes.Elements(ctx, s.top.document, nodes)
}

// runAxe runs axe in the scope and adds its result to the report.
func (a *audit) runAxe(ctx context.Context, s *scope) error {
	unclear := func(reason string) error {
		a.report.Unknown = append(a.report.Unknown, Unknown{ID: "axe", Category: Accessibility, Reason: reason})
		return nil
	}
	if a.evidence.facts == nil {
		return unclear(a.evidence.factsReason)
	}
	if err := s.root.loadAxe(ctx); err != nil {
		return err
	}
	options, err := a.axeOptions(ctx, s.root)
	if options == nil {
		return err
	}
	limit := axeTimeout
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)-reserve)
	}
	limited, cancel := context.WithTimeout(ctx, max(limit, time.Second))
	defer cancel()
	run := &axeRun{page: s.page, documents: s.documents, root: s.root, options: options}
	s.run = run
	result, err := run.run(limited, s.element)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return unclear(fmt.Sprintf("axe-core did not finish in %v; audit a part of the page with selector, or fewer rules", limit.Round(time.Second)))
	case err != nil && (ctx.Err() != nil || node.IsReplaced(err)):
		return err
	case err != nil:
		a.report.Unknown = append(a.report.Unknown, Unknown{ID: "axe", Category: Accessibility, Reason: "axe-core failed on this page", Detail: err.Error()})
		return nil
	}
	a.report.Axe, a.report.Documents, a.report.Skipped = result.Version, len(run.frames), run.skipped
	a.report.Findings, a.report.Review = findings(result.Violations), findings(result.Incomplete)
	a.report.Passed[Accessibility], a.report.Inapplicable[Accessibility] = result.Passes, result.Inapplicable
	if run.skipped > 0 {
		_ = unclear(fmt.Sprintf("%d frames could not be entered", run.skipped))
	}
	if err := run.describe(ctx, result.Violations, a.report.Findings); err != nil {
		return err
	}
	return run.describe(ctx, result.Incomplete, a.report.Review)
}

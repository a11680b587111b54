package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// Document is a document of the page for instruments that run a script of their own in it. Frames of
// the same origin share the world of the document around them.
type Document struct {
	// Session is the protocol session that reaches the document.
	Session cdp.Session
	// Frame is the frame that shows the document.
	Frame cdp.FrameID

	world *world
}

// In returns the document of a frame of the same session, which the engine reads through d.
func (d Document) In(frame cdp.FrameID) Document { d.Frame = frame; return d }

// Documents returns the top document and the documents of all remote frames that answer, parents
// first.
func (p *Page) Documents(ctx context.Context) ([]Document, error) {
	var out []Document
	err := p.evaluateAll(ctx, "documents", nil, func(w *world, _ json.RawMessage) error {
		if w.parent == nil {
			out = nil
		}
		out = append(out, Document{Session: w.session, Frame: w.frame, world: w})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the documents: %w", p.translate(ctx, "", err))
	}
	return out, nil
}

// Elements describes nodes of d, or of frames of the same origin in it, and issues refs. A node that
// left the page, and one that the engine cannot reach, is an Element without a Ref.
func (p *Page) Elements(ctx context.Context, d Document, nodes []cdp.BackendNodeID) ([]Element, error) {
	out := make([]Element, len(nodes))
	handles := make([]runtime.RemoteObjectID, len(nodes))
	defer d.world.releaseObjects(ctx)
	var wg sync.WaitGroup
	for i, node := range nodes {
		wg.Go(func() {
			resolved, err := cdp.Call(ctx, d.Session, dom.ResolveNode, dom.ResolveNodeParams{
				BackendNodeID: node, ExecutionContextID: d.world.context, ObjectGroup: objectGroup,
			})
			if err == nil {
				handles[i] = resolved.Object.ObjectID
			}
		})
	}
	wg.Wait()
	var found []int
	var given []runtime.RemoteObjectID
	for i, handle := range handles {
		if handle != "" {
			found, given = append(found, i), append(given, handle)
		}
	}
	if len(found) == 0 {
		return out, nil
	}
	described, err := p.describeNodes(ctx, d.world, given)
	if err != nil {
		return nil, fmt.Errorf("describing elements: %w", p.translate(ctx, "", err))
	}
	for at, e := range described[:min(len(described), len(found))] {
		if e != nil {
			out[found[at]] = *e
		}
	}
	return out, nil
}

// Locate returns the document that shows the element of a ref, and the element's node in it.
func (p *Page) Locate(ctx context.Context, ref string) (Document, cdp.BackendNodeID, error) {
	w, err := p.evaluateRef(ctx, ref, "describe", nil, nil) // the ref must hold
	if err != nil {
		return Document{}, 0, err
	}
	defer w.releaseObjects(ctx)
	own, err := w.elementObject(ctx, refNumber(ref))
	if err != nil {
		return Document{}, 0, p.translate(ctx, ref, err)
	}
	node, err := cdp.Call(ctx, w.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: own})
	if err != nil {
		return Document{}, 0, fmt.Errorf("locating %s: %w", ref, w.callError(err))
	}
	d := Document{Session: w.session, Frame: w.frame, world: w}
	frame, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(el){return this.frameOfElement(el)}\n//# sourceURL=callsheet:frameOfElement\n",
		ObjectID:            w.entry, ObjectGroup: objectGroup, Arguments: []*runtime.CallArgument{{ObjectID: own}},
	})
	if err != nil {
		return Document{}, 0, fmt.Errorf("locating %s: %w", ref, w.callError(err))
	}
	if frame.Result != nil && frame.Result.ObjectID != "" {
		shown, err := cdp.Call(ctx, w.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: frame.Result.ObjectID})
		if err != nil {
			return Document{}, 0, fmt.Errorf("locating %s: %w", ref, w.callError(err))
		}
		d.Frame = shown.Node.FrameID
	}
	return d, node.Node.BackendNodeID, nil
}

// IsDocumentReplaced reports whether an error of a protocol call, or of this package, says that the
// document was replaced.
func IsDocumentReplaced(err error) bool {
	return err != nil && (errors.Is(err, errDocumentReplaced) || errors.Is(classify(err), errDocumentReplaced))
}

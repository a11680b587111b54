package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Nodes addresses the elements of one tab's document.
type Nodes struct{ doc *document.Document }

// New makes the nodes of a document.
func New(d *document.Document) *Nodes { return &Nodes{doc: d} }

// FrameDocument is a document of the page for instruments that run a script of their own in it. Frames of
// the same origin share the world of the document around them.
type FrameDocument struct {
	// Session is the protocol session that reaches the document.
	Session cdp.Session
	// Frame is the frame that shows the document.
	Frame cdp.FrameID

	world *document.World
}

// In returns the document of a frame of the same session, which the engine reads through d.
func (d FrameDocument) In(frame cdp.FrameID) FrameDocument { d.Frame = frame; return d }

// Documents returns the top document and the documents of all remote frames that answer, parents
// first.
func (ns *Nodes) Documents(ctx context.Context) ([]FrameDocument, error) {
	var out []FrameDocument
	err := ns.doc.EvaluateAll(ctx, "documents", nil, func(w *document.World, _ json.RawMessage) error {
		if w.Parent == nil {
			out = nil
		}
		out = append(out, FrameDocument{Session: w.Session, Frame: w.Frame, world: w})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the documents: %w", ns.doc.Translate(ctx, "", err))
	}
	return out, nil
}

// Elements describes nodes of d, or of frames of the same origin in it, and issues refs. A node that
// left the page, and one that the engine cannot reach, is an Element without a Ref.
func (ns *Nodes) Elements(ctx context.Context, d FrameDocument, nodes []cdp.BackendNodeID) ([]document.Element, error) {
	out := make([]document.Element, len(nodes))
	handles := make([]runtime.RemoteObjectID, len(nodes))
	defer d.world.ReleaseObjects(ctx)
	var wg sync.WaitGroup
	for i, node := range nodes {
		wg.Go(func() {
			resolved, err := cdp.Call(ctx, d.Session, dom.ResolveNode, dom.ResolveNodeParams{
				BackendNodeID: node, ExecutionContextID: d.world.Context, ObjectGroup: document.ObjectGroup,
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
	described, err := ns.doc.DescribeNodes(ctx, d.world, given)
	if err != nil {
		return nil, fmt.Errorf("describing elements: %w", ns.doc.Translate(ctx, "", err))
	}
	for at, e := range described[:min(len(described), len(found))] {
		if e != nil {
			out[found[at]] = *e
		}
	}
	return out, nil
}

// Locate returns the document that shows the element of a ref, and the element's node in it.
func (ns *Nodes) Locate(ctx context.Context, ref string) (FrameDocument, cdp.BackendNodeID, error) {
	w, err := ns.doc.EvaluateRef(ctx, ref, "describe", nil, nil) // the ref must hold
	if err != nil {
		return FrameDocument{}, 0, err
	}
	defer w.ReleaseObjects(ctx)
	own, err := w.ElementObject(ctx, document.RefNumber(ref))
	if err != nil {
		return FrameDocument{}, 0, ns.doc.Translate(ctx, ref, err)
	}
	node, err := cdp.Call(ctx, w.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: own})
	if err != nil {
		return FrameDocument{}, 0, fmt.Errorf("locating %s: %w", ref, w.CallError(err))
	}
	d := FrameDocument{Session: w.Session, Frame: w.Frame, world: w}
	frame, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(el){return this.frameOfElement(el)}\n//# sourceURL=callsheet:frameOfElement\n",
		ObjectID:            w.Entry, ObjectGroup: document.ObjectGroup, Arguments: []*runtime.CallArgument{{ObjectID: own}},
	})
	if err != nil {
		return FrameDocument{}, 0, fmt.Errorf("locating %s: %w", ref, w.CallError(err))
	}
	if frame.Result != nil && frame.Result.ObjectID != "" {
		shown, err := cdp.Call(ctx, w.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: frame.Result.ObjectID})
		if err != nil {
			return FrameDocument{}, 0, fmt.Errorf("locating %s: %w", ref, w.CallError(err))
		}
		d.Frame = shown.Node.FrameID
	}
	return d, node.Node.BackendNodeID, nil
}

// IsReplaced reports whether an error of a protocol call, or of this package, says that the
// document was replaced.
func IsReplaced(err error) bool {
	return err != nil && (errors.Is(err, document.ErrReplaced) || errors.Is(document.Classify(err), document.ErrReplaced))
}

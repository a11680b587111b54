package document

import (
	"context"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// ObjectGroup names the handles of an inspection, so that they are released together.
const ObjectGroup = "callsheet-inspect"

// openShadowTrees inspects the candidates for closed shadow hosts and adds the closed roots to the
// world. It returns their number.
func (w *World) openShadowTrees(ctx context.Context) (int, error) {
	hosts, err := w.objectsOf(ctx, shadowCandidatesFunction)
	defer w.ReleaseObjects(ctx)
	if err != nil {
		return 0, fmt.Errorf("looking for closed shadow trees: %w", err)
	}
	found := make([]int, len(hosts))
	var wg sync.WaitGroup
	for i, host := range hosts {
		wg.Go(func() { found[i] = w.openShadowTree(ctx, host) })
	}
	wg.Wait()
	total := 0
	for _, n := range found {
		total += n
	}
	return total, nil
}

// ReleaseObjects releases the handles of an inspection. A handle that remains costs memory until
// the document is replaced.
func (w *World) ReleaseObjects(ctx context.Context) {
	_, _ = cdp.Call(ctx, w.Session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: ObjectGroup})
}

// openShadowTree adds an element's closed shadow root to the world, if it has one. An element that
// left the page has none.
func (w *World) openShadowTree(ctx context.Context, host runtime.RemoteObjectID) int {
	described, err := cdp.Call(ctx, w.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: host})
	if err != nil || described.Node == nil {
		return 0
	}
	for _, root := range described.Node.ShadowRoots {
		if root.ShadowRootType != cdp.ShadowRootTypeClosed {
			continue
		}
		object, err := cdp.Call(ctx, w.Session, dom.ResolveNode, dom.ResolveNodeParams{
			BackendNodeID: root.BackendNodeID, ExecutionContextID: w.Context, ObjectGroup: ObjectGroup,
		})
		if err != nil {
			return 0
		}
		if _, err = cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: addShadowRootFunction, ObjectID: w.Entry,
			Arguments: []*runtime.CallArgument{{ObjectID: host}, {ObjectID: object.Object.ObjectID}},
		}); err != nil {
			return 0
		}
		return 1
	}
	return 0
}

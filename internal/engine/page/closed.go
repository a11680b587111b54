package page

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
)

// lookGroup names the handles of a search, so that they are released together.
const lookGroup = "callsheet-look"

// uncover looks into the elements that may hide a closed shadow tree and hands
// the trees there are to the world. It answers with their number.
func (p *Page) uncover(ctx context.Context, w *world) (int, error) {
	list, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: accusedFunction, ObjectID: w.entry, ObjectGroup: lookGroup,
	})
	if err != nil {
		return 0, fmt.Errorf("looking for closed shadow trees: %w", w.lost(err))
	}
	defer w.letGo(ctx)
	yes := true
	props, err := cdp.Call(ctx, w.session, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: list.Result.ObjectID, OwnProperties: &yes,
	})
	if err != nil {
		return 0, fmt.Errorf("looking for closed shadow trees: %w", w.lost(err))
	}
	var hosts []runtime.RemoteObjectID
	for _, prop := range props.Result {
		if _, err := strconv.Atoi(prop.Name); err == nil && prop.Value != nil && prop.Value.ObjectID != "" {
			hosts = append(hosts, prop.Value.ObjectID)
		}
	}
	found := make([]int, len(hosts))
	var wg sync.WaitGroup
	for i, host := range hosts {
		wg.Go(func() { found[i] = w.openHost(ctx, host) })
	}
	wg.Wait()
	total := 0
	for _, n := range found {
		total += n
	}
	return total, nil
}

// letGo releases the handles of what was looked at. One that stays costs memory until the document goes; that is all.
func (w *world) letGo(ctx context.Context) {
	_, _ = cdp.Call(ctx, w.session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: lookGroup})
}

// openHost hands an element's closed shadow tree to the world, if it has one. An
// element that went away meanwhile has none.
func (w *world) openHost(ctx context.Context, host runtime.RemoteObjectID) int {
	described, err := cdp.Call(ctx, w.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: host})
	if err != nil || described.Node == nil {
		return 0
	}
	for _, root := range described.Node.ShadowRoots {
		if root.ShadowRootType != cdp.ShadowRootTypeClosed {
			continue
		}
		object, err := cdp.Call(ctx, w.session, dom.ResolveNode, dom.ResolveNodeParams{
			BackendNodeID: root.BackendNodeID, ExecutionContextID: w.context, ObjectGroup: lookGroup,
		})
		if err != nil {
			return 0
		}
		if _, err = cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: openFunction, ObjectID: w.entry,
			Arguments: []*runtime.CallArgument{{ObjectID: host}, {ObjectID: object.Object.ObjectID}},
		}); err != nil {
			return 0
		}
		return 1
	}
	return 0
}

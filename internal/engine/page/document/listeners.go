package document

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"
)

// listenerKinds is a set of kinds of input that an element has listeners of its own for. The
// numbers are those of js/listeners.js.
type listenerKinds int

const (
	listensPress listenerKinds = 1 << iota
	listensDrag
	listensKeys
)

// kindOfListener returns 0 for an event that is not caused by a person's input at the element.
func kindOfListener(event string) listenerKinds {
	switch event {
	case "click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend":
		return listensPress
	case "dragstart":
		return listensDrag
	case "keydown", "keypress", "keyup", "beforeinput", "input", "textupdate":
		return listensKeys
	default:
		return 0
	}
}

// listsControls are the operations that decide which elements take input.
var listsControls = map[string]bool{
	"read": true, "find": true, "query": true, "select": true, "observe": true, "overview": true, "data": true,
	"identify": true, "relocate": true, "similarElements": true, "interactions": true, "elementAtPoint": true,
}

// listing is the state of a document at the time its listeners were listed.
type listing struct {
	at         time.Time
	actions    int // of the tab, until then
	generation int
}

// maxListingAge bounds how long a listing holds for a document that has not changed: a script can
// add a listener without a trace.
const maxListingAge = time.Second

// callWithListeners is callEngine after the listeners are marked, for operations that list controls.
// Listing them is a considerable part of a reading, so a listing holds until the DOM changes, an
// action begins, or maxListingAge is over.
func (d *Document) callWithListeners(ctx context.Context, w *World, operation string, argument any) (*response, error) {
	if !listsControls[operation] {
		return d.callEngine(ctx, w, operation, argument)
	}
	actions := d.Tracker.ActionCount()
	if w.listed.actions == actions && time.Since(w.listed.at) < maxListingAge {
		w.expected = w.listed.generation
		a, err := d.callEngine(ctx, w, operation, argument)
		w.expected = 0
		if err != nil || !a.Changed {
			return a, err
		}
	}
	w.listed = listing{at: time.Now(), actions: actions}
	if err := w.markListeners(ctx); errors.Is(err, ErrReplaced) {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s in the page: %w", operation, context.Cause(ctx))
	}
	a, err := d.callEngine(ctx, w, operation, argument)
	if err == nil {
		w.listed.generation = a.Generation
	}
	return a, err
}

// maxMarked bounds how many elements one call marks: each costs a message to the browser.
const maxMarked = 1000

// setListenersFunction receives the kinds of each element, and then the elements.
const setListenersFunction = "function(k,...e){this.setListeners(k,e)}\n//# sourceURL=callsheet:listeners\n"

// markListeners tells the engine of a world which elements have listeners for input. The debugger
// alone knows the listeners of the page's own world; it lists them without an effect on the page.
// An error leaves the marks as they are: a reading is possible without them.
func (w *World) markListeners(ctx context.Context) error {
	now, err := w.listListeners(ctx)
	if err != nil {
		return err
	}
	if len(w.roots.kinds) > 0 {
		if err := w.markDelegated(ctx); err != nil {
			return err
		}
	}
	if w.internals {
		if _, err := w.markInternals(ctx); err != nil {
			return err
		}
	}
	var changed []cdp.BackendNodeID
	for id, kinds := range now {
		if w.listeners[id] != kinds {
			changed = append(changed, id)
		}
	}
	for id := range w.listeners {
		if _, ok := now[id]; !ok {
			changed = append(changed, id)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	changed = changed[:min(len(changed), maxMarked)]
	if err := w.setListeners(ctx, changed, now); err != nil {
		return err
	}
	if w.listeners == nil {
		w.listeners = map[cdp.BackendNodeID]listenerKinds{}
	}
	for _, id := range changed {
		w.listeners[id] = now[id]
	}
	maps.DeleteFunc(w.listeners, func(_ cdp.BackendNodeID, kinds listenerKinds) bool { return kinds == 0 })
	return nil
}

// windowID stands for the window, which is no node, among the elements with listeners.
const windowID cdp.BackendNodeID = 0

// listedListeners is the part of the response of DOMDebugger.getEventListeners that is used.
type listedListeners struct {
	Listeners []struct {
		Type          string            `json:"type"`
		BackendNodeID cdp.BackendNodeID `json:"backendNodeId"`
	} `json:"listeners"`
}

// listListeners returns the elements of a world's document that have listeners for input.
// It asks with the handle that the page's own world has of the document: with that of the isolated
// world, Chromium 156 ends the renderer.
func (w *World) listListeners(ctx context.Context) (map[cdp.BackendNodeID]listenerKinds, error) {
	if err := w.findRoots(ctx); err != nil {
		return nil, fmt.Errorf("listing the listeners: %w", w.CallError(err))
	}
	depth, pierce := int64(-1), true
	var listed, ofWindow listedListeners
	var wg sync.WaitGroup
	wg.Go(func() { // without those of the window, where the call fails
		_ = w.Session.Call(ctx, domdebugger.GetEventListeners.Method, domdebugger.GetEventListenersParams{ObjectID: w.window}, &ofWindow)
	})
	err := w.Session.Call(ctx, domdebugger.GetEventListeners.Method, domdebugger.GetEventListenersParams{
		ObjectID: w.document, Depth: &depth, Pierce: &pierce,
	}, &listed)
	wg.Wait()
	if err != nil {
		return nil, fmt.Errorf("listing the listeners: %w", w.CallError(err))
	}
	found := map[cdp.BackendNodeID]listenerKinds{}
	w.roots = listeningRoots{kinds: map[string]listenerKinds{}}
	for _, l := range slices.Concat(listed.Listeners, ofWindow.Listeners) {
		w.roots.isReact = w.roots.isReact || l.Type == "lostpointercapture"
		if kind := kindOfListener(l.Type); kind != 0 {
			w.roots.kinds[l.Type] = kind
			found[l.BackendNodeID] |= kind
		}
	}
	return found, nil
}

// findRoots gets the handles of the document and the window, unless they are known.
func (w *World) findRoots(ctx context.Context) (err error) {
	if w.document != "" {
		return nil
	}
	var wg sync.WaitGroup
	wg.Go(func() { w.window, _ = w.objectOf(ctx, "window", 0) })
	w.document, err = w.objectOf(ctx, "document", 0)
	wg.Wait()
	return err
}

// objectOf returns the handle of an object in a context of the document, or in the page's own world.
func (w *World) objectOf(ctx context.Context, expression string, in runtime.ExecutionContextID) (runtime.RemoteObjectID, error) {
	got, err := cdp.Call(ctx, w.Session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression + "\n//# sourceURL=callsheet:" + expression + "\n", ContextID: in,
	})
	if err != nil {
		return "", err
	}
	return got.Result.ObjectID, nil
}

// setListeners sends the kinds of the elements to the engine. An element that left the page, or that
// belongs to another document, is omitted.
func (w *World) setListeners(
	ctx context.Context, ids []cdp.BackendNodeID, kinds map[cdp.BackendNodeID]listenerKinds,
) error {
	objects := make([]runtime.RemoteObjectID, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			if id == windowID {
				objects[i], _ = w.objectOf(ctx, "window", w.Context)
				return
			}
			got, err := cdp.Call(ctx, w.Session, dom.ResolveNode, dom.ResolveNodeParams{
				BackendNodeID: id, ExecutionContextID: w.Context, ObjectGroup: ObjectGroup,
			})
			if err == nil {
				objects[i] = got.Object.ObjectID
			}
		})
	}
	wg.Wait()
	defer w.ReleaseObjects(ctx)
	numbers, arguments := []byte{'['}, []*runtime.CallArgument{nil}
	for i, object := range objects {
		if object == "" {
			continue
		}
		if len(numbers) > 1 {
			numbers = append(numbers, ',')
		}
		numbers = append(numbers, number(int(kinds[ids[i]]))...)
		arguments = append(arguments, &runtime.CallArgument{ObjectID: object})
	}
	arguments[0] = &runtime.CallArgument{Value: append(numbers, ']')}
	_, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: setListenersFunction, ObjectID: w.Entry, Arguments: arguments,
	})
	if err != nil {
		return fmt.Errorf("marking the listeners: %w", w.CallError(err))
	}
	return nil
}

package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// frameTimeout bounds the wait for one frame of a reading. A frame of another process can hang
// without the page.
const frameTimeout = 3 * time.Second

// maxFrames bounds how many frames of a document are entered at a time.
const maxFrames = 100

// Attacher opens a session with the target of a frame in another process. leave ends the session
// and does not wait for the browser.
type Attacher func(ctx context.Context, id target.ID) (s cdp.Session, leave func(), err error)

// remoteFrame is a session with a frame of another process.
type remoteFrame struct {
	session cdp.Session
	detach  func()
}

// dropFrames detaches all frames below the top document.
func (p *Page) dropFrames() {
	for id, w := range p.frameWorlds {
		w.replaced = true
		delete(p.frameWorlds, id)
	}
	for id, r := range p.remoteFrames {
		r.detach()
		delete(p.remoteFrames, id)
	}
}

// enterFrames returns the worlds of remote frames of w, in the order of keys. It enters frames
// concurrently, because each may run in a process of its own. A frame that does not answer in time
// or left the page is omitted.
func (p *Page) enterFrames(ctx context.Context, w *world, keys []int) []*world {
	if len(keys) > maxFrames {
		keys = keys[:maxFrames]
	}
	limit := time.Duration(remaining(ctx, frameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make([]frameEntry, len(keys))
	var wg sync.WaitGroup
	for i, key := range keys {
		known := w.childFrames[key]
		found[i] = frameEntry{frame: known, world: p.frameWorlds[known], remote: p.remoteFrames[known]}
		wg.Go(func() { p.enterFrame(ctx, w, key, &found[i]) })
	}
	wg.Wait()
	p.frameTimedOut = p.frameTimedOut || ctx.Err() != nil
	var worlds []*world
	for i, e := range found {
		if e.remote.session != nil {
			p.remoteFrames[e.frame] = e.remote
		} else if e.frame != "" {
			delete(p.remoteFrames, e.frame)
		}
		if e.world == nil || e.frame == w.frame {
			continue
		}
		if old := p.frameWorlds[e.frame]; old != nil && old != e.world {
			old.replaced = true
		}
		e.world.parent, e.world.frameKey = w, keys[i]
		w.childFrames[keys[i]], p.frameWorlds[e.frame] = e.frame, e.world
		worlds = append(worlds, e.world)
	}
	return worlds
}

// frameEntry is the known state of a frame, before and after it is entered.
type frameEntry struct {
	frame  cdp.FrameID
	world  *world
	remote remoteFrame
}

func (p *Page) enterFrame(ctx context.Context, w *world, key int, e *frameEntry) {
	if e.world != nil && !e.world.replaced && e.world.isAlive(ctx) {
		return
	}
	e.world = nil
	if e.frame == "" {
		var err error
		if e.frame, err = w.childFrame(ctx, key); err != nil {
			return
		}
	}
	if e.remote.session != nil {
		if e.world, _ = inject(ctx, e.remote.session, e.frame); e.world != nil || ctx.Err() != nil {
			return
		}
		e.remote.detach()
		e.remote = remoteFrame{}
	}
	if e.world, _ = inject(ctx, w.session, e.frame); e.world != nil || p.attachFrame == nil || ctx.Err() != nil {
		return
	}
	s, leave, err := p.attachFrame(ctx, target.ID(e.frame))
	if err != nil {
		return
	}
	unfollow := p.tracker.followFrame(s)
	e.remote = remoteFrame{session: s, detach: func() { unfollow(); leave() }}
	e.world, _ = inject(ctx, s, e.frame)
}

// isAlive reports whether the world's document exists and answers.
func (w *world) isAlive(ctx context.Context) bool {
	_, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){}\n//# sourceURL=callsheet:ping\n", ObjectID: w.entry,
	})
	return err == nil
}

// childFrame returns the ID of the frame that an element shows.
func (w *world) childFrame(ctx context.Context, key int) (cdp.FrameID, error) {
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: frameElementFunction, ObjectID: w.entry,
		Arguments: []*runtime.CallArgument{{Value: number(key)}},
	})
	if err != nil {
		return "", fmt.Errorf("finding a frame: %w", err)
	}
	if res.Result.ObjectID == "" {
		return "", errDocumentReplaced
	}
	node, err := cdp.Call(ctx, w.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: res.Result.ObjectID})
	if err != nil {
		return "", fmt.Errorf("finding a frame: %w", err)
	}
	if node.Node == nil || node.Node.FrameID == "" {
		return "", errDocumentReplaced
	}
	return node.Node.FrameID, nil
}

// walk is an operation that reads every document of the page. visit receives each result.
type walk struct {
	operation string
	argument  any
	visit     func(w *world, result json.RawMessage) error
}

// evaluateAll runs a read-only operation in every document of the page, from the top down. An error
// of the top document ends the walk; an error of a frame skips that frame.
func (p *Page) evaluateAll(
	ctx context.Context, operation string, argument any, visit func(w *world, result json.RawMessage) error,
) error {
	all := walk{operation: operation, argument: argument, visit: visit}
	return p.withRetry(ctx, operation, func(top *world) error {
		r, err := p.evaluateWithShadows(ctx, top, operation, argument)
		if err != nil {
			return err
		}
		if err := r.decode(nil); err != nil {
			return err
		}
		if err := visit(top, r.OK); err != nil {
			return err
		}
		return p.evaluateRemote(ctx, top, r.RemoteFrames, all)
	})
}

// evaluateRemote continues a walk in the remote frames of w and in the frames below them.
func (p *Page) evaluateRemote(ctx context.Context, w *world, keys []int, all walk) error {
	if len(keys) == 0 {
		return nil
	}
	for _, child := range p.enterFrames(ctx, w, keys) {
		r, err := p.evaluateFrame(ctx, child, all.operation, all.argument)
		if err != nil || r.Error != "" {
			if ctx.Err() != nil {
				return fmt.Errorf("%s in a frame: %w", all.operation, context.Cause(ctx))
			}
			p.frameTimedOut = p.frameTimedOut || errors.Is(err, context.DeadlineExceeded)
			continue
		}
		if err := all.visit(child, r.OK); err != nil {
			return err
		}
		if err := p.evaluateRemote(ctx, child, r.RemoteFrames, all); err != nil {
			return err
		}
	}
	return nil
}

// evaluateFrame is evaluateWithShadows in a frame, within frameTimeout.
func (p *Page) evaluateFrame(ctx context.Context, w *world, operation string, argument any) (*response, error) {
	limit := time.Duration(remaining(ctx, frameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return p.evaluateWithShadows(ctx, w, operation, argument)
}

// frameOffset returns where the document of a world begins in the top viewport.
func (p *Page) frameOffset(ctx context.Context, w *world) (Point, error) {
	var sum Point
	for ; w.parent != nil; w = w.parent {
		var at Point
		if err := p.evaluateIn(ctx, w.parent, "frameOrigin", map[string]any{"frameKey": w.frameKey}, &at); err != nil {
			return sum, frameError(w, err)
		}
		sum.X, sum.Y = sum.X+at.X, sum.Y+at.Y
	}
	return sum, nil
}

// viewportPoint is a point converted from a frame to the document around it.
type viewportPoint struct {
	Point
	Scrolled bool     `json:"scrolled"`
	Reason   string   `json:"reason"`
	Covering *Element `json:"covering"`
}

// toTopViewport converts a point of w's document to the top viewport and says why the pointer would
// not reach it there. With scroll it brings frames into view; Scrolled then says that the caller
// has to compute the point again.
func (p *Page) toTopViewport(ctx context.Context, w *world, at Point, scroll bool) (viewportPoint, error) {
	outer := viewportPoint{Point: at}
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"frameKey": w.frameKey, "x": outer.X, "y": outer.Y, "scroll": scroll}
		outer = viewportPoint{}
		if err := p.evaluateIn(ctx, w.parent, "frameToViewport", argument, &outer); err != nil {
			return outer, frameError(w, err)
		}
		if outer.Scrolled || outer.Reason != "" {
			return outer, nil
		}
	}
	return outer, nil
}

// frameError turns the error for a frame whose element left the page into errDocumentReplaced.
func frameError(w *world, err error) error {
	if r, ok := errors.AsType[*engineError](err); ok && r.kind == "otherDocument" {
		w.replaced = true
		return errDocumentReplaced
	}
	return err
}

// waitForFrameFocus waits until the documents around w know that it has the focus: keys go where
// the browser process believes the focus is.
func (p *Page) waitForFrameFocus(ctx context.Context, w *world) error {
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"frameKey": w.frameKey, "limit": remaining(ctx, time.Second)}
		if err := p.evaluateIn(ctx, w.parent, "waitForFrameFocus", argument, nil); err != nil {
			return err
		}
	}
	return nil
}

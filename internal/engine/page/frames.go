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

// frameTimeout bounds what is waited for in one frame of a reading. A frame of
// another process can hang without the page noticing.
const frameTimeout = 3 * time.Second

// maxFrames bounds how many frames of a page are entered at a time.
const maxFrames = 100

// Attacher opens a session with the target of a frame in another process. leave
// ends the session and does not wait for the browser.
type Attacher func(ctx context.Context, id target.ID) (s cdp.Session, leave func(), err error)

// remoteFrame is a session with a frame of another process.
type remoteFrame struct {
	session cdp.Session
	detach   func()
}

// dropFrames lets go of everything below the top document.
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

// enterFrames gives the worlds behind doors of w, in the order of the doors. Frames
// are entered at the same time, for each may be in a process of its own; one
// that does not answer in time, or went away, is left out.
func (p *Page) enterFrames(ctx context.Context, w *world, doors []int) []*world {
	if len(doors) > maxFrames {
		doors = doors[:maxFrames]
	}
	limit := time.Duration(remaining(ctx, frameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make([]frameEntry, len(doors))
	var wg sync.WaitGroup
	for i, door := range doors {
		known := w.childFrames[door]
		found[i] = frameEntry{frame: known, world: p.frameWorlds[known], remote: p.remoteFrames[known]}
		wg.Go(func() { p.enterFrame(ctx, w, door, &found[i]) })
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
		e.world.parent, e.world.frameKey = w, doors[i]
		w.childFrames[doors[i]], p.frameWorlds[e.frame] = e.frame, e.world
		worlds = append(worlds, e.world)
	}
	return worlds
}

// frameEntry is what is known of a frame, before and after it is entered.
type frameEntry struct {
	frame  cdp.FrameID
	world  *world
	remote remoteFrame
}

func (p *Page) enterFrame(ctx context.Context, w *world, door int, e *frameEntry) {
	if e.world != nil && !e.world.replaced && e.world.isAlive(ctx) {
		return
	}
	e.world = nil
	if e.frame == "" {
		var err error
		if e.frame, err = w.childFrame(ctx, door); err != nil {
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

// isAlive tells whether the world's document is still there and awake.
func (w *world) isAlive(ctx context.Context) bool {
	_, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){}\n//# sourceURL=callsheet:ping\n", ObjectID: w.entry,
	})
	return err == nil
}

// childFrame is the frame that an element shows.
func (w *world) childFrame(ctx context.Context, door int) (cdp.FrameID, error) {
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: frameElementFunction, ObjectID: w.entry, Arguments: []*runtime.CallArgument{{Value: number(door)}},
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

// evaluateAll asks an operation that only looks in every document of the page,
// from the top down. visit gets each answer that is a result; a refusal of the
// top document ends the search, one of a frame only its own part.
func (p *Page) evaluateAll(ctx context.Context, operation string, argument any, visit func(w *world, result json.RawMessage) error) error {
	return p.withRetry(ctx, operation, func(top *world) error {
		a, err := p.evaluateWithShadows(ctx, top, operation, argument)
		if err != nil {
			return err
		}
		if err := a.decode(nil); err != nil {
			return err
		}
		if err := visit(top, a.OK); err != nil {
			return err
		}
		return p.evaluateRemote(ctx, top, a.RemoteFrames, operation, argument, visit)
	})
}

func (p *Page) evaluateRemote(ctx context.Context, w *world, doors []int, operation string, argument any, visit func(*world, json.RawMessage) error) error {
	if len(doors) == 0 {
		return nil
	}
	for _, child := range p.enterFrames(ctx, w, doors) {
		a, err := p.evaluateFrame(ctx, child, operation, argument)
		if err != nil || a.Error != "" {
			if ctx.Err() != nil {
				return fmt.Errorf("%s in a frame: %w", operation, context.Cause(ctx))
			}
			p.frameTimedOut = p.frameTimedOut || errors.Is(err, context.DeadlineExceeded)
			continue
		}
		if err := visit(child, a.OK); err != nil {
			return err
		}
		if err := p.evaluateRemote(ctx, child, a.RemoteFrames, operation, argument, visit); err != nil {
			return err
		}
	}
	return nil
}

// evaluateFrame is look in a frame, which gets a part of the time.
func (p *Page) evaluateFrame(ctx context.Context, w *world, operation string, argument any) (*response, error) {
	limit := time.Duration(remaining(ctx, frameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return p.evaluateWithShadows(ctx, w, operation, argument)
}

// frameOffset is where the document of a world begins in the top viewport.
func (p *Page) frameOffset(ctx context.Context, w *world) (Point, error) {
	var sum Point
	for ; w.parent != nil; w = w.parent {
		var at Point
		if err := p.evaluateIn(ctx, w.parent, "doorway", map[string]any{"door": w.frameKey}, &at); err != nil {
			return sum, frameError(w, err)
		}
		sum.X, sum.Y = sum.X+at.X, sum.Y+at.Y
	}
	return sum, nil
}

// viewportPoint is a point carried through one door.
type viewportPoint struct {
	Point
	Scrolled bool     `json:"scrolled"`
	Reason   string   `json:"reason"`
	Covering *Element `json:"covering"`
}

// toTopViewport carries a point of w's document to the top viewport, and says why the
// pointer would not reach it there. With scroll it brings frames into view;
// Scrolled then says that the point has to be looked for again.
func (p *Page) toTopViewport(ctx context.Context, w *world, at Point, scroll bool) (viewportPoint, error) {
	way := viewportPoint{Point: at}
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"door": w.frameKey, "x": way.X, "y": way.Y, "scroll": scroll}
		way = viewportPoint{}
		if err := p.evaluateIn(ctx, w.parent, "through", argument, &way); err != nil {
			return way, frameError(w, err)
		}
		if way.Scrolled || way.Reason != "" {
			return way, nil
		}
	}
	return way, nil
}

// frameError is the error for a frame whose element has left the page.
func frameError(w *world, err error) error {
	if r, ok := errors.AsType[*engineError](err); ok && r.kind == "foreign" {
		w.replaced = true
		return errDocumentReplaced
	}
	return err
}

// waitForFrameFocus waits until the documents around w know that the focus is in it:
// keys go where the browser believes the focus is.
func (p *Page) waitForFrameFocus(ctx context.Context, w *world) error {
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"door": w.frameKey, "limit": remaining(ctx, time.Second)}
		if err := p.evaluateIn(ctx, w.parent, "awaitDoor", argument, nil); err != nil {
			return err
		}
	}
	return nil
}

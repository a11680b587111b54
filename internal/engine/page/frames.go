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

// frameLimit bounds what is waited for in one frame of a reading. A frame of
// another process can hang without the page noticing.
const frameLimit = 3 * time.Second

// framesMost bounds how many frames of a page are entered at a time.
const framesMost = 100

// Attacher opens a session with the target of a frame in another process. leave
// ends the session and does not wait for the browser.
type Attacher func(ctx context.Context, id target.ID) (s cdp.Session, leave func(), err error)

// remote is a session with a frame of another process.
type remote struct {
	session cdp.Session
	leave   func()
}

// forgetFrames lets go of everything below the top document.
func (p *Page) forgetFrames() {
	for id, w := range p.frames {
		w.gone = true
		delete(p.frames, id)
	}
	for id, r := range p.remotes {
		r.leave()
		delete(p.remotes, id)
	}
}

// enter gives the worlds behind doors of w, in the order of the doors. Frames
// are entered at the same time, for each may be in a process of its own; one
// that does not answer in time, or went away, is left out.
func (p *Page) enter(ctx context.Context, w *world, doors []int) []*world {
	if len(doors) > framesMost {
		doors = doors[:framesMost]
	}
	limit := time.Duration(remaining(ctx, frameLimit)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make([]entered, len(doors))
	var wg sync.WaitGroup
	for i, door := range doors {
		known := w.frames[door]
		found[i] = entered{frame: known, world: p.frames[known], remote: p.remotes[known]}
		wg.Go(func() { p.enterOne(ctx, w, door, &found[i]) })
	}
	wg.Wait()
	p.hung = p.hung || ctx.Err() != nil
	var worlds []*world
	for i, e := range found {
		if e.remote.session != nil {
			p.remotes[e.frame] = e.remote
		} else if e.frame != "" {
			delete(p.remotes, e.frame)
		}
		if e.world == nil || e.frame == w.frame {
			continue
		}
		if old := p.frames[e.frame]; old != nil && old != e.world {
			old.gone = true
		}
		e.world.parent, e.world.door = w, doors[i]
		w.frames[doors[i]], p.frames[e.frame] = e.frame, e.world
		worlds = append(worlds, e.world)
	}
	return worlds
}

// entered is what is known of a frame, before and after it is entered.
type entered struct {
	frame  cdp.FrameID
	world  *world
	remote remote
}

func (p *Page) enterOne(ctx context.Context, w *world, door int, e *entered) {
	if e.world != nil && !e.world.gone && e.world.answers(ctx) {
		return
	}
	e.world = nil
	if e.frame == "" {
		var err error
		if e.frame, err = w.behind(ctx, door); err != nil {
			return
		}
	}
	if e.remote.session != nil {
		if e.world, _ = implant(ctx, e.remote.session, e.frame); e.world != nil || ctx.Err() != nil {
			return
		}
		e.remote.leave()
		e.remote = remote{}
	}
	if e.world, _ = implant(ctx, w.session, e.frame); e.world != nil || p.reach == nil || ctx.Err() != nil {
		return
	}
	s, leave, err := p.reach(ctx, target.ID(e.frame))
	if err != nil {
		return
	}
	unfollow := p.track.join(s)
	e.remote = remote{session: s, leave: func() { unfollow(); leave() }}
	e.world, _ = implant(ctx, s, e.frame)
}

// answers tells whether the world's document is still there and awake.
func (w *world) answers(ctx context.Context) bool {
	_, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){}\n//# sourceURL=callsheet:ping\n", ObjectID: w.entry,
	})
	return err == nil
}

// behind is the frame that an element shows.
func (w *world) behind(ctx context.Context, door int) (cdp.FrameID, error) {
	res, err := cdp.Call(ctx, w.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: doorFunction, ObjectID: w.entry, Arguments: []*runtime.CallArgument{{Value: number(door)}},
	})
	if err != nil {
		return "", fmt.Errorf("finding a frame: %w", err)
	}
	if res.Result.ObjectID == "" {
		return "", errWorldGone
	}
	node, err := cdp.Call(ctx, w.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: res.Result.ObjectID})
	if err != nil {
		return "", fmt.Errorf("finding a frame: %w", err)
	}
	if node.Node == nil || node.Node.FrameID == "" {
		return "", errWorldGone
	}
	return node.Node.FrameID, nil
}

// everywhere asks an operation that only looks in every document of the page,
// from the top down. visit gets each answer that is a result; a refusal of the
// top document ends the search, one of a frame only its own part.
func (p *Page) everywhere(ctx context.Context, operation string, argument any, visit func(w *world, result json.RawMessage) error) error {
	return p.retry(ctx, operation, func(top *world) error {
		a, err := p.look(ctx, top, operation, argument)
		if err != nil {
			return err
		}
		if err := a.decode(nil); err != nil {
			return err
		}
		if err := visit(top, a.OK); err != nil {
			return err
		}
		return p.behindDoors(ctx, top, a.Doors, operation, argument, visit)
	})
}

func (p *Page) behindDoors(ctx context.Context, w *world, doors []int, operation string, argument any, visit func(*world, json.RawMessage) error) error {
	if len(doors) == 0 {
		return nil
	}
	for _, child := range p.enter(ctx, w, doors) {
		a, err := p.lookFrame(ctx, child, operation, argument)
		if err != nil || a.Refusal != "" {
			if ctx.Err() != nil {
				return fmt.Errorf("%s in a frame: %w", operation, context.Cause(ctx))
			}
			p.hung = p.hung || errors.Is(err, context.DeadlineExceeded)
			continue
		}
		if err := visit(child, a.OK); err != nil {
			return err
		}
		if err := p.behindDoors(ctx, child, a.Doors, operation, argument, visit); err != nil {
			return err
		}
	}
	return nil
}

// lookFrame is look in a frame, which gets a part of the time.
func (p *Page) lookFrame(ctx context.Context, w *world, operation string, argument any) (*answer, error) {
	limit := time.Duration(remaining(ctx, frameLimit)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return p.look(ctx, w, operation, argument)
}

// offset is where the document of a world begins in the top viewport.
func (p *Page) offset(ctx context.Context, w *world) (Point, error) {
	var sum Point
	for ; w.parent != nil; w = w.parent {
		var at Point
		if err := p.askIn(ctx, w.parent, "doorway", map[string]any{"door": w.door}, &at); err != nil {
			return sum, frameGone(w, err)
		}
		sum.X, sum.Y = sum.X+at.X, sum.Y+at.Y
	}
	return sum, nil
}

// passage is a point carried through one door.
type passage struct {
	Point
	Scrolled bool     `json:"scrolled"`
	Reason   string   `json:"reason"`
	Covering *Element `json:"covering"`
}

// outward carries a point of w's document to the top viewport, and says why the
// pointer would not reach it there. With scroll it brings frames into view;
// Scrolled then says that the point has to be looked for again.
func (p *Page) outward(ctx context.Context, w *world, at Point, scroll bool) (passage, error) {
	way := passage{Point: at}
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"door": w.door, "x": way.X, "y": way.Y, "scroll": scroll}
		way = passage{}
		if err := p.askIn(ctx, w.parent, "through", argument, &way); err != nil {
			return way, frameGone(w, err)
		}
		if way.Scrolled || way.Reason != "" {
			return way, nil
		}
	}
	return way, nil
}

// frameGone is the error for a frame whose element has left the page.
func frameGone(w *world, err error) error {
	if r, ok := errors.AsType[*refusal](err); ok && r.kind == "foreign" {
		w.gone = true
		return errWorldGone
	}
	return err
}

// awaitFocus waits until the documents around w know that the focus is in it:
// keys go where the browser believes the focus is.
func (p *Page) awaitFocus(ctx context.Context, w *world) error {
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"door": w.door, "limit": remaining(ctx, time.Second)}
		if err := p.askIn(ctx, w.parent, "awaitDoor", argument, nil); err != nil {
			return err
		}
	}
	return nil
}

package document

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/page/track"
)

// FrameTimeout bounds the wait for one frame of a reading. A frame of another process can hang
// without the page.
const FrameTimeout = 3 * time.Second

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

// Frames are the remote frames of a tab's document: the frames whose documents another world reads than
// the one around them.
type Frames struct {
	// worlds are the worlds of remote frames, and sessions the sessions with those that run in other
	// processes.
	worlds   map[cdp.FrameID]*World
	sessions map[cdp.FrameID]remoteFrame
	attach   Attacher
	tracker  *track.Tracker
	// TimedOut says that a frame did not answer within its part of the time.
	TimedOut bool
}

func newFrames(attach Attacher, t *track.Tracker) *Frames {
	return &Frames{worlds: map[cdp.FrameID]*World{}, sessions: map[cdp.FrameID]remoteFrame{}, attach: attach, tracker: t}
}

// drop detaches all frames below the top document.
func (f *Frames) drop() {
	for id, w := range f.worlds {
		w.Replaced = true
		delete(f.worlds, id)
	}
	for id, r := range f.sessions {
		r.detach()
		delete(f.sessions, id)
	}
}

// Live returns the worlds whose documents were not replaced.
func (f *Frames) Live() []*World {
	var out []*World
	for _, w := range f.worlds {
		if !w.Replaced {
			out = append(out, w)
		}
	}
	return out
}

// TargetOf returns the target of the out-of-process frame that a world is in; "" for the page's own.
func (f *Frames) TargetOf(w *World) target.ID {
	for id, r := range f.sessions {
		if r.session == w.Session {
			return target.ID(id)
		}
	}
	return ""
}

// Enter returns the worlds of remote frames of w, in the order of keys. It enters frames
// concurrently, because each may run in a process of its own. A frame that does not answer in time
// or left the page is omitted.
func (f *Frames) Enter(ctx context.Context, w *World, keys []int) []*World {
	if len(keys) > maxFrames {
		keys = keys[:maxFrames]
	}
	limit := time.Duration(Remaining(ctx, FrameTimeout)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make([]frameEntry, len(keys))
	var wg sync.WaitGroup
	for i, key := range keys {
		known := w.childFrames[key]
		found[i] = frameEntry{frame: known, world: f.worlds[known], remote: f.sessions[known]}
		wg.Go(func() { f.enterOne(ctx, w, key, &found[i]) })
	}
	wg.Wait()
	f.TimedOut = f.TimedOut || ctx.Err() != nil
	var worlds []*World
	for i, e := range found {
		if e.remote.session != nil {
			if old := f.sessions[e.frame]; old.session != nil && old.session != e.remote.session {
				old.detach() // entered before, but not read
			}
			f.sessions[e.frame] = e.remote
		} else if e.frame != "" {
			delete(f.sessions, e.frame)
		}
		if e.world == nil || e.frame == w.Frame {
			continue
		}
		if old := f.worlds[e.frame]; old != nil && old != e.world {
			old.Replaced = true
		}
		e.world.Parent, e.world.FrameKey = w, keys[i]
		w.childFrames[keys[i]], f.worlds[e.frame] = e.frame, e.world
		worlds = append(worlds, e.world)
	}
	return worlds
}

// frameEntry is the known state of a frame, before and after it is entered.
type frameEntry struct {
	frame  cdp.FrameID
	world  *World
	remote remoteFrame
}

// enterOne enters one frame, in the session of w or in one of its own.
func (f *Frames) enterOne(ctx context.Context, w *World, key int, e *frameEntry) {
	if e.world != nil && !e.world.Replaced && e.world.isAlive(ctx) {
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
	if e.world, _ = inject(ctx, w.Session, e.frame); e.world != nil || f.attach == nil || ctx.Err() != nil {
		return
	}
	s, leave, err := f.attach(ctx, target.ID(e.frame))
	if err != nil {
		return
	}
	unfollow := f.tracker.FollowFrame(s)
	e.remote = remoteFrame{session: s, detach: func() { unfollow(); leave() }}
	e.world, _ = inject(ctx, s, e.frame)
}

// isAlive reports whether the world's document exists and answers.
func (w *World) isAlive(ctx context.Context) bool {
	_, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){}\n//# sourceURL=callsheet:ping\n", ObjectID: w.Entry,
	})
	return err == nil
}

// childFrame returns the ID of the frame that an element shows.
func (w *World) childFrame(ctx context.Context, key int) (cdp.FrameID, error) {
	res, err := cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: frameElementFunction, ObjectID: w.Entry,
		Arguments: []*runtime.CallArgument{{Value: number(key)}},
	})
	if err != nil {
		return "", fmt.Errorf("finding a frame: %w", err)
	}
	if res.Result.ObjectID == "" {
		return "", ErrReplaced
	}
	node, err := cdp.Call(ctx, w.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: res.Result.ObjectID})
	if err != nil {
		return "", fmt.Errorf("finding a frame: %w", err)
	}
	if node.Node == nil || node.Node.FrameID == "" {
		return "", ErrReplaced
	}
	return node.Node.FrameID, nil
}

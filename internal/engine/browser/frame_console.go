package browser

import (
	"context"
	"maps"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// The console of an out-of-process frame belongs to the frame's target. The tab follows it from the
// first reading of the frame or of the console on; the browser repeats what it has kept.

// FrameConsoles are the consoles of the out-of-process frames of a tab.
type FrameConsoles struct {
	tab      *Tab
	mu       sync.Mutex
	sessions map[target.ID]*protocol.Session // that follow consoles, by frame
}

// Follow records the console messages of the tab's out-of-process frames, including
// earlier ones of frames that exist. It needs no answer of the page, and is limited to queryTimeout.
func (fc *FrameConsoles) Follow(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	fc.mu.Lock()
	defer fc.mu.Unlock()
	maps.DeleteFunc(fc.sessions, func(_ target.ID, s *protocol.Session) bool { return s.Ended() })
	for _, id := range fc.remoteFrames(ctx) {
		if fc.sessions[id] != nil {
			continue
		}
		s, err := fc.follow(ctx, id)
		if err != nil {
			fc.tab.session.browser.log.Debug("follow the console of a frame", "tab", fc.tab.id, "error", err)
			continue
		}
		if fc.sessions == nil {
			fc.sessions = make(map[target.ID]*protocol.Session)
		}
		fc.sessions[id] = s
	}
}

// remoteFrames lists the targets of the tab's out-of-process frames, parents first.
func (fc *FrameConsoles) remoteFrames(ctx context.Context) (ids []target.ID) {
	res, err := cdp.Call(ctx, fc.tab.instance.conn, target.GetTargets,
		target.GetTargetsParams{Filter: target.Filter{{Type: "iframe"}}})
	if err != nil {
		return nil
	}
	fc.tab.instance.mu.Lock()
	defer fc.tab.instance.mu.Unlock()
	own := make(map[cdp.FrameID]bool)
	for range res.TargetInfos { // each round finds the frames of one more level
		for _, info := range res.TargetInfos {
			parent, frame := info.ParentFrameID, cdp.FrameID(info.TargetID)
			if !own[frame] && (own[parent] || fc.tab.instance.frames.owners[parent] == fc.tab || fc.tab.instance.frames.owners[frame] == fc.tab) {
				own[frame] = true
				ids = append(ids, info.TargetID)
			}
		}
	}
	return ids
}

// follow opens a session with a frame whose messages go to the tab's console.
func (fc *FrameConsoles) follow(ctx context.Context, id target.ID) (*protocol.Session, error) {
	s, err := fc.tab.instance.conn.Attach(ctx, id)
	if err != nil {
		return nil, err
	}
	f := console.NewFollower(fc.tab.console)
	s.Listen(f.Observe)
	for _, c := range []cdp.Command[cdp.Empty, cdp.Empty]{runtime.Enable, cdplog.Enable} {
		if err := protocol.Exec(ctx, s, c, cdp.Empty{}); err != nil {
			s.Close(ctx)
			return nil, err
		}
	}
	f.AddEarlier(ctx, s)
	return s, nil
}

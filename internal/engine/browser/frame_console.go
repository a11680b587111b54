package browser

import (
	"context"
	"encoding/json"
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
	f := consoleFollower{buffer: fc.tab.console}
	s.Listen(f.observe)
	for _, c := range []cdp.Command[cdp.Empty, cdp.Empty]{runtime.Enable, cdplog.Enable} {
		if err := protocol.Exec(ctx, s, c, cdp.Empty{}); err != nil {
			s.Close(ctx)
			return nil, err
		}
	}
	f.addEarlier(ctx, s)
	return s, nil
}

// consoleFollower adds the messages of a frame to a console. The browser repeats earlier messages
// without the causes of errors, so it asks for those.
type consoleFollower struct {
	buffer *console.Buffer

	mu      sync.Mutex
	earlier []any // events that arrived before live was set
	live    bool
}

func (f *consoleFollower) observe(event any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.live {
		f.buffer.Observe(event)
		return
	}
	f.earlier = append(f.earlier, event)
}

// addEarlier adds the repeated messages. Later ones are added as they arrive.
func (f *consoleFollower) addEarlier(ctx context.Context, s cdp.Session) {
	for {
		f.mu.Lock()
		events := f.earlier
		f.earlier = nil
		f.live = len(events) == 0
		f.mu.Unlock()
		if len(events) == 0 {
			return
		}
		for _, ev := range events {
			switch ev := ev.(type) {
			case *runtime.EventConsoleAPICalled:
				for _, o := range ev.Args {
					addCause(ctx, s, o)
				}
			case *runtime.EventExceptionThrown:
				addCause(ctx, s, ev.ExceptionDetails.Exception)
			}
			f.buffer.Observe(ev)
		}
	}
}

// addCause adds the cause of an error to its preview, if the browser sent none.
func addCause(ctx context.Context, s cdp.Session, o *runtime.RemoteObject) {
	if o == nil || o.Subtype != runtime.RemoteObjectSubtypeError || o.Preview != nil || o.ObjectID == "" {
		return
	}
	own := true
	res, err := cdp.Call(ctx, s, runtime.GetProperties,
		runtime.GetPropertiesParams{ObjectID: o.ObjectID, OwnProperties: &own})
	if err != nil {
		return
	}
	for _, p := range res.Result {
		if p.Name != "cause" || p.Value == nil {
			continue
		}
		text := p.Value.Description
		if text == "" && json.Unmarshal(p.Value.Value, &text) != nil {
			text = string(p.Value.Value)
		}
		o.Preview = &runtime.ObjectPreview{Properties: []*runtime.PropertyPreview{
			{Name: p.Name, Type: runtime.PropertyPreviewType(p.Value.Type), Value: text},
		}}
	}
}

package console

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

// Follower adds the messages of a frame to a console. The browser repeats earlier messages
// without the causes of errors, so it asks for those.
type Follower struct {
	buffer *Buffer

	mu      sync.Mutex
	earlier []any // events that arrived before live was set
	live    bool
}

// NewFollower returns a follower that adds to a buffer.
func NewFollower(b *Buffer) *Follower { return &Follower{buffer: b} }

// Observe adds an event, or keeps it until AddEarlier is called. It runs where events are read.
func (f *Follower) Observe(event any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.live {
		f.buffer.Observe(event)
		return
	}
	f.earlier = append(f.earlier, event)
}

// AddEarlier adds the repeated messages. Later ones are added as they arrive.
func (f *Follower) AddEarlier(ctx context.Context, s cdp.Session) {
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

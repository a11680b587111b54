package debugger

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/inspector"
	cdppage "github.com/chromedp/cdproto/page"
)

const (
	// mapPatience is how long the first word of a pause waits for a source map.
	mapPatience = 300 * time.Millisecond
	// instrumentPatience is how long a script waits for its source map before it
	// runs without the breakpoints that the map would have placed.
	instrumentPatience = 2 * time.Second
)

// inbox keeps events until they are handled: they arrive where nothing may wait.
type inbox struct {
	mu     sync.Mutex
	queue  []any
	wake   chan struct{}
	closed bool
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

// put takes what matters here and drops the rest.
func (b *inbox) put(event any) {
	switch e := event.(type) {
	case *cdpdebugger.EventPaused, *cdpdebugger.EventResumed, *cdpdebugger.EventScriptParsed,
		*inspector.EventDetached, *inspector.EventTargetCrashed:
	case *cdppage.EventFrameNavigated:
		if e.Frame.ParentID != "" {
			return
		}
	default:
		return
	}
	b.mu.Lock()
	if !b.closed {
		b.queue = append(b.queue, event)
	}
	b.mu.Unlock()
	b.knock()
}

func (b *inbox) knock() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) close() {
	b.mu.Lock()
	b.closed, b.queue = true, nil
	b.mu.Unlock()
	b.knock()
}

// take returns what has arrived, waiting for something; ok is false after close.
func (b *inbox) take() (events []any, ok bool) {
	for {
		b.mu.Lock()
		events, b.queue = b.queue, nil
		closed := b.closed
		b.mu.Unlock()
		if closed {
			return nil, false
		}
		if len(events) > 0 {
			return events, true
		}
		<-b.wake
	}
}

// follow handles the events of one run in order.
func (d *Debugger) follow(r *run) {
	defer close(r.done)
	for {
		events, ok := r.inbox.take()
		if !ok {
			return
		}
		for _, event := range events {
			if gone, reason := isEnd(event); gone {
				d.gone(r, reason)
				return
			}
			if r.ctx.Err() == nil {
				d.handle(r, event)
			}
		}
	}
}

func isEnd(event any) (gone bool, reason string) {
	switch e := event.(type) {
	case *inspector.EventDetached:
		return true, e.Reason
	case *inspector.EventTargetCrashed:
		return true, "the page crashed"
	}
	return false, ""
}

func (d *Debugger) handle(r *run, event any) {
	switch e := event.(type) {
	case *cdpdebugger.EventScriptParsed:
		d.onScript(r, e)
	case *cdpdebugger.EventPaused:
		if e.Reason == cdpdebugger.PausedReasonInstrumentation {
			d.onInstrumentation(r, e)
			return
		}
		d.onPaused(r, e)
	case *cdpdebugger.EventResumed:
		d.onResumed()
	case *cdppage.EventFrameNavigated:
		d.onNavigated(r, e.Frame)
	}
}

func (d *Debugger) onPaused(r *run, e *cdpdebugger.EventPaused) {
	s := &stop{event: e, run: r}
	ctx, cancel := context.WithTimeout(r.ctx, mapPatience)
	d.describe(ctx, r, s)
	cancel()
	d.shift.Lock()
	defer d.shift.Unlock()
	d.mu.Lock()
	stray := d.left != nil && !d.stepping && s.brief.Reason == AtStep && !d.left.leads(s)
	d.left = nil
	if stray {
		d.mu.Unlock()
		_ = call(r.ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
		return
	}
	d.stop, d.pending = s, false
	d.mu.Unlock()
	d.tab.Block(s.cause(), d.release)
	if d.events.Paused != nil {
		d.events.Paused(s.brief)
	}
	d.mu.Lock()
	s.announced = true
	d.notifyLocked()
	d.mu.Unlock()
}

func (d *Debugger) onResumed() {
	d.shift.Lock()
	defer d.shift.Unlock()
	d.mu.Lock()
	d.resumes++
	stepping := d.stepping
	if stepping {
		d.stop = nil
	}
	d.notifyLocked()
	d.mu.Unlock()
	if !stepping {
		d.running()
	}
}

// running tells everybody that the page is not paused, if it was. shift is held.
func (d *Debugger) running() {
	d.mu.Lock()
	was := d.stop != nil || d.stepping
	d.stop, d.stepping = nil, false
	d.notifyLocked()
	d.mu.Unlock()
	if !was {
		return
	}
	d.tab.Unblock()
	if d.events.Resumed != nil {
		d.events.Resumed()
	}
}

// onNavigated: a new document has come. Breakpoints by URL live on in the browser; those
// that a source map placed went with their scripts.
func (d *Debugger) onNavigated(r *run, frame *cdp.Frame) {
	d.shift.Lock()
	defer d.shift.Unlock()
	d.mu.Lock()
	r.scripts.moved(frame.ID, frame.URL)
	r.before = snapshot{}
	for _, b := range d.settings.breakpoints {
		b.Locations, b.placed = nil, nil
	}
	d.mu.Unlock()
	d.running()
}

// gone: the tab has ended, or its page's process has.
func (d *Debugger) gone(r *run, reason string) {
	r.unhear()
	r.cancel()
	d.shift.Lock()
	defer d.shift.Unlock()
	d.mu.Lock()
	paused := d.stop != nil || d.stepping
	d.stop = nil
	settings := d.settings
	d.mu.Unlock()
	d.forget()
	if paused {
		d.tab.Unblock()
	}
	if d.events.Gone != nil {
		d.events.Gone(reason)
	}
	d.tidy(settings)
}

// tidy waits for a crashed page to come back and takes from it what the browser has given it again: that it is debugged,
// and its breakpoints. Until then it refuses commands. It ends with the tab.
func (d *Debugger) tidy(settings settings) {
	back := make(chan bool, 1)
	unhear := d.tab.Listen(func(event any) {
		answer := false
		switch event.(type) {
		case *inspector.EventTargetReloadedAfterCrash:
			answer = true
		case *inspector.EventDetached:
		default:
			return
		}
		select {
		case back <- answer:
		default: // it is known already
		}
	})
	go func() {
		returned := <-back
		unhear()
		if !returned {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), endLimit)
		defer cancel()
		_ = d.command(ctx, false, func(ctx context.Context) error {
			if d.Enabled() {
				return nil // somebody was quicker, and means it
			}
			return errors.Join(settings.removeAll(ctx, d.session), call(ctx, d.session, cdpdebugger.Disable, cdp.Empty{}))
		})
	}()
}

// onInstrumentation runs before the first statement of a script that has a source map:
// the last moment to place breakpoints that were set in its original files.
func (d *Debugger) onInstrumentation(r *run, e *cdpdebugger.EventPaused) {
	var data struct {
		ScriptID cdp.ScriptID `json:"scriptId"`
	}
	if json.Unmarshal(e.Data, &data) == nil {
		ctx, cancel := context.WithTimeout(r.ctx, instrumentPatience)
		d.place(ctx, r, data.ScriptID)
		cancel()
	}
	_ = call(r.ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
}

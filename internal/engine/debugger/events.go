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
	// mapTimeout is how long the first word of a pause waits for a source map.
	mapTimeout = 300 * time.Millisecond
	// instrumentTimeout is how long a script waits for its source map before it
	// runs without the breakpoints that the map would have placed.
	instrumentTimeout = 2 * time.Second
)

// eventQueue keeps events until they are handled: they arrive where nothing may wait.
type eventQueue struct {
	mu     sync.Mutex
	queue  []any
	wake   chan struct{}
	closed bool
}

func newEventQueue() *eventQueue { return &eventQueue{wake: make(chan struct{}, 1)} }

// put takes what matters here and drops the rest.
func (b *eventQueue) put(event any) {
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
	b.notify()
}

func (b *eventQueue) notify() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *eventQueue) close() {
	b.mu.Lock()
	b.closed, b.queue = true, nil
	b.mu.Unlock()
	b.notify()
}

// take returns what has arrived, waiting for something; ok is false after close.
func (b *eventQueue) take() (events []any, ok bool) {
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

// handleEvents handles the events of one run in order.
func (d *Debugger) handleEvents(r *run) {
	defer close(r.done)
	for {
		events, ok := r.events.take()
		if !ok {
			return
		}
		for _, event := range events {
			if gone, reason := endReason(event); gone {
				d.onEnd(r, reason)
				return
			}
			if r.ctx.Err() == nil {
				d.handle(r, event)
			}
		}
	}
}

func endReason(event any) (gone bool, reason string) {
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
	s := &pauseState{event: e, run: r}
	ctx, cancel := context.WithTimeout(r.ctx, mapTimeout)
	d.summarize(ctx, r, s)
	cancel()
	d.transitionMu.Lock()
	defer d.transitionMu.Unlock()
	d.mu.Lock()
	stray := d.stepOrigin != nil && !d.stepping && s.summary.Reason == AtStep && !d.stepOrigin.leadsTo(s)
	d.stepOrigin = nil
	if stray {
		d.mu.Unlock()
		_ = call(r.ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
		return
	}
	d.paused, d.pausePending = s, false
	d.mu.Unlock()
	d.tab.Block(s.pausedError(), d.release)
	if d.events.Paused != nil {
		d.events.Paused(s.summary)
	}
	d.mu.Lock()
	s.notified = true
	d.notifyLocked()
	d.mu.Unlock()
}

func (d *Debugger) onResumed() {
	d.transitionMu.Lock()
	defer d.transitionMu.Unlock()
	d.mu.Lock()
	d.resumeCount++
	stepping := d.stepping
	if stepping {
		d.paused = nil
	}
	d.notifyLocked()
	d.mu.Unlock()
	if !stepping {
		d.setRunning()
	}
}

// setRunning tells everybody that the page is not paused, if it was. shift is held.
func (d *Debugger) setRunning() {
	d.mu.Lock()
	was := d.paused != nil || d.stepping
	d.paused, d.stepping = nil, false
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
	d.transitionMu.Lock()
	defer d.transitionMu.Unlock()
	d.mu.Lock()
	r.scripts.reset(frame.ID, frame.URL)
	r.previous = snapshot{}
	for _, b := range d.settings.breakpoints {
		b.Locations, b.mapped = nil, nil
	}
	d.mu.Unlock()
	d.setRunning()
}

// onEnd: the tab has ended, or its page's process has.
func (d *Debugger) onEnd(r *run, reason string) {
	r.unsubscribe()
	r.cancel()
	d.transitionMu.Lock()
	defer d.transitionMu.Unlock()
	d.mu.Lock()
	paused := d.paused != nil || d.stepping
	d.paused = nil
	settings := d.settings
	d.mu.Unlock()
	d.clearState()
	if paused {
		d.tab.Unblock()
	}
	if d.events.Ended != nil {
		d.events.Ended(reason)
	}
	d.cleanUpAfterCrash(settings)
}

// cleanUpAfterCrash waits for a crashed page to come back and takes from it what the browser has given it again: that it is debugged,
// and its breakpoints. Until then it refuses commands. It ends with the tab.
func (d *Debugger) cleanUpAfterCrash(settings settings) {
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
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
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
		ctx, cancel := context.WithTimeout(r.ctx, instrumentTimeout)
		d.placeBreakpoints(ctx, r, data.ScriptID)
		cancel()
	}
	_ = call(r.ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
}

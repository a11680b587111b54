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
	// mapTimeout bounds the wait for a source map before Events.Paused.
	mapTimeout = 300 * time.Millisecond
	// instrumentTimeout bounds the wait of a script for its source map. After it the script
	// runs without the breakpoints in its original files.
	instrumentTimeout = 2 * time.Second
)

// eventQueue buffers events between the goroutine that reads them, which must not block, and their
// handler.
type eventQueue struct {
	mu     sync.Mutex
	queue  []any
	wake   chan struct{}
	closed bool
}

func newEventQueue() *eventQueue { return &eventQueue{wake: make(chan struct{}, 1)} }

// put appends a relevant event and drops others.
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
	b.add(event)
}

func (b *eventQueue) add(entry any) {
	b.mu.Lock()
	if !b.closed {
		b.queue = append(b.queue, entry)
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

// marker is an entry of the queue that is closed when all entries before it are handled.
type marker chan struct{}

// mark appends a marker.
func (b *eventQueue) mark() marker {
	m := make(marker)
	b.add(m)
	return m
}

// take waits for events and returns them. ok is false after close.
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

// handleEvents handles the events of a run in order.
func (d *Debugger) handleEvents(r *run) {
	defer close(r.done)
	for {
		events, ok := r.events.take()
		if !ok {
			return
		}
		for _, event := range events {
			if m, ok := event.(marker); ok {
				close(m)
				continue
			}
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

// catchUp waits until the events that the tab has received are handled. A response comes after the
// events that the browser sent before it, but the call may return before they are handled. The error
// is ErrDisabled if the run ends first.
func (r *run) catchUp(ctx context.Context) error {
	select {
	case <-r.events.mark():
		return nil
	case <-r.done:
		return ErrDisabled
	case <-ctx.Done():
		return context.Cause(ctx)
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
	stray := d.stepOrigin != nil && (!d.stepping || d.stepSuspended) && s.summary.Reason == AtStep && !d.stepOrigin.leadsTo(s)
	d.stepOrigin = nil
	if stray {
		d.mu.Unlock()
		_ = call(r.ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
		d.endWait() // the step has left its functions
		return
	}
	d.paused, d.pausePending = s, false
	d.mu.Unlock()
	d.tab.Calls.Block(s.pausedError(), d.release)
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

// setRunning unblocks the tab and reports the resumption if the page was paused. The caller holds
// transitionMu.
func (d *Debugger) setRunning() {
	d.mu.Lock()
	was := d.paused != nil || d.stepping
	d.paused, d.stepping = nil, false
	d.notifyLocked()
	d.mu.Unlock()
	if !was {
		return
	}
	d.tab.Calls.Unblock()
	if d.events.Resumed != nil {
		d.events.Resumed()
	}
}

// onNavigated resets the scripts for a new document. The browser keeps breakpoints by URL; those
// that were set through a source map ended with their scripts.
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

// onEnd handles the end of the tab or of its renderer process.
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
		d.tab.Calls.Unblock()
	}
	if d.events.Ended != nil {
		d.events.Ended(reason)
	}
	d.cleanUpAfterCrash(settings)
}

// cleanUpAfterCrash waits until a crashed page is reloaded and removes the debugger state that the
// browser restores: breakpoints and the enabled domain. Before, the page refuses commands. The wait
// ends with the tab.
func (d *Debugger) cleanUpAfterCrash(settings settings) {
	reloaded := make(chan bool, 1)
	unsubscribe := d.tab.Events.Listen(func(event any) {
		isReload := false
		switch event.(type) {
		case *inspector.EventTargetReloadedAfterCrash:
			isReload = true
		case *inspector.EventDetached:
		default:
			return
		}
		select {
		case reloaded <- isReload:
		default: // an earlier event decides
		}
	})
	go func() {
		isReload := <-reloaded
		unsubscribe()
		if !isReload {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		_ = d.command(ctx, false, func(ctx context.Context) error {
			if d.Enabled() {
				return nil // another call has enabled it since
			}
			return errors.Join(settings.removeAll(ctx, d.session), call(ctx, d.session, cdpdebugger.Disable, cdp.Empty{}))
		})
	}()
}

// onInstrumentation sets breakpoints of original files before the first statement of a script with
// a source map runs.
func (d *Debugger) onInstrumentation(r *run, e *cdpdebugger.EventPaused) {
	var data struct {
		ScriptID cdp.ScriptID `json:"scriptId"`
	}
	if json.Unmarshal(e.Data, &data) == nil {
		ctx, cancel := context.WithTimeout(r.ctx, instrumentTimeout)
		d.Breakpoints.placeInScript(ctx, r, data.ScriptID)
		cancel()
	}
	_ = call(r.ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
}

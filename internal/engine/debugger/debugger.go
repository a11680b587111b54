package debugger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
	cdppage "github.com/chromedp/cdproto/page"
)

// AsyncDepth is the default number of asynchronous calls in a stack trace.
const AsyncDepth = 32

const (
	// cleanupTimeout bounds the CDP commands that clean up in the background.
	cleanupTimeout = 5 * time.Second
)

// Tab is the part of a tab that a debugger needs besides its CDP session.
type Tab struct {
	Events  Listener
	Calls   Blocker
	Scripts Scripts
}

// Listener passes on the events of the tab.
type Listener interface {
	// Listen passes every CDP event to fn in order until stop is called. The end of the tab
	// is an *inspector.EventDetached.
	Listen(fn func(event any)) (stop func())
}

// Blocker stops the calls on the tab's page.
type Blocker interface {
	// Block fails pending and later calls on the page with cause. The tab calls release
	// before an operation that needs the page to run, such as a navigation.
	Block(cause error, release func(context.Context) error)
	Unblock()
}

// Scripts are the scripts of callers in the tab.
type Scripts interface {
	// Begin fails if no script of the caller may run in the tab's document.
	Begin(ctx context.Context) error
	// MayRead fails if the values of the page's own scripts may not be read either.
	MayRead(ctx context.Context) error
	// AddSource has reason be asked why a script of the caller may run in the tab.
	AddSource(reason func() string)
}

// Events are callbacks, which run in order and one at a time, before the call that caused them
// returns. They must not block and must not call methods of the Debugger that take a context. Nil
// callbacks are skipped.
type Events struct {
	// EnabledChanged reports that Enable or Disable has changed the state.
	EnabledChanged func(on bool)
	Paused         func(Pause) // only Reason, Detail, Breakpoints, Function and Location are set
	Resumed        func()      // not between the pauses of a step
	// Ended reports that the page crashed or closed, or its browser exited. The debugger is
	// disabled and without breakpoints then.
	Ended func(reason string)
}

// Debugger debugs one tab. It is disabled until Enable. Its methods are safe for concurrent use;
// those that take a context run one at a time, except ReadPause and Evaluate.
type Debugger struct {
	*state
	tab      Tab
	events   Events
	requests *openRequests

	// Breakpoints has the breakpoints, which Disable drops.
	Breakpoints *Breakpoints

	// transitionMu serializes changes between paused and running with their effects on the
	// tab and the callbacks. It is locked before mu.
	transitionMu sync.Mutex
}

// run is the state between one Enable and the following Disable.
type run struct {
	ctx         context.Context // canceled when the run ends
	cancel      context.CancelFunc
	events      *eventQueue
	unsubscribe func()
	done        chan struct{} // closed when the event handler has returned
	scripts     scripts
	// previous holds the variables of the previous pause, to find changes.
	previous snapshot
}

// New returns a disabled debugger. It sends no command to the browser.
func New(session cdp.Session, tab Tab, events Events) *Debugger {
	s := &state{session: session, commandSlot: make(chan struct{}, 1)}
	d := &Debugger{state: s, tab: tab, events: events, requests: newOpenRequests(), Breakpoints: &Breakpoints{state: s, tab: tab}}
	tab.Scripts.AddSource(d.scriptSource)
	return d
}

// Enable enables CDP's Debugger domain: debugger statements pause the page from now on. asyncDepth
// is the number of asynchronous calls in a stack trace; more of them cost the page memory and time.
// Enable has no effect if the debugger is enabled.
func (d *Debugger) Enable(ctx context.Context, asyncDepth int) error {
	return d.command(ctx, false, func(ctx context.Context) error {
		if d.Enabled() {
			return nil
		}
		d.start()
		err := d.enableDomain(ctx, asyncDepth)
		if err != nil {
			d.end()
			return fmt.Errorf("enable the debugger: %w", err)
		}
		d.notifyEnabled(true)
		return nil
	})
}

func (d *Debugger) notifyEnabled(on bool) {
	d.transitionMu.Lock()
	defer d.transitionMu.Unlock()
	if d.events.EnabledChanged != nil && on == d.Enabled() { // unless the tab has ended
		d.events.EnabledChanged(on)
	}
}

func (d *Debugger) enableDomain(ctx context.Context, asyncDepth int) error {
	if err := call(ctx, d.session, cdpdebugger.Enable, cdpdebugger.EnableParams{}); err != nil {
		return err
	}
	err := call(ctx, d.session, cdpdebugger.SetAsyncCallStackDepth, cdpdebugger.SetAsyncCallStackDepthParams{MaxDepth: int64(asyncDepth)})
	if err != nil {
		return err
	}
	tree, err := cdp.Call(ctx, d.session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return err
	}
	d.mu.Lock()
	if d.run != nil {
		d.run.scripts.reset(tree.FrameTree.Frame.ID, tree.FrameTree.Frame.URL)
	}
	d.mu.Unlock()
	return d.applyIgnored(ctx, nil)
}

func (d *Debugger) start() {
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{ctx: ctx, cancel: cancel, events: newEventQueue(), done: make(chan struct{}), scripts: scripts{session: d.session}}
	d.mu.Lock()
	d.run, d.settings = r, settings{exceptions: ExceptionsNone}
	d.mu.Unlock()
	r.unsubscribe = d.tab.Events.Listen(func(event any) {
		if _, ok := event.(*cdppage.EventJavascriptDialogOpening); ok {
			d.endWait() // no script runs until the dialog is answered
		}
		d.requests.observe(event)
		r.events.put(event)
	})
	go d.handleEvents(r)
}

// Disable resumes the page and drops breakpoints, watches and ignored scripts.
func (d *Debugger) Disable(ctx context.Context) error {
	return d.command(ctx, false, func(ctx context.Context) error {
		if !d.Enabled() {
			return nil
		}
		err := errors.Join(d.Breakpoints.removeAll(ctx), call(ctx, d.session, cdpdebugger.Disable, cdp.Empty{}))
		d.end()
		d.notifyEnabled(false)
		if err != nil {
			return fmt.Errorf("disable the debugger: %w", err)
		}
		return nil
	})
}

// end stops the event handler, waits for it, and clears the state.
func (d *Debugger) end() {
	d.mu.Lock()
	r := d.run
	d.mu.Unlock()
	if r == nil {
		return
	}
	r.unsubscribe()
	r.cancel()
	r.events.close()
	<-r.done
	d.transitionMu.Lock()
	defer d.transitionMu.Unlock()
	d.clearState()
	d.setRunning()
}

// clearState drops all state.
func (d *Debugger) clearState() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.run, d.stepping, d.pausePending, d.stepOrigin = nil, false, false, nil
	d.settings = settings{}
	d.notifyLocked()
}

// call runs a CDP command and drops its result.
func call[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}

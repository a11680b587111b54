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

// AsyncDepth is how many asynchronous calls a stack is followed back through unless
// Enable is told otherwise.
const AsyncDepth = 32

const (
	// cleanupTimeout bounds the protocol calls that clean up when nobody waits for them.
	cleanupTimeout = 5 * time.Second
)

// Tab is the part of a tab that a debugger needs beside its protocol session.
type Tab interface {
	// Listen hands over every protocol event in order until stop is called;
	// the end of the tab is an *inspector.EventDetached.
	Listen(fn func(event any)) (stop func())
	// Block refuses whatever works on the page with cause, and ends what is under
	// way; release is called by who must have the page running.
	Block(cause error, release func(context.Context) error)
	Unblock()
}

// Events are told what happens, in order, one at a time. They run before the answer to
// the call that caused them, must return at once and must not call methods of the
// Debugger that take a context. Nil fields are skipped.
type Events struct {
	// EnabledChanged: Enable has turned the debugger on, or Disable off.
	EnabledChanged func(on bool)
	Paused         func(Pause) // only Reason, Detail, Breakpoints, Function and Location are set
	Resumed        func()      // not between the pauses of a step
	// Ended: the page crashed, was closed, or its browser ended; the debugger is
	// disabled and empty.
	Ended func(reason string)
}

// Debugger debugs one tab. It is off until Enable. Its methods are safe for concurrent
// use; those that take a context run one at a time, except looking at a pause.
type Debugger struct {
	session cdp.Session
	tab     Tab
	events  Events

	commandSlot chan struct{} // one slot: held by the command that is under way

	// transitionMu orders the changes between paused and running together with what they
	// do to the tab and tell the listener. It is taken before mu.
	transitionMu sync.Mutex

	mu           sync.Mutex
	run          *run // nil while off
	paused       *pauseState
	resumeCount  int         // counts resumptions
	stepping     bool        // a command waits for what follows the resumption
	pausePending bool        // a pause was asked for and has not come
	stepOrigin   *pauseState // where a step set out from that nothing has followed yet
	stateChanged chan struct{}
	settings     settings
}

// settings are what the user set up; they are gone when the debugger is disabled.
type settings struct {
	lastID          int
	breakpoints     []*breakpoint
	watches         []string
	ignored         []string // patterns as given
	exceptions      Exceptions
	instrumentation cdpdebugger.BreakpointID // "" unless some breakpoint may be in an original file
}

// run is one time of being enabled.
type run struct {
	ctx         context.Context // ends with it
	cancel      context.CancelFunc
	events      *eventQueue
	unsubscribe func()
	done        chan struct{} // closed when no more events are handled
	scripts     scripts
	// previous are the variables of the previous pause, for what changed.
	previous snapshot
}

// New makes the debugger of a tab. It says nothing to the browser.
func New(session cdp.Session, tab Tab, events Events) *Debugger {
	return &Debugger{session: session, tab: tab, events: events, commandSlot: make(chan struct{}, 1)}
}

// Enable turns the debugger on: scripts are known from now on, and a debugger statement
// pauses the page. asyncDepth is how many asynchronous calls a stack is followed back
// through, 0 being none; more cost the page memory and time. Being on already is fine.
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
	if d.events.EnabledChanged != nil && on == d.Enabled() { // unless the tab has ended meanwhile
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
	r := &run{ctx: ctx, cancel: cancel, events: newEventQueue(), done: make(chan struct{})}
	d.mu.Lock()
	d.run, d.settings = r, settings{exceptions: ExceptionsNone}
	d.mu.Unlock()
	r.unsubscribe = d.tab.Listen(r.events.put)
	go d.handleEvents(r)
}

// Disable lets the page run and forgets everything: breakpoints, watches, patterns.
func (d *Debugger) Disable(ctx context.Context) error {
	return d.command(ctx, false, func(ctx context.Context) error {
		if !d.Enabled() {
			return nil
		}
		err := errors.Join(d.removeAll(ctx), call(ctx, d.session, cdpdebugger.Disable, cdp.Empty{}))
		d.end()
		d.notifyEnabled(false)
		if err != nil {
			return fmt.Errorf("disable the debugger: %w", err)
		}
		return nil
	})
}

// end forgets everything and stops hearing events; it waits for the one being handled,
// unless that is what calls it.
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

// Enabled reports whether the debugger is on.
func (d *Debugger) Enabled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.run != nil
}

// Paused returns the current pause as Events.Paused was told it.
func (d *Debugger) Paused() (Pause, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paused == nil {
		return Pause{}, false
	}
	return d.paused.summary, true
}

// command runs fn while no other command does. enabled says that the debugger must be on.
func (d *Debugger) command(ctx context.Context, enabled bool, fn func(context.Context) error) error {
	select {
	case d.commandSlot <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the debugger: %w", context.Cause(ctx))
	}
	defer func() { <-d.commandSlot }()
	if enabled && !d.Enabled() {
		return ErrDisabled
	}
	return fn(ctx)
}

// call runs a protocol command whose result does not matter.
func call[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}

func (d *Debugger) notifyLocked() {
	if d.stateChanged != nil {
		close(d.stateChanged)
		d.stateChanged = nil
	}
}

// waitFor waits until cond, which is called with mu held, holds. It ends with ErrDisabled
// when the debugger does.
func (d *Debugger) waitFor(ctx context.Context, cond func() bool) error {
	for {
		d.mu.Lock()
		if cond() {
			d.mu.Unlock()
			return nil
		}
		if d.run == nil {
			d.mu.Unlock()
			return ErrDisabled
		}
		if d.stateChanged == nil {
			d.stateChanged = make(chan struct{})
		}
		changed := d.stateChanged
		d.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

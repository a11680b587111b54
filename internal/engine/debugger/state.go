package debugger

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
)

// state is the state of a debugger: whether it is enabled, whether the page is paused, and the breakpoints
// that the user has set.
type state struct {
	session     cdp.Session
	commandSlot chan struct{} // one slot, held by the running command

	mu           sync.Mutex
	run          *run // nil while disabled
	paused       *pauseState
	resumeCount  int         // number of resumptions
	stepping     bool        // a command waits for the next pause or the end of the script
	pausePending bool        // a pause was requested and has not occurred
	stepOrigin   *pauseState // where a step set out from that nothing has followed yet
	// stepSuspended reports that the script of the step has ended or awaits something, so a
	// pause elsewhere does not belong to the step.
	stepSuspended bool
	waitOver      bool // nothing will pause the page before the next command
	stateChanged  chan struct{}
	settings      settings
}

// settings are the user's configuration, which Disable drops.
type settings struct {
	lastID          int
	breakpoints     []*breakpoint
	watches         []string
	ignored         []string // patterns as the user gave them
	ignoredTell     bool     // one of them tells a part of an address
	exceptions      Exceptions
	instrumentation cdpdebugger.BreakpointID // "" unless a breakpoint may belong to an original file
}

// Enabled reports whether the debugger is enabled.
func (s *state) Enabled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run != nil
}

// Paused returns the current pause with the fields of Events.Paused.
func (s *state) Paused() (Pause, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused == nil {
		return Pause{}, false
	}
	return s.paused.summary, true
}

// current returns the current pause. The errors are ErrDisabled and ErrNotPaused.
func (s *state) current() (*pauseState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.run == nil:
		return nil, ErrDisabled
	case s.paused == nil:
		return nil, ErrNotPaused
	}
	return s.paused, nil
}

// checkPaused returns err, or ErrNotPaused or ErrDisabled if err is not nil and the pause p has
// ended.
func (s *state) checkPaused(p *pauseState, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil || s.paused == p:
		return err
	case s.run == nil:
		return ErrDisabled
	}
	return ErrNotPaused
}

// command runs fn while no other command runs. If enabled is true, a disabled debugger is
// ErrDisabled.
func (s *state) command(ctx context.Context, enabled bool, fn func(context.Context) error) error {
	select {
	case s.commandSlot <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the debugger: %w", context.Cause(ctx))
	}
	defer func() { <-s.commandSlot }()
	if enabled && !s.Enabled() {
		return ErrDisabled
	}
	return fn(ctx)
}

func (s *state) notifyLocked() {
	if s.stateChanged != nil {
		close(s.stateChanged)
		s.stateChanged = nil
	}
}

// waitFor waits until cond returns true; it calls cond with mu held. It returns ErrDisabled when
// the debugger is disabled.
func (s *state) waitFor(ctx context.Context, cond func() bool) error {
	for {
		s.mu.Lock()
		if cond() {
			s.mu.Unlock()
			return nil
		}
		if s.run == nil {
			s.mu.Unlock()
			return ErrDisabled
		}
		if s.stateChanged == nil {
			s.stateChanged = make(chan struct{})
		}
		changed := s.stateChanged
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// waitForPause waits until the page pauses, but at most timeout. If waitForEnd is not nil, it ends
// the wait by returning.
func (s *state) waitForPause(ctx context.Context, timeout time.Duration, waitForEnd func(context.Context)) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if waitForEnd != nil {
		go func() {
			defer cancel()
			waitForEnd(ctx)
		}()
	}
	err := s.waitFor(ctx, func() bool { return s.waitOver || s.paused != nil && s.paused.notified })
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// endWait ends the current wait for a pause, or one that is about to begin.
func (s *state) endWait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waitOver = true
	s.notifyLocked()
}

// scriptSource says that conditions or watched expressions of the caller run in the page.
func (s *state) scriptSource() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	conditional := slices.ContainsFunc(s.settings.breakpoints, func(b *breakpoint) bool {
		return b.Condition != "" || b.Kind == RequestBreakpoint && b.Pattern != "" || b.pattern != nil && b.pattern.tells()
	})
	if s.run != nil && (conditional || s.settings.ignoredTell || len(s.settings.watches) > 0) {
		return "the debugger evaluates conditions or watched expressions in this tab, or stops at parts of addresses; remove them or detach it, and type again"
	}
	return ""
}

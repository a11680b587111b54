package debugger

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"
)

const (
	// pauseTimeout is how long a command waits for the next pause while script runs.
	pauseTimeout = 300 * time.Millisecond
	// idleTimeout is how long it waits once the page has nothing to do: an awaited
	// answer or a short timer may bring the next pause.
	idleTimeout = 60 * time.Millisecond
)

// Step is a way of going on from a pause.
type Step string

// The steps.
const (
	StepOver Step = "over" // to the next statement of this function
	StepInto Step = "into" // into the function that is called next
	StepOut  Step = "out"  // to where this function was called
)

// Outcome is what came of letting the page run.
type Outcome struct {
	// Pause is where the page is paused now, or nil if it runs: then nothing paused it
	// within 300 ms, or it had nothing left to do.
	Pause *Pause
	// Pending: the page will pause at the next statement that it runs.
	Pending bool
}

// Step runs to the next place of interest. An await is stepped over as if it were a call.
// ErrNotPaused if the page is not paused.
func (d *Debugger) Step(ctx context.Context, step Step) (Outcome, error) {
	return d.resumeWith(ctx, "step "+string(step), step != StepInto, func(ctx context.Context) error {
		switch step {
		case StepInto:
			yes := true
			return call(ctx, d.session, cdpdebugger.StepInto, cdpdebugger.StepIntoParams{BreakOnAsyncCall: &yes})
		case StepOut:
			return call(ctx, d.session, cdpdebugger.StepOut, cdp.Empty{})
		case StepOver:
		}
		return call(ctx, d.session, cdpdebugger.StepOver, cdpdebugger.StepOverParams{})
	})
}

// Resume lets the page run. ErrNotPaused if it is not paused.
func (d *Debugger) Resume(ctx context.Context) (Outcome, error) {
	return d.resumeWith(ctx, "resume", false, func(ctx context.Context) error {
		return call(ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
	})
}

// resumeWith ends the current pause and waits for what follows. Until that is known the tab
// stays blocked: between the pauses of a step there is no room for anything else. stays
// says that the step keeps to the functions of this stack.
func (d *Debugger) resumeWith(ctx context.Context, what string, stays bool, send func(context.Context) error) (Outcome, error) {
	var out Outcome
	err := d.command(ctx, true, func(ctx context.Context) error {
		from, err := d.current()
		if err != nil {
			return err
		}
		d.mu.Lock()
		resumes := d.resumeCount
		d.stepping = true
		if d.stepOrigin = nil; stays {
			d.stepOrigin = from
		}
		d.mu.Unlock()
		defer d.finishStep()
		if err := send(ctx); err != nil {
			return fmt.Errorf("%s: %w", what, d.checkPaused(from, err))
		}
		err = d.waitFor(ctx, func() bool { return d.resumeCount != resumes || d.paused != from })
		if err == nil {
			err = d.waitForPause(ctx, true)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	return d.outcome(ctx)
}

// finishStep ends the wait of a command: paused again, or running.
func (d *Debugger) finishStep() {
	d.transitionMu.Lock()
	defer d.transitionMu.Unlock()
	d.mu.Lock()
	paused := d.paused != nil
	if paused {
		d.stepping = false
	}
	d.mu.Unlock()
	if !paused {
		d.setRunning()
	}
}

// waitForPause waits until the page is paused, or for as long as is worth it. probe asks the
// page's thread a question that runs no script: when it answers, the script that was
// resumed has ended.
func (d *Debugger) waitForPause(ctx context.Context, probe bool) error {
	ctx, cancel := context.WithTimeout(ctx, pauseTimeout)
	defer cancel()
	if probe {
		go func() {
			_, err := cdp.Call(ctx, d.session, runtime.GetIsolateID, cdp.Empty{})
			if err != nil {
				return // the wait is over, and so is this
			}
			select {
			case <-ctx.Done():
			case <-time.After(idleTimeout):
				cancel()
			}
		}()
	}
	err := d.waitFor(ctx, func() bool { return d.paused != nil && d.paused.notified })
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Pause pauses the page at the next statement that it runs. An idle page runs none, and
// the outcome is Pending. If the page is paused already that is the outcome.
func (d *Debugger) Pause(ctx context.Context) (Outcome, error) {
	err := d.command(ctx, true, func(ctx context.Context) error {
		if _, err := d.current(); err == nil {
			return nil
		}
		d.mu.Lock()
		d.pausePending = true
		d.mu.Unlock()
		if err := call(ctx, d.session, cdpdebugger.Pause, cdp.Empty{}); err != nil {
			return fmt.Errorf("pause: %w", err)
		}
		if err := d.waitForPause(ctx, false); err != nil {
			return fmt.Errorf("pause: %w", err)
		}
		return nil
	})
	if err != nil {
		return Outcome{}, err
	}
	return d.outcome(ctx)
}

func (d *Debugger) outcome(ctx context.Context) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, context.Cause(ctx)
	}
	p, err := d.ReadPause(ctx)
	switch {
	case err == nil:
		return Outcome{Pause: &p}, nil
	case isNotPaused(err):
		d.mu.Lock()
		defer d.mu.Unlock()
		return Outcome{Pending: d.pausePending}, nil
	}
	return Outcome{}, err
}

// release lets the page run for who must have it running, a navigation or the end of the
// tab. The script that was paused is abandoned: its document is about to go.
func (d *Debugger) release(ctx context.Context) error {
	s, err := d.current()
	if err == nil {
		yes := true
		err = call(ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{TerminateOnResume: &yes})
		if err = d.checkPaused(s, err); err == nil {
			err = d.waitFor(ctx, func() bool { return d.paused != s })
		}
	}
	if err == nil || isNotPaused(err) || isDisabled(err) {
		d.transitionMu.Lock()
		defer d.transitionMu.Unlock()
		if _, err := d.current(); err != nil {
			d.setRunning()
		}
		return nil
	}
	return fmt.Errorf("let the page run: %w", err)
}

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
	// pauseTimeout bounds the wait for the next pause after Resume and Pause.
	pauseTimeout = 300 * time.Millisecond
	// stepTimeout bounds the wait for the end of a step.
	stepTimeout = 5 * time.Second
	// idleTimeout bounds the wait once the page is idle: an awaited promise or a short timer
	// may lead to the next pause.
	idleTimeout = 60 * time.Millisecond
)

// Step is a kind of step.
type Step string

// The steps.
const (
	StepOver Step = "over" // to the next statement of this function
	StepInto Step = "into" // into the function that is called next
	StepOut  Step = "out"  // to where this function was called
)

// Outcome is the state after a resumption.
type Outcome struct {
	// Pause is the new pause, or nil if nothing paused the page until it became idle, for at
	// most 300 ms. A step waits for at most 5 s, also for the requests that the page began
	// during it and the steps before it.
	Pause *Pause
	// Pending reports that the page will pause at the next statement that it runs.
	Pending bool
}

// Step runs to the end of the step. It steps over an await as over a call. The error is
// ErrNotPaused if the page runs.
func (d *Debugger) Step(ctx context.Context, step Step) (Outcome, error) {
	return d.resumeWith(ctx, step, func(ctx context.Context) error {
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

// Resume resumes the page. The error is ErrNotPaused if the page runs.
func (d *Debugger) Resume(ctx context.Context) (Outcome, error) {
	return d.resumeWith(ctx, "", func(ctx context.Context) error {
		return call(ctx, d.session, cdpdebugger.Resume, cdpdebugger.ResumeParams{})
	})
}

// resumeWith resumes the page with send and waits for the next pause. The tab stays blocked
// meanwhile, so that no other call runs between the pauses of a step. step is "" for no step.
func (d *Debugger) resumeWith(ctx context.Context, step Step, send func(context.Context) error) (Outcome, error) {
	what := "step " + string(step)
	if step == "" {
		what = "resume"
	}
	var out Outcome
	err := d.command(ctx, true, func(ctx context.Context) error {
		from, err := d.current()
		if err != nil {
			return err
		}
		d.mu.Lock()
		resumes := d.resumeCount
		d.stepping, d.stepSuspended, d.waitOver = true, false, false
		if d.stepOrigin = nil; step == StepOver || step == StepOut {
			d.stepOrigin = from // the step ends in a function of the current stack
		}
		d.mu.Unlock()
		defer d.finishStep()
		if from.summary.Reason != AtStep {
			d.requests.reset()
		}
		if err := send(ctx); err != nil {
			return fmt.Errorf("%s: %w", what, d.checkPaused(from, err))
		}
		err = d.waitFor(ctx, func() bool { return d.resumeCount != resumes || d.paused != from })
		switch {
		case err != nil:
		case step == "":
			err = d.waitForPause(ctx, pauseTimeout, d.waitForIdle)
		default:
			err = d.waitForPause(ctx, stepTimeout, d.waitForStep)
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

// finishStep ends the wait of a command and sets the state to paused or running.
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

// waitForStep waits until the page is idle and has answered the requests that it began.
func (d *Debugger) waitForStep(ctx context.Context) {
	for {
		d.waitForIdle(ctx)
		d.mu.Lock()
		if ctx.Err() == nil { // the next step may have begun otherwise
			d.stepSuspended = true
		}
		d.mu.Unlock()
		if !d.requests.wait(ctx) {
			return
		}
	}
}

// waitForIdle sends a command that runs no script, to which the page's main thread responds when
// the resumed script has ended, and waits for idleTimeout after it.
func (d *Debugger) waitForIdle(ctx context.Context) {
	_, _ = cdp.Call(ctx, d.session, runtime.GetIsolateID, cdp.Empty{}) // an error ends the wait as well
	select {
	case <-ctx.Done():
	case <-time.After(idleTimeout):
	}
}

// Pause pauses the page at the next statement that it runs. For an idle page the outcome is
// Pending. For a paused page the outcome is the current pause.
func (d *Debugger) Pause(ctx context.Context) (Outcome, error) {
	err := d.command(ctx, true, func(ctx context.Context) error {
		if _, err := d.current(); err == nil {
			return nil
		}
		d.mu.Lock()
		d.pausePending, d.waitOver = true, false
		d.mu.Unlock()
		if err := call(ctx, d.session, cdpdebugger.Pause, cdp.Empty{}); err != nil {
			return fmt.Errorf("pause: %w", err)
		}
		if err := d.waitForPause(ctx, pauseTimeout, nil); err != nil {
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

// release resumes the page for a navigation or the end of the tab. It terminates the paused script,
// whose document is about to be replaced.
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
	return fmt.Errorf("resume the page: %w", err)
}

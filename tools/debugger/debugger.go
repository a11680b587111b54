// Package debugger implements the tools of area debugger: breakpoints, stepping, and looking around
// while the page's JavaScript is paused.
//
// It says in texts what the engine in internal/engine/debugger finds. It must not know which tab or
// browser a debugger belongs to, nor keep anything between calls.
package debugger

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset/debuggerapi"
	"github.com/callsheet/callsheet/internal/engine/debugger"
)

// stackFrames is the default number of frames of a call stack.
const stackFrames = 10

// Debuggers finds the debugger of the current tab of the connection that a call names, or of the
// active one; it is made at first use. Its errors may be the engine's.
type Debuggers func(ctx context.Context, call *toolkit.Call, connection toolkit.Opt[string]) (*debugger.Debugger, error)

// Tools are the handlers of the area.
type Tools struct{ find Debuggers }

// New makes the handlers.
func New(find Debuggers) *Tools { return &Tools{find: find} }

var _ debuggerapi.Handlers = (*Tools)(nil)

// withDebugger runs fn with the debugger that a call addresses and gives its text, or the refusal
// that its error amounts to.
func (t *Tools) withDebugger(
	ctx context.Context, call *toolkit.Call, connection toolkit.Opt[string], fn func(*debugger.Debugger) (string, error),
) (toolkit.Result, error) {
	d, err := t.find(ctx, call, connection)
	if err != nil {
		return toolkit.Result{}, err
	}
	text, err := fn(d)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(text), nil
}

// DebuggerEnable attaches the debugger.
func (t *Tools) DebuggerEnable(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerEnableParams) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		return "the debugger is enabled; debugger statements pause the page, and so do the breakpoints you set", d.Enable(ctx, in.AsyncDepth)
	})
}

// DebuggerDisable lets the page run and detaches the debugger.
func (t *Tools) DebuggerDisable(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerDisableParams) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		return "the debugger is disabled; the page runs, breakpoints and watches are gone", d.Disable(ctx)
	})
}

// DebuggerPause pauses at the next statement.
func (t *Tools) DebuggerPause(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerPauseParams) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) { return stepResult(d.Pause(ctx)) })
}

// DebuggerResume lets the page run to the next breakpoint.
func (t *Tools) DebuggerResume(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerResumeParams) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) { return stepResult(d.Resume(ctx)) })
}

// DebuggerStepOver runs to the next statement of the function.
func (t *Tools) DebuggerStepOver(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerStepOverParams) (toolkit.Result, error) {
	return t.step(ctx, call, in.ConnectionID, debugger.StepOver)
}

// DebuggerStepInto runs into the next call.
func (t *Tools) DebuggerStepInto(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerStepIntoParams) (toolkit.Result, error) {
	return t.step(ctx, call, in.ConnectionID, debugger.StepInto)
}

// DebuggerStepOut runs to the end of the function.
func (t *Tools) DebuggerStepOut(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerStepOutParams) (toolkit.Result, error) {
	return t.step(ctx, call, in.ConnectionID, debugger.StepOut)
}

func (t *Tools) step(ctx context.Context, call *toolkit.Call, connection toolkit.Opt[string], how debugger.Step) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, connection, func(d *debugger.Debugger) (string, error) { return stepResult(d.Step(ctx, how)) })
}

// stepResult describes the next pause after the page was resumed, or its absence.
func stepResult(out debugger.Outcome, err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case out.Pause != nil:
		return out.Pause.Text(stackFrames), nil
	case out.Pending:
		return "nothing runs now; the page will pause at the next statement that it runs", nil
	}
	return "running", nil
}

// DebuggerGetCallStack tells where the page is paused.
func (t *Tools) DebuggerGetCallStack(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerGetCallStackParams) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		p, err := d.ReadPause(ctx)
		return p.Text(in.Limit), err
	})
}

// DebuggerEvaluateOnCallFrame evaluates an expression in the paused code.
func (t *Tools) DebuggerEvaluateOnCallFrame(
	ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerEvaluateOnCallFrameParams,
	powers debuggerapi.DebuggerEvaluateOnCallFramePowers,
) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		r, err := d.Evaluate(ctx, powers.Script(), in.CallFrameID.Value, in.Expression)
		return r.Text, err
	})
}

// DebuggerSetBreakpoint sets a breakpoint of any kind.
func (t *Tools) DebuggerSetBreakpoint(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerSetBreakpointParams, powers debuggerapi.DebuggerSetBreakpointPowers) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		b, err := setBreakpoint(ctx, powers.Script(), d, in)
		return b.String(), err
	})
}

func setBreakpoint(ctx context.Context, script power.Script, d *debugger.Debugger, in debuggerapi.DebuggerSetBreakpointParams) (debugger.Breakpoint, error) {
	switch in.Kind {
	case debuggerapi.DebuggerSetBreakpointKindXhr:
		return d.Breakpoints.SetRequest(ctx, in.URL.Value)
	case debuggerapi.DebuggerSetBreakpointKindEvent:
		return d.Breakpoints.SetEvent(ctx, in.Event.Value, "")
	case debuggerapi.DebuggerSetBreakpointKindLine:
	}
	return d.Breakpoints.SetLine(ctx, script, debugger.Line{
		Pattern: in.URL.Value, Line: in.LineNumber.Value, Column: in.ColumnNumber.Value, Condition: in.Condition.Value,
	})
}

// DebuggerRemoveBreakpoint removes a breakpoint and lists the others.
func (t *Tools) DebuggerRemoveBreakpoint(
	ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerRemoveBreakpointParams,
) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		if err := d.Breakpoints.Remove(ctx, in.BreakpointID); err != nil {
			return "", err
		}
		lines := []string{"removed " + in.BreakpointID}
		for _, b := range d.Breakpoints.List() {
			lines = append(lines, b.String())
		}
		return strings.Join(lines, "\n"), nil
	})
}

// DebuggerSetPauseOnExceptions chooses which exceptions pause the page.
func (t *Tools) DebuggerSetPauseOnExceptions(
	ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerSetPauseOnExceptionsParams,
) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		which := debugger.Exceptions(in.State) // the same closed set of words
		return fmt.Sprintf("exceptions that pause: %s", which), d.PauseOnExceptions(ctx, which)
	})
}

// DebuggerWatch adds, removes or lists watched expressions, with their values while the page is
// paused.
func (t *Tools) DebuggerWatch(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerWatchParams, powers debuggerapi.DebuggerWatchPowers) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		var err error
		switch in.Action {
		case debuggerapi.DebuggerWatchActionAdd:
			err = d.Watch(ctx, powers.Script(), in.Expression.Value)
		case debuggerapi.DebuggerWatchActionRemove:
			err = d.Unwatch(in.Expression.Value)
		case debuggerapi.DebuggerWatchActionList:
		}
		if err != nil {
			return "", err
		}
		if p, err := d.ReadPause(ctx); err == nil && len(p.Watches) > 0 {
			return p.WatchText(), nil
		}
		return listLine("watched", d.Watches()), nil
	})
}

// DebuggerBlackbox adds, removes or lists patterns of scripts that stepping skips.
func (t *Tools) DebuggerBlackbox(ctx context.Context, call *toolkit.Call, in debuggerapi.DebuggerBlackboxParams) (toolkit.Result, error) {
	return t.withDebugger(ctx, call, in.ConnectionID, func(d *debugger.Debugger) (string, error) {
		pattern, list := "/"+in.Pattern.Value+"/", d.Ignored()
		var err error
		switch in.Action {
		case debuggerapi.DebuggerBlackboxActionAdd:
			if !slices.Contains(list, pattern) {
				err = d.Ignore(ctx, append(list, pattern))
			}
		case debuggerapi.DebuggerBlackboxActionRemove:
			if !slices.Contains(list, pattern) {
				return "", toolkit.Refuse(codes.NotFound, listLine(fmt.Sprintf("%q is not among the patterns; skipped", in.Pattern.Value), list))
			}
			err = d.Ignore(ctx, slices.DeleteFunc(list, func(p string) bool { return p == pattern }))
		case debuggerapi.DebuggerBlackboxActionList:
		}
		return listLine("skipped", d.Ignored()), err
	})
}

func listLine(what string, list []string) string {
	if len(list) == 0 {
		return what + ": nothing"
	}
	return what + ": " + strings.Join(list, ", ")
}

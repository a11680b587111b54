package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/template"
	"github.com/callsheet/callsheet/internal/workflow/toolschema"
)

// runCall renders the arguments of a step and calls its tool, repeated as retry and until demand.
func (e *execution) runCall(ctx context.Context, s *definition.Step, f *stepScope) ([]StepReport, *Result, *StepError) {
	begun := time.Now()
	rep := newReport(s, "failed", 0)
	args, problem := e.renderArgs(s, f)
	if problem != nil {
		return []StepReport{rep}, nil, problem
	}
	path, problem := e.outputPath(s, f)
	if problem != nil {
		return []StepReport{rep}, nil, problem
	}
	if e.DryRun {
		rep.Status, rep.Args = "ok", args
		return []StepReport{rep}, NewResult(external.Result{}), nil
	}
	e.reportProgress(0, s.Action())
	result, calls, failed := e.callWithRetries(ctx, s, f, args)
	e.mu.Lock()
	e.callsDone++
	e.resultBytes += result.size()
	full := e.resultBytes > maxResultBytes
	e.mu.Unlock()
	if full && failed == nil {
		result, failed = nil, e.newError(s, "rejected",
			fmt.Sprintf("the results of this run exceed %d MB; request less in each step", maxResultBytes>>20), 0)
	}
	if path != "" && failed == nil {
		failed = e.saveResult(ctx, s, path, result)
	}
	e.reportProgress(0, s.Action())
	rep.Millis, rep.Result, rep.Attempts = time.Since(begun).Milliseconds(), result, calls
	if failed != nil {
		failed.Millis, failed.Attempts = rep.Millis, calls
		return []StepReport{rep}, result, failed
	}
	rep.Status = "ok"
	return []StepReport{rep}, result, nil
}

// renderArgs returns the arguments of a call as JSON, converted and checked by the tool's schema.
func (e *execution) renderArgs(s *definition.Step, f *stepScope) (json.RawMessage, *StepError) {
	values := map[string]any{}
	if s.Args != nil {
		v, _, err := f.evalValue(s.Args)
		if err != nil {
			return nil, e.newError(s, "template", err.Error(), 0)
		}
		values = v.(map[string]any)
	}
	target := e.Tools[s]
	if target == nil {
		return nil, e.newError(s, "unavailable", "the tools of the server are unknown", 0)
	}
	values, _ = template.PlainJSON(target.Schema.Convert(values)).(map[string]any)
	target.Schema.FillDefaults(values)
	if problems := target.Schema.Validate(values); len(problems) > 0 {
		return nil, e.newError(s, "arguments", "the arguments do not match the schema: "+joinViolations(problems), 0)
	}
	data, err := json.Marshal(values)
	if err != nil {
		return nil, e.newError(s, "arguments", err.Error(), 0)
	}
	return data, nil
}

// joinViolations joins violations on one line.
func joinViolations(problems []toolschema.Violation) string {
	lines := slicesx.List(problems, func(p toolschema.Violation) string { return p.String() })
	return strings.Join(lines, "; ")
}

// callWithRetries calls the tool until retry and until are satisfied. It returns the number of
// calls. Only consecutive failures count for retry.
func (e *execution) callWithRetries(ctx context.Context, s *definition.Step, f *stepScope,
	args json.RawMessage) (*Result, int, *StepError) {
	var until <-chan time.Time
	if s.Until != nil {
		timer := time.NewTimer(s.Until.Timeout)
		defer timer.Stop()
		until = timer.C
	}
	for calls, failures := 1, 0; ; calls++ {
		result, failed := e.callOnce(ctx, s, args)
		if failed == nil && s.Expect != nil {
			failed = e.checkExpected(ctx, s, f, result)
		}
		if failed != nil {
			if failures++; !e.waitForRetry(ctx, s, failed, failures) {
				return result, calls, failed
			}
			continue
		}
		failures = 0
		if s.Until == nil {
			return result, calls, nil
		}
		holds, err := holdsFor(ctx, s.Until.If, f, result)
		if err != nil {
			return result, calls, e.conditionError(ctx, s, err)
		}
		if holds {
			return result, calls, nil
		}
		select {
		case <-time.After(s.Until.Interval):
		case <-until:
			return result, calls, e.newError(s, "timeout",
				fmt.Sprintf("%q did not hold within %v", s.Until.If.Text.Value, s.Until.Timeout), 0)
		case <-ctx.Done():
			return result, calls, e.newError(s, failureOf(ctx.Err()), contextReason(ctx), 0)
		}
	}
}

// holdsFor evaluates a condition over the result of a call.
func holdsFor(ctx context.Context, c *definition.Condition, f *stepScope, result *Result) (bool, error) {
	return c.Holds(ctx, f.withLocals(map[string]any{"result": result.conditionEnv()}).conditionEnv())
}

// checkExpected returns the failure of a call whose tool reports success with another result than the step expects.
func (e *execution) checkExpected(ctx context.Context, s *definition.Step, f *stepScope, result *Result) *StepError {
	holds, err := holdsFor(ctx, s.Expect, f, result)
	switch {
	case err != nil:
		return e.conditionError(ctx, s, err)
	case !holds:
		return e.newError(s, "tool", fmt.Sprintf("%q does not hold for the result: %s", s.Expect.Text.Value, text.ClipRunes(result.Text(), maxQuoted)), 0)
	}
	return nil
}

// waitForRetry waits before another attempt and reports whether there is one. It repeats a call
// only if the tool is idempotent or read-only, or if retry says unsafe.
func (e *execution) waitForRetry(ctx context.Context, s *definition.Step, failed *StepError, attempt int) bool {
	retry := s.Retry
	if retry == nil || attempt >= retry.Attempts || ctx.Err() != nil ||
		!retry.Matches(failed.Failure, failed.Message) ||
		!retry.Unsafe && !e.Tools[s].IsRepeatable() {
		return false
	}
	delay := min(retry.Backoff<<min(attempt-1, 16), retry.MaxDelay)
	return e.sleep(ctx, delay) == nil
}

// callOnce calls the tool once.
func (e *execution) callOnce(ctx context.Context, s *definition.Step, args json.RawMessage) (*Result, *StepError) {
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
		defer cancel()
	}
	unlock, err := e.lockServer(ctx, s.Alias)
	if err != nil {
		return nil, e.newError(s, failureOf(err), contextReason(ctx), 0)
	}
	defer unlock()
	raw, err := e.Caller.Call(ctx, s.Alias, s.Tool, args, func(done, total float64, message string) {
		if total > 0 && done <= total {
			e.reportProgress(done/total, strings.TrimSpace(s.Action()+" "+message))
		}
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, e.newError(s, failureOf(ctx.Err()), contextReason(ctx), 0)
	case err != nil:
		return nil, e.newError(s, failureOf(err), errorMessage(err, s), 0)
	}
	result := NewResult(raw)
	if raw.IsError {
		return result, e.newError(s, "tool", "the tool reports: "+text.ClipRunes(result.Text(), maxQuoted), 0)
	}
	return result, nil
}

// lockServer waits until no other step of this run calls the stateful server.
func (e *execution) lockServer(ctx context.Context, alias string) (func(), error) {
	if !e.Caller.Stateful(alias) {
		return func() {}, nil
	}
	e.mu.Lock()
	turn, ok := e.serverLocks[alias]
	if !ok {
		turn = make(chan struct{}, 1)
		e.serverLocks[alias] = turn
	}
	e.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// errorMessage returns the error text without the name of the tool, which StepError.Error adds.
func errorMessage(err error, s *definition.Step) string {
	return strings.TrimPrefix(err.Error(), s.Action()+": ")
}

func contextReason(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the time is up"
	}
	return "the call was cancelled"
}

// failureOf maps an error to the failures that retry.on names.
func failureOf(err error) string {
	switch kind := external.ReasonOf(err); kind {
	case external.Died, external.Unavailable, external.Closed:
		return "transport"
	case external.Timeout:
		return "timeout"
	case external.Canceled:
		return "cancelled"
	case "":
	default:
		return string(kind)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "transport"
}

// Limits in characters: of an error message, and of a tool's text that it quotes.
const (
	maxMessage = 2000
	maxQuoted  = 600
)

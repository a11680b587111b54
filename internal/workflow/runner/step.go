package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// runSteps runs steps in order until one fails, unless its onError continues.
func (e *execution) runSteps(ctx context.Context, steps []*definition.Step, f *stepScope) (out []StepReport,
	failed *StepError) {
	for i, s := range steps {
		if ctx.Err() != nil {
			return out, e.newError(s, failureOf(ctx.Err()), "not started: "+contextReason(ctx), 0)
		}
		reports, err := e.runStep(ctx, s, f)
		out = append(out, reports...)
		if err == nil {
			continue
		}
		switch {
		case s.OnError == definition.Continue && ctx.Err() == nil:
			e.addNonFatal(err)
		case s.OnError == definition.SkipRest && ctx.Err() == nil:
			e.addNonFatal(err)
			for _, rest := range steps[i+1:] {
				out = append(out, newReport(rest, "skipped", 0))
			}
			return out, nil
		default:
			return out, err
		}
	}
	return out, nil
}

func (e *execution) addNonFatal(err *StepError) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.nonFatal = append(e.nonFatal, err)
}

func newReport(s *definition.Step, status string, took time.Duration) StepReport {
	return StepReport{Step: s.Path, ID: s.ID, Call: s.Action(), Status: status, Millis: took.Milliseconds(),
		Definition: s}
}

func (e *execution) newError(s *definition.Step, kind, message string, took time.Duration) *StepError {
	return &StepError{Workflow: e.Name, Step: s.Path, ID: s.ID, Call: s.Action(), Failure: kind,
		Message: text.ClipRunes(message, maxMessage), Millis: took.Milliseconds()}
}

// runStep evaluates the guards of a step, runs its action and sets its variables.
func (e *execution) runStep(ctx context.Context, s *definition.Step, f *stepScope) ([]StepReport, *StepError) {
	begun := time.Now()
	runs, err := f.shouldRun(ctx, s)
	if err != nil {
		return []StepReport{newReport(s, "failed", 0)}, e.conditionError(ctx, s, err)
	}
	if !runs {
		e.storeResult(s, &Result{Skipped: true})
		return []StepReport{newReport(s, "skipped", 0)}, nil
	}
	if s.Timeout > 0 && s.Tool == "" { // the timeout of a call applies to each attempt
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
		defer cancel()
	}
	var out []StepReport
	var failed *StepError
	switch {
	case s.ForEach != nil:
		out, failed = e.runForEach(ctx, s, f)
	case s.Tool != "":
		var result *Result
		out, result, failed = e.runCall(ctx, s, f)
		e.storeResult(s, result)
	case s.Confirm != nil:
		var result *Result
		out, result, failed = e.runConfirm(ctx, s, f)
		e.storeResult(s, result)
	case s.Parallel != nil:
		out, failed = e.runParallel(ctx, s, f)
	case s.Sleep > 0:
		out = []StepReport{newReport(s, "ok", s.Sleep)}
		if err := e.sleep(ctx, s.Sleep); err != nil {
			out[0].Status, failed = "failed", e.newError(s, failureOf(err), contextReason(ctx), time.Since(begun))
		}
	default:
		out = []StepReport{newReport(s, "ok", 0)}
	}
	if failed != nil {
		return out, failed
	}
	if err := f.setVariables(s.Set); err != nil {
		return out, e.newError(s, "template", err.Error(), time.Since(begun))
	}
	return out, nil
}

// conditionError returns the failure of a condition that has an error or ran out of time.
func (e *execution) conditionError(ctx context.Context, s *definition.Step, err error) *StepError {
	if ctx.Err() != nil {
		return e.newError(s, failureOf(ctx.Err()), contextReason(ctx), 0)
	}
	return e.newError(s, "template", err.Error(), 0)
}

// shouldRun evaluates requires and if of a step.
func (ss *stepScope) shouldRun(ctx context.Context, s *definition.Step) (bool, error) {
	for _, e := range s.Requires {
		v, ok, err := e.Eval(ss)
		if res, is := v.(*Result); is {
			ok = ok && !res.Skipped
		}
		if err != nil || !ok || !template.IsTruthy(v) {
			return false, err
		}
	}
	if s.If == nil {
		return true, nil
	}
	return s.If.Holds(ctx, ss.conditionEnv())
}

func (ss *stepScope) setVariables(bindings []definition.Binding) error {
	for _, b := range bindings {
		v, ok, err := ss.evalValue(b.Value)
		if err != nil {
			return fmt.Errorf("set %s: %w", b.Name.Value, err)
		}
		ss.mu.Lock()
		if delete(ss.vars, b.Name.Value); ok {
			ss.vars[b.Name.Value] = v
		}
		ss.mu.Unlock()
	}
	return nil
}

// storeResult stores a result under the id and saveAs of its step.
func (e *execution) storeResult(s *definition.Step, v any) {
	if res, ok := v.(*Result); ok && res == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range []string{s.ID, s.SaveAs} {
		if id != "" {
			e.results[id] = v
		}
	}
}

func (e *execution) sleep(ctx context.Context, d time.Duration) error {
	if e.DryRun {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runParallel runs branches concurrently and reports them in their order. The first failure cancels
// the other branches.
func (e *execution) runParallel(ctx context.Context, s *definition.Step, f *stepScope) ([]StepReport, *StepError) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := s.MaxConcurrency
	if limit == 0 {
		limit = len(s.Parallel)
	}
	room := make(chan struct{}, limit)
	reports := make([][]StepReport, len(s.Parallel))
	var mu sync.Mutex
	var first *StepError
	var wg sync.WaitGroup
	for i, branch := range s.Parallel {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			out, err := e.runSteps(ctx, []*definition.Step{branch}, f)
			reports[i] = out
			if err != nil {
				mu.Lock()
				if first == nil {
					first = err
				}
				mu.Unlock()
				cancel()
			}
		})
	}
	wg.Wait()
	var out []StepReport
	for _, list := range reports {
		out = append(out, list...)
	}
	return out, first
}

// maxItems bounds the list of a forEach.
const maxItems = 1000

// runForEach repeats a call or steps for each item of a list.
func (e *execution) runForEach(ctx context.Context, s *definition.Step, f *stepScope) ([]StepReport, *StepError) {
	v, ok, err := f.evalValue(s.ForEach)
	if err != nil {
		return nil, e.newError(s, "template", "forEach: "+err.Error(), 0)
	}
	items, isList := template.PlainJSON(v).([]any)
	if ok && !isList {
		return nil, e.newError(s, "template", "forEach needs a list", 0)
	}
	if len(items) > maxItems {
		return nil, e.newError(s, "template",
			fmt.Sprintf("forEach has %d items; at most %d are allowed", len(items), maxItems), 0)
	}
	out := []StepReport{}
	results := make([]any, 0, len(items))
	for i, item := range items {
		if ctx.Err() != nil {
			return out, e.newError(s, failureOf(ctx.Err()), "not finished: "+contextReason(ctx), 0)
		}
		inner := f.withLocals(map[string]any{"item": item, "index": int64(i)})
		if s.Tool == "" {
			reports, failed := e.runSteps(ctx, s.Body, inner)
			if out = append(out, reports...); failed != nil {
				return out, failed
			}
			continue
		}
		reports, result, failed := e.runCall(ctx, s, inner)
		if out = append(out, reports...); failed != nil {
			return out, failed
		}
		results = append(results, result)
	}
	e.storeResult(s, results)
	return out, nil
}

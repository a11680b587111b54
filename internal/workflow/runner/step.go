package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// sequence runs steps one after the other. It ends with the first step that fails, unless that says otherwise.
func (r *runner) sequence(ctx context.Context, steps []*definition.Step, f *frame) (out []Report, failed *StepError) {
	for i, s := range steps {
		if ctx.Err() != nil {
			return out, r.failure(s, kindOf(ctx.Err()), "not begun: "+reason(ctx), 0)
		}
		reports, err := r.step(ctx, s, f)
		out = append(out, reports...)
		if err == nil {
			continue
		}
		switch {
		case s.OnError == definition.Continue && ctx.Err() == nil:
			r.later(err)
		case s.OnError == definition.SkipRest && ctx.Err() == nil:
			r.later(err)
			for _, rest := range steps[i+1:] {
				out = append(out, report(rest, "skipped", 0))
			}
			return out, nil
		default:
			return out, err
		}
	}
	return out, nil
}

func (r *runner) later(err *StepError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late = append(r.late, err)
}

func report(s *definition.Step, status string, took time.Duration) Report {
	return Report{Step: s.Path, ID: s.ID, Call: s.Target(), Status: status, Millis: took.Milliseconds(), Plan: s}
}

func (r *runner) failure(s *definition.Step, kind, message string, took time.Duration) *StepError {
	return &StepError{Workflow: r.Name, Step: s.Path, ID: s.ID, Call: s.Target(), Kind: kind, Message: bound(message), Millis: took.Milliseconds()}
}

// step runs one step, whatever it does.
func (r *runner) step(ctx context.Context, s *definition.Step, f *frame) ([]Report, *StepError) {
	begun := time.Now()
	runs, err := f.runs(ctx, s)
	if err != nil {
		return []Report{report(s, "failed", 0)}, r.undecided(ctx, s, err)
	}
	if !runs {
		r.keep(s, &Result{Skipped: true})
		return []Report{report(s, "skipped", 0)}, nil
	}
	if s.Timeout > 0 && s.Tool == "" { // that of a call is each attempt's
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
		defer cancel()
	}
	var out []Report
	var failed *StepError
	switch {
	case s.ForEach != nil:
		out, failed = r.each(ctx, s, f)
	case s.Tool != "":
		var result *Result
		out, result, failed = r.call(ctx, s, f)
		r.keep(s, result)
	case s.Parallel != nil:
		out, failed = r.parallel(ctx, s, f)
	case s.Sleep > 0:
		out = []Report{report(s, "ok", s.Sleep)}
		if err := r.sleep(ctx, s.Sleep); err != nil {
			out[0].Status, failed = "failed", r.failure(s, kindOf(err), reason(ctx), time.Since(begun))
		}
	default:
		out = []Report{report(s, "ok", 0)}
	}
	if failed != nil {
		return out, failed
	}
	if err := f.set(s.Set); err != nil {
		return out, r.failure(s, "template", err.Error(), time.Since(begun))
	}
	return out, nil
}

// undecided is the failure of a condition that could not be worked out, or not in time.
func (r *runner) undecided(ctx context.Context, s *definition.Step, err error) *StepError {
	if ctx.Err() != nil {
		return r.failure(s, kindOf(ctx.Err()), reason(ctx), 0)
	}
	return r.failure(s, "template", err.Error(), 0)
}

// runs decides whether a step runs.
func (f *frame) runs(ctx context.Context, s *definition.Step) (bool, error) {
	for _, e := range s.Requires {
		v, ok, err := e.Eval(f)
		if res, is := v.(*Result); is {
			ok = ok && !res.Skipped
		}
		if err != nil || !ok || !template.Truthy(v) {
			return false, err
		}
	}
	if s.If == nil {
		return true, nil
	}
	return s.If.Holds(ctx, f.env())
}

func (f *frame) set(bindings []definition.Binding) error {
	for _, b := range bindings {
		v, ok, err := f.value(b.Value)
		if err != nil {
			return fmt.Errorf("set %s: %w", b.Name.Value, err)
		}
		f.mu.Lock()
		if delete(f.vars, b.Name.Value); ok {
			f.vars[b.Name.Value] = v
		}
		f.mu.Unlock()
	}
	return nil
}

// keep gives a result its names.
func (r *runner) keep(s *definition.Step, v any) {
	if res, ok := v.(*Result); ok && res == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range []string{s.ID, s.SaveAs} {
		if id != "" {
			r.results[id] = v
		}
	}
}

func (r *runner) sleep(ctx context.Context, d time.Duration) error {
	if r.DryRun {
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

// parallel runs branches at the same time, and reports them in their order. The first that fails ends the others.
func (r *runner) parallel(ctx context.Context, s *definition.Step, f *frame) ([]Report, *StepError) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limit := s.MaxConcurrency
	if limit == 0 {
		limit = len(s.Parallel)
	}
	room := make(chan struct{}, limit)
	reports := make([][]Report, len(s.Parallel))
	var mu sync.Mutex
	var first *StepError
	var wg sync.WaitGroup
	for i, branch := range s.Parallel {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			out, err := r.sequence(ctx, []*definition.Step{branch}, f)
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
	var out []Report
	for _, list := range reports {
		out = append(out, list...)
	}
	return out, first
}

// maxItems bounds what a step is repeated for.
const maxItems = 1000

// each repeats a call or steps for every item of a list.
func (r *runner) each(ctx context.Context, s *definition.Step, f *frame) ([]Report, *StepError) {
	v, ok, err := f.value(s.ForEach)
	if err != nil {
		return nil, r.failure(s, "template", "forEach: "+err.Error(), 0)
	}
	items, isList := template.Plain(v).([]any)
	if ok && !isList {
		return nil, r.failure(s, "template", "forEach needs a list", 0)
	}
	if len(items) > maxItems {
		return nil, r.failure(s, "template", fmt.Sprintf("forEach has %d items; %d are the most", len(items), maxItems), 0)
	}
	out := []Report{}
	results := make([]any, 0, len(items))
	for i, item := range items {
		if ctx.Err() != nil {
			return out, r.failure(s, kindOf(ctx.Err()), "not finished: "+reason(ctx), 0)
		}
		inner := f.with(map[string]any{"item": item, "index": int64(i)})
		if s.Tool == "" {
			reports, failed := r.sequence(ctx, s.Group, inner)
			if out = append(out, reports...); failed != nil {
				return out, failed
			}
			continue
		}
		reports, result, failed := r.call(ctx, s, inner)
		if out = append(out, reports...); failed != nil {
			return out, failed
		}
		results = append(results, result)
	}
	r.keep(s, results)
	return out, nil
}

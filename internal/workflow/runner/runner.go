// Package runner runs one workflow: step by step, with what earlier steps have given, under deadlines, and with everything
// that was found so far when something fails.
//
// It must not know files, the protocol, or how results are shown.
package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// Caller are the servers that steps call.
type ToolCaller interface {
	Call(ctx context.Context, alias, tool string, args json.RawMessage, progress external.Progress) (external.Result, error)
	// Stateful servers are called by one step at a time.
	Stateful(alias string) bool
	// Reserve keeps other runs off a stateful server until release is called. Aliases are reserved in their order.
	Reserve(ctx context.Context, alias string) (release func(), err error)
}

// Input is one run.
type Input struct {
	*definition.BoundWorkflow
	Params   map[string]any
	Caller   ToolCaller
	Progress external.Progress // may be nil
	Log      *slog.Logger
	DryRun   bool // render and check arguments, call nothing
}

// Outcome is what a run gave: the results in the order of the steps, whatever happened.
type Outcome struct {
	Steps    []StepReport   `json:"steps"`
	Error    *StepError     `json:"error,omitempty"` // the first step that ended the run
	NonFatal []*StepError   `json:"-"`               // failures that did not end it, and those of finally
	Return   map[string]any `json:"-"`               // what return: says; nil when it says nothing

	Results map[string]any `json:"-"` // by id: *Result, or lists of them
	scope   *stepScope
}

// Scope is what templates outside of steps see after the run.
func (o *Outcome) Scope() template.Scope { return o.scope }

// StepReport is what became of one step.
type StepReport struct {
	Step       string           `json:"step"` // 2, 3.1, finally.1
	ID         string           `json:"id,omitempty"`
	Call       string           `json:"call"`
	Status     string           `json:"status"` // ok, failed, skipped
	Millis     int64            `json:"ms"`
	Attempts   int              `json:"attempts,omitempty"`
	Args       json.RawMessage  `json:"args,omitempty"` // of dry runs
	Result     *Result          `json:"-"`
	Definition *definition.Step `json:"-"`
}

// StepError is why a step failed. Kind is transport, timeout, tool, arguments, template, rejected, unavailable or
// cancelled.
type StepError struct {
	Workflow string `json:"workflow"`
	Step     string `json:"step"`
	ID       string `json:"id,omitempty"`
	Call     string `json:"call"`
	Failure  string `json:"kind"`
	Message  string `json:"message"`
	Attempts int    `json:"attempts,omitempty"`
	Millis   int64  `json:"ms"`
}

// Error names workflow, step, id and tool.
func (e *StepError) Error() string {
	name := "step " + e.Step
	if e.ID != "" {
		name += " (" + e.ID + ")"
	}
	return fmt.Sprintf("workflow %s, %s, %s: %s", e.Workflow, name, e.Call, e.Message)
}

// finallyTimeout is how long finally steps may take once the run itself is over.
const finallyTimeout = 10 * time.Second

// maxResultBytes is how many bytes the results of one run may have together: they are kept until its end, and a step can be
// repeated a thousand times.
const maxResultBytes = 128 << 20

// execution is one run under way.
type execution struct {
	Input
	callsTotal int

	mu          sync.Mutex
	results     map[string]any
	vars        map[string]any
	nonFatal    []*StepError
	callsDone   int
	resultBytes int                      // bytes of results
	serverLocks map[string]chan struct{} // one call at a time, by stateful alias
}

// Run runs a workflow. It always returns an outcome; ctx ends the step that is running and lets no other begin, except
// those of finally.
func Run(ctx context.Context, in Input) *Outcome {
	r := &execution{Input: in, results: map[string]any{}, vars: map[string]any{}, serverLocks: map[string]chan struct{}{}}
	in.VisitCalls(func(*definition.Step) { r.callsTotal++ })
	top := &stepScope{execution: r}
	out := &Outcome{Results: r.results, scope: top}
	if in.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, in.Timeout)
		defer cancel()
	}
	release, err := r.reserveServers(ctx)
	if err != nil {
		out.Error = err
		return out
	}
	defer release()
	out.Steps, out.Error = r.runSteps(ctx, in.Steps, top)
	if len(in.Finally) > 0 {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finallyTimeout)
		reports, err := r.runSteps(last, in.Finally, top)
		cancel()
		out.Steps = append(out.Steps, reports...)
		if err != nil {
			r.nonFatal = append(r.nonFatal, err)
		}
	}
	if out.Error == nil && len(in.Return) > 0 {
		out.Return, out.Error = r.evalReturn(top)
	}
	out.NonFatal = r.nonFatal
	r.logSteps(ctx, out)
	return out
}

// logSteps leaves a trace of the run for who debugs.
func (r *execution) logSteps(ctx context.Context, out *Outcome) {
	if r.Log == nil || !r.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	for _, s := range out.Steps {
		r.Log.Debug("step", "workflow", r.Name, "step", s.Step, "id", s.ID, "call", s.Call, "status", s.Status, "ms", s.Millis, "attempts", s.Attempts)
	}
	failed := ""
	if out.Error != nil {
		failed = out.Error.Error()
	}
	r.Log.Debug("workflow", "name", r.Name, "steps", len(out.Steps), "error", failed)
}

// reserveServers keeps other runs off the stateful servers of this one.
func (r *execution) reserveServers(ctx context.Context) (func(), *StepError) {
	var releases []func()
	release := func() {
		for _, f := range slices.Backward(releases) {
			f()
		}
	}
	if r.DryRun {
		return release, nil
	}
	aliases := r.Aliases()
	slices.Sort(aliases)
	for _, alias := range aliases {
		if slices.Contains(r.Shared, alias) {
			continue
		}
		f, err := r.Caller.Reserve(ctx, alias)
		if err != nil {
			release()
			return nil, &StepError{Workflow: r.Name, Step: "0", Call: alias, Failure: failureOf(err), Message: "waiting for the server: " + err.Error()}
		}
		releases = append(releases, f)
	}
	return release, nil
}

// evalReturn works return: out.
func (r *execution) evalReturn(top *stepScope) (map[string]any, *StepError) {
	out := make(map[string]any, len(r.Return))
	for _, b := range r.Return {
		v, ok, err := top.evalValue(b.Value)
		if err != nil {
			return nil, &StepError{Workflow: r.Name, Step: "return", Call: b.Name.Value, Failure: "template", Message: err.Error()}
		}
		if ok {
			out[b.Name.Value] = template.PlainJSON(v)
		}
	}
	if r.ReturnSchema == nil {
		return out, nil
	}
	out, _ = r.ReturnSchema.Convert(out).(map[string]any)
	if problems := r.ReturnSchema.Validate(out); len(problems) > 0 {
		return nil, &StepError{Workflow: r.Name, Step: "return", Call: "output", Failure: "template",
			Message: bound("what it gives does not fit the output: " + joinViolations(problems))}
	}
	return out, nil
}

// reportProgress tells how far the run is.
func (r *execution) reportProgress(fraction float64, message string) {
	if r.Progress == nil {
		return
	}
	r.mu.Lock()
	done := float64(r.callsDone) + fraction
	r.mu.Unlock()
	r.Progress(done, float64(r.callsTotal), message)
}

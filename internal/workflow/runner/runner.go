// Package runner executes one bound workflow: it renders the arguments of each step from earlier
// results, calls tools under deadlines, and returns the results so far when a step fails.
//
// It must not know workflow files, the MCP protocol, or how results are shown.
package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// ToolCaller calls the tools of servers for the steps of a run.
type ToolCaller interface {
	Call(ctx context.Context, alias, tool string, args json.RawMessage, progress external.Progress) (external.Result,
		error)
	// Stateful reports whether a server serves one step at a time.
	Stateful(alias string) bool
	// Reserve waits until no other run uses a stateful server. The runner reserves aliases in
	// sorted order, so that two runs cannot deadlock.
	Reserve(ctx context.Context, alias string) (release func(), err error)
}

// Input describes one run.
type Input struct {
	*definition.BoundWorkflow
	Params   map[string]any
	Caller   ToolCaller
	Progress external.Progress // may be nil
	Log      *slog.Logger
	Save     func(ctx context.Context, path string, content external.Result) (*Saved, error) // writes a file for saveTo
	Ask      toolkit.Asker                                                                   // nil when the client's person cannot be asked
	DryRun   bool                                                                            // render and check arguments without calling tools
}

// Outcome is the result of a run. Steps has a report for each step that was reached, in order.
type Outcome struct {
	Steps    []StepReport   `json:"steps"`
	Error    *StepError     `json:"error,omitempty"` // the failure that ended the run; nil on success
	NonFatal []*StepError   `json:"-"`               // failures of steps with onError and of finally
	Return   map[string]any `json:"-"`               // values of return; nil without it

	Results map[string]any `json:"-"` // by step ID: a *Result, or a list of them for forEach
	scope   *stepScope
}

// Scope returns the names that templates outside of steps see after the run.
func (o *Outcome) Scope() template.Scope { return o.scope }

// StepReport is the outcome of one step.
type StepReport struct {
	Step       string           `json:"step"` // 2, 3.1, finally.1
	ID         string           `json:"id,omitempty"`
	Call       string           `json:"call"`
	Status     string           `json:"status"` // ok, failed, skipped
	Millis     int64            `json:"ms"`
	Attempts   int              `json:"attempts,omitempty"`
	Args       json.RawMessage  `json:"args,omitempty"` // set by dry runs only
	Result     *Result          `json:"-"`
	Definition *definition.Step `json:"-"`
}

// StepError is the failure of a step. Failure is transport, timeout, cancelled, tool, arguments,
// template, unavailable, rejected, file, declined, or another reason of package external.
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

// Error names the workflow, the step, its ID and its tool.
func (e *StepError) Error() string {
	name := "step " + e.Step
	if e.ID != "" {
		name += " (" + e.ID + ")"
	}
	return fmt.Sprintf("workflow %s, %s, %s: %s", e.Workflow, name, e.Call, e.Message)
}

// Code returns Timeout if the deadline passed, else Failed.
func (e *StepError) Code() codes.Code {
	if e.Failure == "timeout" {
		return codes.Timeout
	}
	return codes.Failed
}

// Fields returns the error as one field.
func (e *StepError) Fields() []fault.Field { return []fault.Field{{Name: "error", Value: e}} }

// finallyTimeout bounds the finally steps, which run after the deadline of the run too.
const finallyTimeout = 10 * time.Second

// maxResultBytes bounds the results of one run together. They stay in memory until its end, and a
// step may be repeated a thousand times.
const maxResultBytes = 128 << 20

// execution is the state of one run.
type execution struct {
	Input
	callsTotal int

	mu          sync.Mutex
	results     map[string]any
	vars        map[string]any
	nonFatal    []*StepError
	callsDone   int
	resultBytes int                      // bytes of all results so far
	serverLocks map[string]chan struct{} // one call at a time per stateful server, by alias
}

// Run runs a workflow and always returns an outcome. When ctx ends, the current step ends and only
// the finally steps still run.
func Run(ctx context.Context, in Input) *Outcome {
	r := &execution{Input: in, results: map[string]any{}, vars: map[string]any{},
		serverLocks: map[string]chan struct{}{}}
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

// logSteps logs each step at debug level.
func (e *execution) logSteps(ctx context.Context, out *Outcome) {
	if e.Log == nil || !e.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	for _, s := range out.Steps {
		e.Log.Debug("step", "workflow", e.Name, "step", s.Step, "id", s.ID, "call", s.Call, "status", s.Status, "ms",
			s.Millis, "attempts", s.Attempts)
	}
	failed := ""
	if out.Error != nil {
		failed = out.Error.Error()
	}
	e.Log.Debug("workflow", "name", e.Name, "steps", len(out.Steps), "error", failed)
}

// reserveServers reserves the stateful servers of the run and returns a function that releases
// them.
func (e *execution) reserveServers(ctx context.Context) (func(), *StepError) {
	var releases []func()
	release := func() {
		for _, f := range slices.Backward(releases) {
			f()
		}
	}
	if e.DryRun {
		return release, nil
	}
	aliases := e.Aliases()
	slices.Sort(aliases)
	for _, alias := range aliases {
		if slices.Contains(e.Shared, alias) {
			continue
		}
		f, err := e.Caller.Reserve(ctx, alias)
		if err != nil {
			release()
			return nil, &StepError{Workflow: e.Name, Step: "0", Call: alias, Failure: failureOf(err),
				Message: "waiting for the server: " + err.Error()}
		}
		releases = append(releases, f)
	}
	return release, nil
}

// evalReturn evaluates return and checks it against the declared output.
func (e *execution) evalReturn(top *stepScope) (map[string]any, *StepError) {
	out := make(map[string]any, len(e.Return))
	for _, b := range e.Return {
		v, ok, err := top.evalValue(b.Value)
		if err != nil {
			return nil, &StepError{Workflow: e.Name, Step: "return", Call: b.Name.Value, Failure: "template",
				Message: err.Error()}
		}
		if ok {
			out[b.Name.Value] = template.PlainJSON(v)
		}
	}
	if e.ReturnSchema == nil {
		return out, nil
	}
	out, _ = e.ReturnSchema.Convert(out).(map[string]any)
	if problems := e.ReturnSchema.Validate(out); len(problems) > 0 {
		return nil, &StepError{Workflow: e.Name, Step: "return", Call: "output", Failure: "template",
			Message: text.ClipRunes("return does not match the output: "+joinViolations(problems), maxMessage)}
	}
	return out, nil
}

// reportProgress sends a progress notification: the calls that ended plus the fraction of the
// current one.
func (e *execution) reportProgress(fraction float64, message string) {
	if e.Progress == nil {
		return
	}
	e.mu.Lock()
	done := float64(e.callsDone) + fraction
	e.mu.Unlock()
	e.Progress(done, float64(e.callsTotal), message)
}

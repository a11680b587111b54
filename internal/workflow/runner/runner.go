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

// Servers are the servers that steps call.
type Servers interface {
	Call(ctx context.Context, alias, tool string, args json.RawMessage, progress external.Progress) (external.Result, error)
	// Stateful servers are called by one step at a time.
	Stateful(alias string) bool
	// Reserve keeps other runs off a stateful server until release is called. Aliases are reserved in their order.
	Reserve(ctx context.Context, alias string) (release func(), err error)
}

// Input is one run.
type Input struct {
	*definition.Bound
	Params   map[string]any
	Servers  Servers
	Progress external.Progress // may be nil
	Log      *slog.Logger
	DryRun   bool // render and check arguments, call nothing
}

// Outcome is what a run gave: the results in the order of the steps, whatever happened.
type Outcome struct {
	Steps  []Report       `json:"steps"`
	Error  *StepError     `json:"error,omitempty"` // the first step that ended the run
	Late   []*StepError   `json:"-"`               // failures that did not end it, and those of finally
	Return map[string]any `json:"-"`               // what return: says; nil when it says nothing

	Results map[string]any `json:"-"` // by id: *Result, or lists of them
	scope   *frame
}

// Scope is what templates outside of steps see after the run.
func (o *Outcome) Scope() template.Scope { return o.scope }

// Report is what became of one step.
type Report struct {
	Step     string           `json:"step"` // 2, 3.1, finally.1
	ID       string           `json:"id,omitempty"`
	Call     string           `json:"call"`
	Status   string           `json:"status"` // ok, failed, skipped
	Millis   int64            `json:"ms"`
	Attempts int              `json:"attempts,omitempty"`
	Args     json.RawMessage  `json:"args,omitempty"` // of dry runs
	Result   *Result          `json:"-"`
	Plan     *definition.Step `json:"-"`
}

// StepError is why a step failed. Kind is transport, timeout, tool, arguments, template, rejected, unavailable or
// cancelled.
type StepError struct {
	Workflow string `json:"workflow"`
	Step     string `json:"step"`
	ID       string `json:"id,omitempty"`
	Call     string `json:"call"`
	Kind     string `json:"kind"`
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

// graceTime is how long finally steps may take once the run itself is over.
const graceTime = 10 * time.Second

// maxHeld is how many bytes the results of one run may have together: they are kept until its end, and a step can be
// repeated a thousand times.
const maxHeld = 128 << 20

// runner is one run under way.
type runner struct {
	Input
	total int

	mu      sync.Mutex
	results map[string]any
	vars    map[string]any
	late    []*StepError
	done    int
	held    int                      // bytes of results
	serial  map[string]chan struct{} // one call at a time, by stateful alias
}

// Run runs a workflow. It always returns an outcome; ctx ends the step that is running and lets no other begin, except
// those of finally.
func Run(ctx context.Context, in Input) *Outcome {
	r := &runner{Input: in, results: map[string]any{}, vars: map[string]any{}, serial: map[string]chan struct{}{}}
	in.Calls(func(*definition.Step) { r.total++ })
	top := &frame{runner: r}
	out := &Outcome{Results: r.results, scope: top}
	if in.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, in.Timeout)
		defer cancel()
	}
	release, err := r.reserve(ctx)
	if err != nil {
		out.Error = err
		return out
	}
	defer release()
	out.Steps, out.Error = r.sequence(ctx, in.Steps, top)
	if len(in.Finally) > 0 {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
		reports, err := r.sequence(last, in.Finally, top)
		cancel()
		out.Steps = append(out.Steps, reports...)
		if err != nil {
			r.late = append(r.late, err)
		}
	}
	if out.Error == nil && len(in.Return) > 0 {
		out.Return, out.Error = r.returned(top)
	}
	out.Late = r.late
	r.log(ctx, out)
	return out
}

// log leaves a trace of the run for who debugs.
func (r *runner) log(ctx context.Context, out *Outcome) {
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

// reserve keeps other runs off the stateful servers of this one.
func (r *runner) reserve(ctx context.Context) (func(), *StepError) {
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
		f, err := r.Servers.Reserve(ctx, alias)
		if err != nil {
			release()
			return nil, &StepError{Workflow: r.Name, Step: "0", Call: alias, Kind: kindOf(err), Message: "waiting for the server: " + err.Error()}
		}
		releases = append(releases, f)
	}
	return release, nil
}

// returned works return: out.
func (r *runner) returned(top *frame) (map[string]any, *StepError) {
	out := make(map[string]any, len(r.Return))
	for _, b := range r.Return {
		v, ok, err := top.value(b.Value)
		if err != nil {
			return nil, &StepError{Workflow: r.Name, Step: "return", Call: b.Name.Value, Kind: "template", Message: err.Error()}
		}
		if ok {
			out[b.Name.Value] = template.Plain(v)
		}
	}
	if r.Result == nil {
		return out, nil
	}
	out, _ = r.Result.Convert(out).(map[string]any)
	if problems := r.Result.Validate(out); len(problems) > 0 {
		return nil, &StepError{Workflow: r.Name, Step: "return", Call: "output", Kind: "template",
			Message: bound("what it gives does not fit the output: " + all(problems))}
	}
	return out, nil
}

// progress tells how far the run is.
func (r *runner) progress(fraction float64, message string) {
	if r.Progress == nil {
		return
	}
	r.mu.Lock()
	done := float64(r.done) + fraction
	r.mu.Unlock()
	r.Progress(done, float64(r.total), message)
}

// Package definition parses workflow files and binds them to tools: it checks the steps, the call
// and arguments of each, where every name comes from, and whether the arguments match the schemas
// of the tools.
//
// Every diagnostic has a place in a file. The package must not know how steps are run or how
// servers are reached.
package definition

import (
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// Builtin is the alias of this server's own tools.
const Builtin = "callsheet"

// Workflow is one workflow: a list of steps.
type Workflow struct {
	Name, Title, Description string
	Pos                      diag.Pos
	Params                   *param.Object
	Output                   *param.Object // nil if none is declared
	Return                   []Binding     // the structured result, by property
	Steps, Finally           []*Step
	Summarize                *Summarize
	Show                     []string // IDs of the steps whose content the result includes; nil for all
	Shared                   []string // aliases of stateful servers that other runs may use at the same time
	Timeout                  time.Duration
}

// Step is one step. It has exactly one action: a call, Confirm, Parallel, Body, Sleep, or only Set.
type Step struct {
	Pos         diag.Pos
	Path        string // 2, 3.1, finally.1
	ID          string
	SaveAs      string
	Description string

	Alias, Tool string // of a call
	CallPos     diag.Pos
	Args        *Value // a mapping, or nil
	SaveTo      *Value // the file of the output directory that keeps the call's result, or nil

	Confirm *Confirm // a question for the person, or nil

	Parallel       []*Step
	MaxConcurrency int
	ForEach        *Value
	Body           []*Step // the steps that forEach repeats, if it does not repeat a call
	Sleep          time.Duration

	Set      []Binding
	Requires []*template.Expr
	If       *Condition
	Expect   *Condition // over the result of the call, which fails where it does not hold
	Until    *Until
	Retry    *Retry
	OnError  OnError
	Timeout  time.Duration
	Quiet    bool
}

// Name returns the ID of the step, or "step" and its path.
func (s *Step) Name() string {
	if s.ID != "" {
		return s.ID
	}
	return "step " + s.Path
}

// Action returns alias:tool for a call, else the key of the step's action.
func (s *Step) Action() string {
	switch {
	case s.Tool != "":
		return s.Alias + ":" + s.Tool
	case s.Confirm != nil:
		return "confirm"
	case s.Parallel != nil:
		return "parallel"
	case s.ForEach != nil:
		return "forEach"
	case s.Sleep > 0:
		return "sleep"
	}
	return "set"
}

// Confirm asks the person behind the client. Fields are the inputs of the person, all of them
// strings, numbers or booleans. Default is the answer for clients that cannot ask: accept, decline,
// or "" for none.
type Confirm struct {
	Message *Value
	Fields  *param.Object
	Default string
}

// OnError is the reaction to the failure of a step.
type OnError string

// The values of onError.
const (
	Stop     OnError = "stop"
	Continue OnError = "continue"
	SkipRest OnError = "skipRest"
)

// Retry repeats a failed call. Attempts includes the first one. Unsafe allows it for a tool that is
// neither idempotent nor read-only.
type Retry struct {
	Pos               diag.Pos
	Attempts          int
	Backoff, MaxDelay time.Duration
	On                []string // transport, timeout, tool, /expression/; nil means transport and timeout
	Unsafe            bool
}

// Until repeats a call until its condition holds.
type Until struct {
	If                *Condition
	Interval, Timeout time.Duration
}

// Summarize requests a summary of the results.
type Summarize struct {
	Pos       diag.Pos
	Prompt    *template.Template
	Mode      string
	Include   []string
	MaxTokens int
}

// The modes of Summarize. Auto takes the first available: the operator's model, the client's model,
// rules.
const (
	ModeAuto     = "auto"
	ModeModel    = "model"
	ModeSampling = "sampling"
	ModeRules    = "template"
	ModeNone     = "none"
)

// Binding names a value.
type Binding struct {
	Name  yamltree.Text
	Value *Value
}

// Value is a YAML value with templates. Kind selects which one of Template, Literal, Map and List
// is set.
type Value struct {
	Kind     yamltree.LiteralKind
	Pos      diag.Pos
	Text     yamltree.Text
	Template *template.Template // of strings
	Literal  any                // of numbers, booleans and null
	Map      []Binding
	List     []*Value
	Static   StaticType // its type before the run
}

// VisitCalls calls visit for every step with a call, in order.
func (w *Workflow) VisitCalls(visit func(*Step)) {
	var walk func([]*Step)
	walk = func(steps []*Step) {
		for _, s := range steps {
			if s.Tool != "" {
				visit(s)
			}
			walk(s.Parallel)
			walk(s.Body)
		}
	}
	walk(w.Steps)
	walk(w.Finally)
}

// Aliases lists the servers that the workflow calls, without duplicates, in order of appearance.
func (w *Workflow) Aliases() []string {
	var out []string
	seen := make(map[string]bool)
	w.VisitCalls(func(s *Step) {
		if !seen[s.Alias] {
			seen[s.Alias] = true
			out = append(out, s.Alias)
		}
	})
	return out
}

// Package definition reads files of workflows and says what is wrong with them: which steps there are, what each calls with
// which arguments, where every name comes from, and whether all of it fits the tools that are called.
//
// Everything it reports has a place in a file. It must not know how a step is run, nor how servers are reached.
package definition

import (
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// Builtin is the alias of this server's own tools.
const Builtin = "callsheet"

// Workflow is one workflow: steps, or a prompt that is only rendered.
type Workflow struct {
	Name, Title, Description string
	Pos                      diag.Pos
	Params                   *model.Object
	Output                   *model.Object // nil when none is declared
	Return                   []Binding     // the structured result, by property
	Steps, Finally           []*Step
	Prompt                   *Prompt
	Summarize                *Summarize
	Show                     []string // ids of the steps whose content is returned; nil is all
	Shared                   []string // aliases that other runs may use at the same time
	Timeout                  time.Duration
}

// Prompt is a text for the model that called, with parameters filled in.
type Prompt struct {
	Text, Context *template.Template
	Tools         []PromptTool
	Sequential    bool
}

// PromptTool is one line about a tool to use.
type PromptTool struct{ Name, Note string }

// Step is one step. Exactly one of Call, Parallel, Group, Sleep and Set alone says what it does.
type Step struct {
	Pos         diag.Pos
	Path        string // 2, 3.1, finally.1
	ID          string
	SaveAs      string
	Description string

	Alias, Tool string // of a call
	CallPos     diag.Pos
	Args        *Value // a mapping; nil is none

	Parallel       []*Step
	MaxConcurrency int
	ForEach        *Value
	Body           []*Step // what forEach repeats, unless it is the call of this step
	Sleep          time.Duration

	Set      []Binding
	Requires []*template.Expr
	If       *Condition
	Until    *Until
	Retry    *Retry
	OnError  OnError
	Timeout  time.Duration
	Quiet    bool
}

// Name is how the step is known to others: its id, or its place.
func (s *Step) Name() string {
	if s.ID != "" {
		return s.ID
	}
	return "step " + s.Path
}

// Action is alias:tool, or what else the step does.
func (s *Step) Action() string {
	switch {
	case s.Tool != "":
		return s.Alias + ":" + s.Tool
	case s.Parallel != nil:
		return "parallel"
	case s.ForEach != nil:
		return "forEach"
	case s.Sleep > 0:
		return "sleep"
	}
	return "set"
}

// OnError says what happens after a step has failed.
type OnError string

// The ways.
const (
	Stop     OnError = "stop"
	Continue OnError = "continue"
	SkipRest OnError = "skipRest"
)

// Retry repeats a call that failed. Attempts counts the first one too. Unsafe allows it for a tool that does not promise
// that a second call does no harm.
type Retry struct {
	Pos               diag.Pos
	Attempts          int
	Backoff, MaxDelay time.Duration
	On                []string // transport, timeout, tool, /expression/; nil is transport and timeout
	Unsafe            bool
}

// Until repeats a step until its condition holds.
type Until struct {
	If                *Condition
	Interval, Timeout time.Duration
}

// Summarize makes a report of what steps have found.
type Summarize struct {
	Pos       diag.Pos
	Prompt    *template.Template
	Mode      string
	Include   []string
	MaxTokens int
}

// The modes of Summarize. Auto takes the first that can be had: the operator's model, the client's, the digest.
const (
	ModeAuto     = "auto"
	ModeModel    = "model"
	ModeSampling = "sampling"
	ModeRules    = "template"
	ModeNone     = "none"
)

// Binding gives a name to a value.
type Binding struct {
	Name  spec.Text
	Value *Value
}

// Value is a value with templates in it. Exactly one of Template, Literal, Map and List is meaningful, by Kind.
type Value struct {
	Kind     spec.LiteralKind
	Pos      diag.Pos
	Text     spec.Text
	Template *template.Template // of texts
	Literal  any                // of numbers, booleans and null
	Map      []Binding
	List     []*Value
	Static   StaticType // what is known of it before a run
}

// VisitCalls visits every call of the workflow, in order.
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

// Aliases lists the servers the workflow uses, each once, in order of appearance.
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

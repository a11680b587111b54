package workflow

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

// entry is one workflow as it is offered.
type entry struct {
	set  *Set
	plan *definition.Workflow
	read *params.Reader

	mu       sync.Mutex
	bound    *definition.Bound
	problems diag.List
}

// The bytes of text of a result at most, how long a workflow may take that does not say, and what the end may take beyond.
const (
	resultBytes = 60_000
	defaultTime = 5 * time.Minute
	endTime     = 15 * time.Second
)

// bind finds the workflow's tools in what is known now, and returns what is wrong.
func (e *entry) bind() diag.List {
	bound, problems := definition.Bind(e.plan, e.set, &e.set.schemas)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bound, e.problems = bound, problems
	return problems
}

func (e *entry) state() (*definition.Bound, diag.List) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bound, e.problems
}

// hopeless reports a mistake that no server's answer can mend: only built-in tools and missing servers are involved.
func (e *entry) hopeless() bool { return e.problems.HasErrors() && len(e.remote()) == 0 }

// remote lists the aliases of real servers among those the workflow uses.
func (e *entry) remote() []string {
	return slices.DeleteFunc(e.plan.Aliases(), func(alias string) bool {
		return alias == definition.Builtin || e.set.registry == nil || !e.set.registry.Known(alias)
	})
}

// stale lists the servers that should be asked again before the workflow can be trusted.
func (e *entry) stale() []string {
	bound, problems := e.state()
	if problems.HasErrors() {
		return e.remote()
	}
	return bound.Pending
}

// ready is the workflow with all of its tools found. Servers that have not answered yet are waited for within ctx; a
// mistake that a kept catalogue shows is believed only when the server itself says the same.
func (e *entry) ready(ctx context.Context) (*definition.Bound, error) {
	stale := e.stale()
	if len(stale) == 0 {
		bound, _ := e.state()
		return bound, nil
	}
	for _, alias := range stale {
		if _, err := e.set.registry.Refresh(ctx, alias); err != nil {
			return nil, toolkit.Refuse(toolkit.Failed, "workflow "+e.plan.Name+" is not available: "+err.Error(), toolkit.Field{Name: "server", Value: alias})
		}
	}
	e.bind()
	bound, problems := e.state()
	if problems.HasErrors() {
		return nil, toolkit.Refuse(toolkit.Failed, "workflow "+e.plan.Name+" does not fit its servers:\n"+e.set.print(errorsOf(problems)))
	}
	return bound, nil
}

func errorsOf(list diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// row is the workflow's row in the table of tools.
func (e *entry) row() toolkit.Tool {
	e.read = params.Compile(e.plan.Params)
	effects := e.bound.Effects()
	if e.plan.Prompt != nil {
		effects = model.Effects{ReadOnly: true, Idempotent: true}
	}
	t := &model.Tool{Name: e.plan.Name, Title: e.plan.Title, Description: e.plan.Description, Input: e.plan.Params,
		Output: e.plan.Output, Effects: effects}
	limit := e.plan.Timeout
	if limit == 0 {
		limit = defaultTime
		e.plan.Timeout = limit
	}
	return toolkit.Tool{
		Name: t.Name, Description: t.Description, Area: area, Tier: 1, Effects: toolkit.Effects(effects),
		Schema: string(schema.Contract(t)), Definition: string(schema.Definition(t)), ResultBytes: resultBytes, Timeout: limit + endTime,
		Invoke: e.invoke,
		Check: func(args []byte) error {
			_, err := e.read.Read(args)
			return err
		},
	}
}

// Names lists every alias; it makes a set the plan.Catalogs of its workflows.
func (s *Set) Names() []string {
	out := []string{definition.Builtin}
	if s.registry != nil {
		out = append(out, s.registry.Aliases()...)
	}
	return out
}

// Find is the catalogue of an alias without waiting for its server.
func (s *Set) Find(alias string) (*external.Catalog, bool) {
	if alias == definition.Builtin {
		return &s.builtin, true
	}
	if s.registry == nil || !s.registry.Known(alias) {
		return nil, false
	}
	now, cancel := context.WithCancel(s.ctx)
	cancel() // what is at hand is given all the same
	c, err := s.registry.Catalog(now, alias)
	if err != nil {
		return nil, true
	}
	return &c, true
}

// builtin is the catalogue of this server's own tools.
func builtin(reg *toolkit.Registry) external.Catalog {
	out := external.Catalog{Alias: definition.Builtin, Fresh: true}
	for i := range reg.Tools {
		t := &reg.Tools[i]
		if t.Area == area {
			continue
		}
		var d struct{ OutputSchema json.RawMessage }
		_ = json.Unmarshal([]byte(t.Definition), &d) // compiled text is JSON
		effects := t.Effects
		out.Tools = append(out.Tools, external.Tool{
			Name: t.Name, Description: t.Description, InputSchema: json.RawMessage(t.Schema), OutputSchema: d.OutputSchema,
			Annotations: external.Annotations{ReadOnly: &effects.ReadOnly, Destructive: &effects.Destructive,
				Idempotent: &effects.Idempotent, OpenWorld: &effects.OpenWorld},
		})
	}
	return out
}

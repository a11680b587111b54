package workflow

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

// tool is one workflow as a row of the tool table.
type tool struct {
	set        *Set
	gen        *generation
	definition *definition.Workflow
	params     *params.Decoder
	notice     string // why an earlier version of the files is in use; "" when none is

	mu      sync.Mutex
	bound   *definition.BoundWorkflow
	diags   diag.List
	refuted bool // the catalogs of its servers have no such tools; a call asks them again, and no list has it
}

// Limits of a workflow call. maxStructuredBytes is the size of a result in bytes. defaultTimeout
// applies to a workflow without timeout. cleanupTimeout is the additional time of finally steps and the
// result.
const (
	maxStructuredBytes = 36_000
	defaultTimeout     = 5 * time.Minute
	cleanupTimeout     = 15 * time.Second
)

// bind looks up the tools of the workflow in the known catalogs and returns the problems.
func (e *tool) bind() diag.List {
	bound, problems := definition.Bind(e.definition, e.gen, &e.set.schemas)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bound, e.diags = bound, problems
	return problems
}

// confirm notes whether the catalogs that the workflow was bound to, which its servers have just sent or an earlier
// process has stored, refute it. It reports whether that has changed.
func (e *tool) confirm() (changed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.refuted
	e.refuted = e.diags.HasErrors()
	return e.refuted != was
}

func (e *tool) binding() (*definition.BoundWorkflow, diag.List) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bound, e.diags
}

// isUnfixable reports whether the workflow has an error that no external server's catalog can
// remove.
func (e *tool) isUnfixable() bool { return e.diags.HasErrors() && len(e.externalServers()) == 0 }

// externalServers lists the configured external servers that the workflow calls.
func (e *tool) externalServers() []string {
	return slices.DeleteFunc(e.definition.Aliases(), func(alias string) bool {
		return alias == definition.Builtin || e.gen.servers == nil || !e.gen.servers.Has(alias)
	})
}

// staleServers lists the servers whose catalog must be fetched before the workflow can run.
func (e *tool) staleServers() []string {
	bound, problems := e.binding()
	if problems.HasErrors() {
		return e.externalServers()
	}
	return bound.Pending
}

// awaitBinding returns the workflow with all of its tools. It waits for servers whose tools are
// unknown, within ctx. It refreshes a catalog before it reports an error that a stored catalog
// shows.
func (e *tool) awaitBinding(ctx context.Context) (*definition.BoundWorkflow, error) {
	stale := e.staleServers()
	if len(stale) == 0 {
		bound, _ := e.binding()
		return bound, nil
	}
	for _, alias := range stale {
		if _, err := e.gen.servers.Refresh(ctx, alias); err != nil {
			return nil, toolkit.Refuse(toolkit.Failed, "workflow "+e.definition.Name+" is not available: "+err.Error(),
				toolkit.Field{Name: "server", Value: alias})
		}
	}
	e.bind()
	bound, problems := e.binding()
	if problems.HasErrors() {
		return nil, toolkit.Refuse(toolkit.Failed, "workflow "+e.definition.Name+
			" does not match the tools of its servers:\n"+onlyErrors(problems).Text(e.set.Source()))
	}
	return bound, nil
}

func onlyErrors(list diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// row returns the workflow's row of the tool table.
func (e *tool) row() toolkit.Tool {
	if e.params == nil {
		e.params = params.Compile(e.definition.Params)
	}
	bound, _ := e.binding()
	effects := bound.Effects()
	d := e.definition
	entry := paramschema.Entry{Name: d.Name, Title: paramschema.Title(paramschema.DistinctEntries, d.Name, d.Title), Description: d.Description,
		InputSchema: paramschema.Object(d.Params.Properties).ForList(), Annotations: paramschema.Hints(paramschema.DistinctEntries, effects)}
	output := ""
	if d.Output != nil {
		entry.OutputSchema = paramschema.Object(d.Output.Properties).ForList()
		output = string(paramschema.Compact(paramschema.Object(d.Output.Properties)))
	}
	limit := e.definition.Timeout
	if limit == 0 {
		limit = defaultTimeout
		e.definition.Timeout = limit
	}
	return toolkit.Tool{
		Name: d.Name, Description: d.Description, Area: area, OutputSchema: output, Tier: e.tier(), Effects: toolkit.Effects(effects),
		Schema:     string(paramschema.Compact(paramschema.Object(d.Params.Properties))),
		Definition: string(paramschema.Compact(entry)), ResultBytes: maxStructuredBytes,
		Timeout: limit + cleanupTimeout,
		Traits:  toolkit.Traits{Roles: roles(d.Params)},
		Powers:  powersOf(d),
		Invoke:  e.invoke,
		Check: func(args []byte) error {
			_, err := e.params.Decode(args)
			return err
		},
	}
}

// tier returns 1 for a workflow that is listed.
func (e *tool) tier() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refuted {
		return 2
	}
	return 1
}

// roles returns the roles that claim the names of a workflow's parameters, as a recorder reads them
// too.
func roles(o *param.Object) []toolkit.Parameter {
	var out []toolkit.Parameter
	for _, p := range o.Properties {
		if role := toolset.RoleNamed(p.Name); role != "" && p.Type.Kind == param.String {
			out = append(out, toolkit.Parameter{Path: "/" + p.Name, Role: role})
		}
	}
	return out
}

// builtinCatalog describes the built-in tools like the tools of an external server.
func builtinCatalog(reg *toolkit.Registry) external.Catalog {
	out := external.Catalog{Alias: definition.Builtin, Fresh: true}
	for i := range reg.Tools {
		t := &reg.Tools[i]
		if t.Area == area {
			continue
		}
		effects := t.Effects
		var output json.RawMessage
		if t.OutputSchema != "" {
			output = json.RawMessage(t.OutputSchema)
		}
		out.Tools = append(out.Tools, external.Tool{
			Name: t.Name, Description: t.Description, InputSchema: json.RawMessage(t.Schema), OutputSchema: output,
			Annotations: external.Annotations{ReadOnly: &effects.ReadOnly, Destructive: &effects.Destructive,
				Idempotent: &effects.Idempotent, OpenWorld: &effects.OpenWorld},
		})
	}
	return out
}

// powersOf lists the power that writes files, where a step has saveTo.
func powersOf(w *definition.Workflow) []toolkit.Use {
	saves := false
	w.VisitCalls(func(s *definition.Step) { saves = saves || s.SaveTo != nil })
	if !saves {
		return nil
	}
	return []toolkit.Use{{Power: "file_write"}}
}

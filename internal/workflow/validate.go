package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/params"
	"github.com/callsheet/callsheet/internal/workflow/runner"
)

// ValidationReport is what Validate has found. Broken and Offered are names of workflows; Unreached says why servers did not
// answer, so that the steps that call them are not checked.
type ValidationReport struct {
	Diags       diag.List
	Offered     []string
	Broken      []string
	Unreachable map[string]error
}

// Validate checks everything that can be known: files, names, and, with what the servers say now, tools and arguments.
// Offline asks no server and takes what is at hand.
func (s *Set) Validate(ctx context.Context, reg *toolkit.Registry, offline bool) *ValidationReport {
	s.builtinCatalog = builtinCatalog(reg)
	out := &ValidationReport{Diags: s.Diagnostics(), Broken: append([]string(nil), s.definitions.Broken...)}
	if !offline && s.registry != nil {
		var ask []string
		for _, alias := range s.usedAliases() {
			if s.registry.Has(alias) {
				ask = append(ask, alias)
			}
		}
		if len(ask) > 0 {
			out.Unreachable = s.registry.Discover(ctx, ask...)
		}
	}
	for _, w := range s.definitions.Workflows {
		bound, diags := definition.Bind(w, s, &s.schemas)
		if err := reg.Free(w.Name); err != nil {
			diags.Errorf(w.Pos, "duplicate-name", "%v", err).Hint = "give it another with name:"
		}
		for _, alias := range bound.Pending {
			if out.Unreachable[alias] == nil {
				diags.Warnf(w.Pos, "not-checked", "server %q has not told its tools, so its steps are not checked", alias)
			}
		}
		out.Diags = append(out.Diags, diags...)
		if diags.HasErrors() {
			out.Broken = append(out.Broken, w.Name)
		} else {
			out.Offered = append(out.Offered, w.Name)
		}
	}
	for _, w := range s.definitions.Partial {
		_, diags := definition.Bind(w, s, &s.schemas)
		out.Diags = append(out.Diags, diags...)
	}
	out.Diags = out.Diags.Sorted()
	return out
}

// usedAliases lists the aliases that workflows call.
func (s *Set) usedAliases() []string {
	var out []string
	for _, w := range s.definitions.Workflows {
		out = append(out, w.Aliases()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// DryRun works out what a workflow would call with which arguments, as far as that does not depend on results.
func (s *Set) DryRun(ctx context.Context, reg *toolkit.Registry, name string, args []byte) (*runner.Outcome, error) {
	s.builtinCatalog = builtinCatalog(reg)
	for _, w := range s.definitions.Workflows {
		if w.Name != name || w.Prompt != nil {
			continue
		}
		values, err := params.Compile(w.Params).Decode(args)
		if err != nil {
			return nil, err
		}
		e := &tool{set: s, definition: w}
		e.bind()
		bound, err := e.awaitBinding(ctx)
		if err != nil {
			return nil, err
		}
		return runner.Run(ctx, runner.Input{BoundWorkflow: bound, Params: values, DryRun: true, Log: s.cfg.Log}), nil
	}
	return nil, fmt.Errorf("there is no workflow %q with steps", name)
}

// Catalogs are what is known of every server, this one's own tools first; errors by alias. With ask, servers are asked.
func (s *Set) Catalogs(ctx context.Context, reg *toolkit.Registry) ([]external.Catalog, map[string]error) {
	out, failed := []external.Catalog{builtinCatalog(reg)}, map[string]error{}
	if s.registry == nil {
		return out, failed
	}
	for _, alias := range s.registry.Aliases() {
		c, err := s.registry.Catalog(ctx, alias)
		if err != nil {
			failed[alias] = err
			continue
		}
		out = append(out, c)
	}
	return out, failed
}

// Arguments turns key=value pairs into JSON by the types of a workflow's parameters, on top of a JSON object.
func (s *Set) Arguments(name string, pairs []string, object string) ([]byte, error) {
	values := map[string]json.RawMessage{}
	if object != "" {
		if err := json.Unmarshal([]byte(object), &values); err != nil {
			return nil, fmt.Errorf("--args: %w", err)
		}
		if values == nil {
			return nil, errors.New("--args: null is no object")
		}
	}
	names := make([]string, 0, len(s.definitions.Workflows))
	for _, w := range s.definitions.Workflows {
		names = append(names, w.Name)
		if w.Name != name {
			continue
		}
		for _, pair := range pairs {
			key, value, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, fmt.Errorf("%q is not KEY=VALUE", pair)
			}
			i := slices.IndexFunc(w.Params.Properties, func(p *model.Property) bool { return p.Name == key })
			values[key] = json.RawMessage(value)
			if i < 0 || w.Params.Properties[i].Type.Kind == model.String || !json.Valid([]byte(value)) {
				values[key], _ = json.Marshal(value) // a string always marshals
			}
		}
		return json.Marshal(values)
	}
	hint := diag.DidYouMean(name, names)
	return nil, errors.New(strings.TrimSuffix(fmt.Sprintf("there is no workflow %q; %s", name, hint), "; "))
}

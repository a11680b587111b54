package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/params"
	"github.com/callsheet/callsheet/internal/workflow/runner"
)

// ValidationReport is the result of Validate. Offered and Broken name workflows. Unreachable has
// the error of each server that did not list its tools; steps that call it are unchecked.
type ValidationReport struct {
	Diags       diag.List
	Offered     []string
	Broken      []string
	Unreachable map[string]error
}

// Validate checks the files and, unless offline, fetches the catalogs of the servers and checks
// tools and arguments against them.
func (s *Set) Validate(ctx context.Context, reg *toolkit.Registry, offline bool) *ValidationReport {
	g := s.generation()
	s.builtinCatalog = builtinCatalog(reg)
	out := &ValidationReport{Diags: s.Diagnostics(), Broken: append([]string(nil), g.definitions.Broken...)}
	if !offline && g.servers != nil {
		ask := slicesx.Filter(s.usedAliases(), func(alias string) bool { return g.servers.Has(alias) })
		if len(ask) > 0 {
			out.Unreachable = g.servers.Discover(ctx, ask...)
		}
	}
	for _, w := range g.definitions.Workflows {
		bound, diags := definition.Bind(w, g, &s.schemas)
		if err := reg.Free(w.Name); err != nil {
			diags.Errorf(w.Pos, "duplicate-name", "%v", err).Hint = "give it another with name:"
		}
		for _, alias := range bound.Pending {
			if out.Unreachable[alias] == nil {
				diags.Warnf(w.Pos, "not-checked", "the tools of server %q are unknown, so its steps are not checked",
					alias)
			}
		}
		out.Diags = append(out.Diags, diags...)
		if diags.HasErrors() {
			out.Broken = append(out.Broken, w.Name)
		} else {
			out.Offered = append(out.Offered, w.Name)
		}
	}
	for _, w := range g.definitions.Partial {
		_, diags := definition.Bind(w, g, &s.schemas)
		out.Diags = append(out.Diags, diags...)
	}
	out.Diags = out.Diags.Sorted()
	return out
}

// usedAliases lists the servers that workflows call, sorted.
func (s *Set) usedAliases() []string {
	var out []string
	for _, w := range s.Workflows() {
		out = append(out, w.Aliases()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// DryRun renders the arguments of each call as far as they do not depend on results. It calls no
// tool.
func (s *Set) DryRun(ctx context.Context, reg *toolkit.Registry, name string, args []byte) (*runner.Outcome, error) {
	s.builtinCatalog = builtinCatalog(reg)
	for _, w := range s.Workflows() {
		if w.Name != name {
			continue
		}
		values, err := params.Compile(w.Params).Decode(args)
		if err != nil {
			return nil, err
		}
		e := &tool{set: s, gen: s.generation(), definition: w}
		e.bind()
		bound, err := e.awaitBinding(ctx)
		if err != nil {
			return nil, err
		}
		return runner.Run(ctx, runner.Input{BoundWorkflow: bound, Params: values, DryRun: true, Log: s.cfg.Log}), nil
	}
	return nil, fmt.Errorf("no workflow %q with steps exists", name)
}

// Catalogs returns the catalog of every server, the built-in tools first, and the errors by alias.
// It connects to servers whose tools are unknown.
func (s *Set) Catalogs(ctx context.Context, reg *toolkit.Registry) ([]external.Catalog, map[string]error) {
	out, failed := []external.Catalog{builtinCatalog(reg)}, map[string]error{}
	registry := s.Registry()
	if registry == nil {
		return out, failed
	}
	for _, alias := range registry.Aliases() {
		c, err := registry.Catalog(ctx, alias)
		if err != nil {
			failed[alias] = err
			continue
		}
		out = append(out, c)
	}
	return out, failed
}

// Arguments converts key=value pairs to JSON by the types of a workflow's parameters. It adds them
// to the JSON object of --args.
func (s *Set) Arguments(name string, pairs []string, object string) ([]byte, error) {
	values := map[string]json.RawMessage{}
	if object != "" {
		if err := json.Unmarshal([]byte(object), &values); err != nil {
			return nil, fmt.Errorf("--args: %w", err)
		}
		if values == nil {
			return nil, errors.New("--args: null is not an object")
		}
	}
	names := make([]string, 0, len(s.Workflows()))
	for _, w := range s.Workflows() {
		names = append(names, w.Name)
		if w.Name != name {
			continue
		}
		for _, pair := range pairs {
			key, value, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, fmt.Errorf("%q is not KEY=VALUE", pair)
			}
			i := slices.IndexFunc(w.Params.Properties, func(p *param.Property) bool { return p.Name == key })
			values[key] = json.RawMessage(value)
			if i < 0 || w.Params.Properties[i].Type.Kind == param.String || !json.Valid([]byte(value)) {
				values[key], _ = json.Marshal(value) // a string always marshals
			}
		}
		return json.Marshal(values)
	}
	hint := diag.DidYouMean(name, names)
	return nil, errors.New(strings.TrimSuffix(fmt.Sprintf("no workflow %q exists; %s", name, hint), "; "))
}

package compiled

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/workflow/params"
)

// ForRunner returns the site as the runner needs it. The origin replaces the first one of the source unless it is "";
// values are the texts of the site's parameters, by name. The error says which of them are unknown, of another type
// than declared, or missing.
func (s *Site) ForRunner(origin string, values map[string]string) (*run.Site, error) {
	filled, err := valuesOf(s.Parameters, values)
	if err != nil {
		return nil, fmt.Errorf("the parameters of the site %s: %w", s.Name, err)
	}
	out := &run.Site{Name: s.Name, Origins: slices.Clone(s.Origins), Values: filled, Path: s.path}
	if origin != "" && len(out.Origins) > 0 {
		out.Origins[0] = origin
	}
	for _, p := range s.Parameters.Properties {
		out.Parameters = append(out.Parameters, p.Name)
	}
	for _, f := range s.Facts {
		if f.Observe != nil {
			out.Facts = append(out.Facts, run.Fact{Name: f.Name, Observe: *f.Observe})
		}
	}
	for i := range s.Tools {
		t := s.Tools[i].Run
		for _, step := range s.Tools[i].Steps {
			t.Steps = append(t.Steps, step.Step)
		}
		out.Tools = append(out.Tools, t)
	}
	return out, nil
}

// valuesOf decodes texts as the values of parameters, and fills in defaults. The error is toolkit.Violations.
func valuesOf(declared *param.Object, texts map[string]string) (map[string]any, error) {
	kinds := map[string]param.Kind{}
	for _, p := range declared.Properties {
		kinds[p.Name] = p.Type.Kind
	}
	args := map[string]any{}
	for name, text := range texts {
		args[name] = text
		if kind, ok := kinds[name]; ok && kind != param.String && json.Valid([]byte(text)) {
			args[name] = json.RawMessage(text)
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return params.Compile(declared).Decode(raw)
}

// path returns the shortest list of tools that leads to a state in which a tool is visible, as the compiler has proven
// it; false where there is none, or an event is part of it.
func (s *Site) path(facts run.Facts, name string) ([]string, bool) {
	i := slices.IndexFunc(s.Tools, func(t Tool) bool { return t.Row.Name == name })
	if i < 0 || s.Tools[i].Row.Visible == nil {
		return nil, false
	}
	state := s.mask(facts)
	for _, a := range s.Advice {
		if a.Requires != s.Tools[i].Row.Requires {
			continue
		}
		for _, way := range a.Ways {
			if way.Facts == state&a.Mask {
				return toolsOf(way.Steps)
			}
		}
	}
	return nil, false
}

// toolsOf lists the tools of a way; false where an event is part of it.
func toolsOf(steps []toolkit.Step) ([]string, bool) {
	var out []string
	for _, step := range steps {
		if step.Tool == "" {
			return nil, false
		}
		out = append(out, step.Tool)
	}
	return out, len(out) > 0
}

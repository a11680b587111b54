package lint

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// The providers of models. Each refuses some constructs in the schema of a tool, as their users report: OpenAI and
// Anthropic in strict tools, Google in the parameters of function declarations. Names, lengths and bounds are part of
// listed schemas where the manifest says so.
const (
	anthropic = "anthropic"
	gemini    = "gemini"
	openai    = "openai"
)

// refusal is a construct of a type and the providers that refuse it.
type refusal struct {
	construct string
	providers []string
}

// refusals lists what of a type, without what is in it, some provider refuses. Inside says that it is the type of a list's items, limits that lists
// have limits.
func refusals(t *model.Type, inside, limits bool) []refusal {
	var out []refusal
	add := func(is bool, construct string, providers ...string) {
		if is {
			out = append(out, refusal{construct, providers})
		}
	}
	add(t.Values != nil, "a map", anthropic, gemini, openai)
	add(t.Open(), "an object with any members", anthropic, gemini, openai)
	add(t.Kind == model.Free, "any value", gemini, openai)
	add(t.Union != nil && inside, "a union as the items of a list", gemini)
	add(t.Nullable, "nullable", gemini)
	add(len(t.Numbers) > 0, "an enum of integers", gemini)
	add(limits && (t.Minimum != nil || t.Maximum != nil), "a number with limits", anthropic)
	add(limits && (t.MinLength != nil || t.MaxLength != nil), "a text of a limited length", anthropic)
	add(limits && (t.MaxItems != nil || t.MinItems != nil && *t.MinItems > 1), "a list of a limited length", anthropic)
	switch t.Format {
	case "", model.FormatDateTime:
	case model.FormatURI:
		add(true, "the format uri", gemini, openai)
	default:
		add(true, "the format "+string(t.Format), gemini)
	}
	return out
}

func checkProviders(in Input, report diag.Report) {
	if len(in.Set.Providers) == 0 {
		return
	}
	for _, t := range in.Set.Tools {
		for _, p := range t.Input.Properties {
			if !p.Unlisted {
				provided{in.Set.Providers, in.Set.List.FullSchemas, p}.check(p.Name, p.Type, report)
			}
		}
	}
}

// provided is a parameter, at any depth, and what its schema is held against.
type provided struct {
	providers []string
	limits    bool // lists have limits
	property  *model.Property
}

// check reports what of a type the providers refuse, at every depth.
func (in provided) check(path string, t *model.Type, report diag.Report) {
	for inside := false; ; inside = true {
		for _, r := range refusals(t, inside, in.limits) {
			for _, provider := range r.providers {
				if slices.Contains(in.providers, provider) {
					report(in.property.Pos, "%q is %s, which %s refuses", path, r.construct, provider).Hint = "write it otherwise, or with listed: false"
				}
			}
		}
		if t.Items == nil {
			break
		}
		path, t = path+"[]", t.Items
	}
	if t.Values != nil {
		in.check(path+"[name]", t.Values, report)
	}
	for _, part := range t.Parts() {
		if part.Path != "" {
			continue // in a map
		}
		for _, inner := range part.Object.Properties {
			provided{in.providers, in.limits, inner}.check(path+"."+inner.Name, inner.Type, report)
		}
	}
}

package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// EmitRecords plans docs/SCOPES.md, what is promised, what is deferred and why, and docs/TRUTH.md,
// what each tool is worth relying on.
func EmitRecords(ts *model.Toolset, lock *spec.Lock, products []spec.Product, truth []scope.Truth) ([]output.File, error) {
	scopes, err := render("SCOPES.md", scopesPage(ts, lock, products))
	if err != nil {
		return nil, err
	}
	table, err := render("TRUTH.md", truthPage(truth))
	if err != nil {
		return nil, err
	}
	return []output.File{scopes, table}, nil
}

// scopesData is the data of the template of SCOPES.md.
type scopesData struct {
	Scopes   []scopeData
	Deferred []deferredData
	Envelope string // of the first deferral, one member a line; "" when there is none
	Products []spec.Product
	Profiles []profileData
	Surfaces []string
	Refused  []refusedData
}

// refusedData is a parameter that calls are refused with. Tool is nil for one that no tool takes.
type refusedData struct {
	Tool         *model.Tool
	Name, Reason string
}

type scopeData struct {
	*model.Scope
	Status    string
	Tools     []promiseData
	Prompts   []*model.Prompt
	Resources []*model.Resource
}

// promiseData is a tool of a scope, with what the lock says about it.
type promiseData struct {
	*model.Tool
	Hash, Since string
	Decided     spec.Decision
}

type deferredData struct {
	*model.Deferral
	Command string
}

type profileData struct {
	Name     string
	Excludes []string
	Tools    int
}

func scopesPage(ts *model.Toolset, lock *spec.Lock, products []spec.Product) scopesData {
	page := scopesData{Products: products, Surfaces: ts.SurfaceNames()}
	promised := make(map[[2]string]spec.LockedTool)
	if lock != nil {
		for _, s := range lock.Scopes {
			for _, t := range s.Tools {
				promised[[2]string{s.Name.Value, t.Tool.Value}] = t
			}
		}
	}
	for _, s := range ts.Scopes {
		row := scopeData{Scope: s, Status: "open"}
		if s.Frozen {
			row.Status = "frozen"
		}
		for _, t := range ts.Tools {
			for _, in := range t.Scopes {
				if in == s {
					locked := promised[[2]string{s.Name, t.Name}]
					row.Tools = append(row.Tools, promiseData{t, scope.Hash(t), locked.Since.Value, locked.Decided})
				}
			}
		}
		row.Prompts = slices.DeleteFunc(slices.Clone(ts.Prompts), func(p *model.Prompt) bool { return !p.In(s) })
		row.Resources = slices.DeleteFunc(slices.Clone(ts.Resources), func(r *model.Resource) bool { return !r.In(s) })
		page.Scopes = append(page.Scopes, row)
	}
	page.Refused = refusedParameters(ts)
	for _, d := range ts.Deferrals {
		page.Deferred = append(page.Deferred, deferredData{d, d.Command(ts)})
		if page.Envelope == "" {
			page.Envelope = formatEnvelope(d.Envelope(ts))
		}
	}
	for _, p := range ts.Profiles {
		row := profileData{Name: p.Name, Tools: len(p.Tools(ts))}
		for _, s := range p.Exclude {
			row.Excludes = append(row.Excludes, s.Name)
		}
		page.Profiles = append(page.Profiles, row)
	}
	return page
}

// refusedParameters lists what no tool takes, then what each tool refuses, members of objects included.
func refusedParameters(ts *model.Toolset) []refusedData {
	out := slicesx.Map(ts.Refused, func(x *model.Refused) refusedData { return refusedData{nil, x.Name, x.Reason} })
	for _, t := range ts.Tools {
		out = appendRefused(out, t, "", t.Input)
	}
	return out
}

func appendRefused(out []refusedData, t *model.Tool, prefix string, o *model.Object) []refusedData {
	for _, x := range o.Refused {
		out = append(out, refusedData{t, prefix + x.Name, x.Reason})
	}
	for _, p := range o.Properties {
		name, inner := prefix+p.Name, p.Type
		for inner.Items != nil {
			name, inner = name+"[]", inner.Items
		}
		if inner.Object != nil {
			out = appendRefused(out, t, name+".", inner.Object)
		}
	}
	return out
}

// formatEnvelope is an envelope with a member on each line. Its members are texts but for the
// first, so that a comma between two of them is always followed by a quote.
func formatEnvelope(envelope string) string {
	if envelope == "" {
		return ""
	}
	text := strings.TrimSuffix(strings.TrimPrefix(envelope, "{"), "}")
	for _, key := range []string{"code", "tool", "reason", "cliEquivalent", "competitorRef", "since", "scope", "mcpScope"} {
		text = strings.Replace(text, `,"`+key+`":`, ",\n  \""+key+`": `, 1)
	}
	return "{\n  " + strings.Replace(text, `"ok":false`, `"ok": false`, 1) + "\n}"
}

// truthData is the data of the template of TRUTH.md.
type truthData struct {
	Rows   []truthRow
	Counts string
}

type truthRow struct {
	scope.Truth
	Tested string
}

func truthPage(rows []scope.Truth) truthData {
	var page truthData
	count := make(map[scope.Status]int)
	for _, r := range rows {
		count[r.Status]++
		tested := ""
		if r.Tested {
			tested = "yes"
		}
		page.Rows = append(page.Rows, truthRow{r, tested})
	}
	var parts []string
	for _, s := range []scope.Status{scope.Ready, scope.Untested, scope.Open, scope.Deferred} {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	page.Counts = strings.Join(parts, ", ")
	return page
}

package toolkit

import (
	"slices"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Deferral is a tool that is deliberately not there, with the answer to a call. It is in no list, no search and no
// surface; probing for it tells a client what to use instead.
type Deferral struct {
	Name     string
	Reason   string
	Instead  string // the command that does it today; "" where there is none
	Envelope string // in place of the refusal TOOL_DEFERRED: one JSON object on one line, which is the answer byte for byte
}

// AnswerDeferred answers for a deferred tool as a call of it is answered: with its record. Names are keys of a map and nothing else, so that
// "constructor" or "__proto__" is as unknown as any other undeclared name.
func (r *Registry) AnswerDeferred(name string) (CallResult, bool) {
	if refusal := r.RefuseDeferred(name); refusal != nil {
		return refusal.result(), true
	}
	return CallResult{}, false
}

// RefuseDeferred is AnswerDeferred as the refusal of a handler that was asked for the tool; nil where the name is no
// deferred tool's.
func (r *Registry) RefuseDeferred(name string) *Refusal {
	i, ok := r.deferrals[name]
	if !ok {
		return nil
	}
	d := r.Deferred[i]
	out := &Refusal{Code: ToolDeferred, Tool: name, Message: d.Reason, envelope: d.Envelope}
	if d.Instead != "" {
		out.Message += "; on the command line: " + d.Instead
		out.Fields = []Field{{"instead", d.Instead}}
	}
	return out
}

// Profile is a face of the registry's first scope for a host that must not expose certain scopes at
// all.
type Profile struct {
	Name    string
	Exclude []string // scopes; none of their tools is served
}

// profile finds a profile; nil when name is "" or unknown, of which NewSurface tells.
func (r *Registry) profile(name string) *Profile {
	for i := range r.Profiles {
		if r.Profiles[i].Name == name {
			return &r.Profiles[i]
		}
	}
	return nil
}

// excludes reports whether the profile keeps the tool out.
func (p *Profile) excludes(t *Tool) bool {
	return slices.ContainsFunc(p.Exclude, t.inScope)
}

// profileNames lists the profiles in manifest order.
func (r *Registry) profileNames() []string {
	return slicesx.List(r.Profiles, func(p Profile) string { return p.Name })
}

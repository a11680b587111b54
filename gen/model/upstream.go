package model

import (
	"encoding/json"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Upstream is the server that forwarded tools pass their calls to. One of Command and URL is
// set.
type Upstream struct {
	Command     []string // program and arguments
	Environment []string // names of variables that the program gets beside those of the system
	URL         string
	Headers     []Header
	Pos         diag.Pos
}

// Header is a header of HTTP requests; ${NAME} in Value stands for an environment variable.
type Header struct{ Name, Value string }

// Forward says which tool of the upstream a tool passes its calls to. The schemas are nil until the
// record of the upstream is attached.
type Forward struct {
	Name     string          // the upstream's name of the tool
	Verbatim bool            // the entry has no input: the schema is Input
	Kept     bool            // the entry has no description: it is the upstream's
	Input    json.RawMessage // the upstream's schema of arguments, as it was recorded
	Output   json.RawMessage // of structured content; nil when there is none
	Pos      diag.Pos
}

// defaultForwardMS is the deadline of a forwarded call when the entry states none. It is long because
// the upstream has deadlines of its own.
const defaultForwardMS = 600_000

// upstream resolves the section upstream, and says what tools cannot be forwarded without it.
func (r settings) upstream(in *spec.Upstream) {
	if in == nil {
		for _, t := range r.set.Tools {
			if t.Forward != nil {
				r.errorf(t.Forward.Pos, ruleBadUpstream, "tool %q is forwarded, and the root file names no upstream", t.Name).Hint =
					"write upstream in the root file, with command or url"
			}
		}
		return
	}
	u := &Upstream{URL: in.URL.Value, Pos: in.Pos}
	for _, t := range in.Command {
		u.Command = append(u.Command, t.Value)
	}
	for _, t := range r.unique(in.Environment) {
		u.Environment = append(u.Environment, t.Value)
		if !variableName.MatchString(t.Value) {
			r.errorf(t.Pos, ruleBadUpstream, "%q is no name of an environment variable", t.Value)
		}
	}
	for _, h := range in.Headers {
		u.Headers = append(u.Headers, Header{h.Name.Value, h.Value.Value})
	}
	r.upstreamForm(in)
	r.set.Upstream = u
}

// forward resolves the upstream's tool that a tool is forwarded to. It runs before the budget and the input are resolved.
func (r toolResolver) forward(in *spec.Tool, t *Tool) {
	if !in.Forward.Set() {
		return
	}
	t.Forward = &Forward{Name: in.Forward.Value, Verbatim: in.Input == nil, Kept: !in.Description.Set(), Pos: in.Forward.Pos}
	r.notEmpty(in.Forward, "the name of the upstream's tool")
	t.ResultBytes = r.positive(in.Budget.ResultBytes, "result_bytes", 0)
	t.TimeoutMS = r.positive(in.Budget.TimeoutMS, "timeout_ms", defaultForwardMS)
	if in.Output != nil {
		r.errorf(in.Forward.Pos, ruleForwardMisplaced, "tool %q is forwarded and has an output of its own", t.Name).Hint =
			"delete output: results have the upstream's schema"
	}
	for _, uncertain := range [][]spec.Text{in.Changes.MaySet, in.Changes.MayClear} {
		if len(uncertain) > 0 {
			r.errorf(uncertain[0].Pos, ruleForwardMisplaced, "tool %q is forwarded, and nothing observes whether the fact %q has changed", t.Name, uncertain[0].Value).Hint =
				"say sets or clears"
		}
	}
	for _, u := range []struct {
		at   diag.Pos
		what string
	}{{firstPos(in.Require), "require_when"}, {slimPos(in.Slim), "slim"}} {
		if t.Forward.Verbatim && !u.at.IsZero() {
			r.errorf(u.at, ruleForwardMisplaced, "tool %q has %s and no input, whose parameters it speaks of", t.Name, u.what).Hint =
				"write input, or delete " + u.what
		}
	}
}

func firstPos(in []spec.Requirement) diag.Pos {
	if len(in) == 0 {
		return diag.Pos{}
	}
	return in[0].Pos
}

func slimPos(in *spec.Slim) diag.Pos {
	if in == nil {
		return diag.Pos{}
	}
	return in.Pos
}

// upstreamRules are about the section upstream and the tools that are forwarded to it.
func upstreamRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: ruleBadUpstream, Doc: "The root file does not say where forwarded tools pass their calls to, or says it in two ways. An upstream is a command " +
			"or an address over HTTP. Environment goes with the command, headers with the address, which has no name or password: the manifest has no secret."},
		{ID: ruleForwardMisplaced, Doc: "A forwarded tool has a key that needs a handler or parameters of its own. Its results are the upstream's, so it has no " +
			"output; nothing observes the state behind it, so it sets or clears facts and never may; and without input there are no parameters to speak of."},
	}
}

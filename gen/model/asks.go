package model

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// AskKind is a kind of input that a handler asks its client for.
type AskKind string

// The kinds, by the names of the protocol's capabilities.
const (
	AskForm     AskKind = "elicitation"     // a form for the person behind the client
	AskURL      AskKind = "elicitation.url" // a page that the person opens
	AskSampling AskKind = "sampling"        // a text of the client's model
	AskRoots    AskKind = "roots"           // the client's directories
)

// AskKinds lists the kinds.
func AskKinds() []AskKind { return []AskKind{AskForm, AskURL, AskSampling, AskRoots} }

// InWords names the inputs that are asked for.
func (k AskKind) InWords() string {
	return map[AskKind]string{
		AskForm: "a form for the person", AskURL: "a page for the person to open", AskSampling: "a text of the model", AskRoots: "the directories",
	}[k]
}

// Ask is a kind that an entry declares.
type Ask struct {
	Kind    AskKind
	Pos     diag.Pos
	Implied bool // by confirm: the generated code asks, and not the handler
}

// asks resolves the kinds of an entry, in the order of AskKinds.
func (r *resolver) asks(in []spec.Text) []Ask {
	names := slicesx.List(AskKinds(), func(k AskKind) string { return string(k) })
	var out []Ask
	for _, t := range r.unique(in) {
		if !slices.Contains(names, t.Value) {
			r.unknown(t, ruleBadAsk, "kind of question", names)
			continue
		}
		out = append(out, Ask{Kind: AskKind(t.Value), Pos: t.Pos})
	}
	slices.SortFunc(out, func(a, b Ask) int { return slices.Index(names, string(a.Kind)) - slices.Index(names, string(b.Kind)) })
	return out
}

// toolAsks resolves the inputs that a tool asks its client for.
func (r toolResolver) toolAsks(in *spec.Tool, t *Tool) {
	t.Asks = r.asks(in.Asks)
	if !in.Forward.Set() && !in.Builtin.Set() {
		r.confirm(in.Confirm, t)
		return
	}
	if len(in.Asks) > 0 {
		r.errorf(in.Asks[0].Pos, ruleBadAsk, "tool %q has no handler that could ask the client", t.Name).Hint = "delete asks"
	}
	if in.Confirm.Set() {
		r.errorf(in.Confirm.Pos, ruleBadConfirm, "tool %q has no handler that could wait for a person", t.Name).Hint = "delete confirm"
	}
}

// AskNames lists the kinds by name.
func AskNames(asks []Ask) []string {
	return slicesx.Map(asks, func(a Ask) string { return string(a.Kind) })
}

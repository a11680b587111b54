// Package codeuse compares the declarations of a manifest with the code of its handlers: the codes of
// refusals, and the inputs that handlers ask their clients for.
//
// It must not know how source is read: who calls it hands in what was found.
package codeuse

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// Facts are the uses of codes in a module, with which the declared codes are compared.
type Facts struct {
	Literals  []evidence.Literal // codes that are written as texts
	Constants map[string]bool    // constants of package codes that the module names; nil skips the rule about them
	Handlers  []evidence.Handler
	Serving   evidence.Serving
}

// RuleLostState is the rule that "toolgen check" turns into an error.
const RuleLostState = "lost-state"

// Input is the input of the rules.
type Input struct {
	Codes   []*model.Code
	Entries []entry // that have a handler
	Fact    string  // the first fact of the manifest; "" where it has none
	Facts   Facts
}

// Rules is the table.
func Rules() []diag.Rule[Input] {
	return []diag.Rule[Input]{
		{ID: "undeclared-code", Severity: diag.Error, Doc: "A handler refuses a call with a code that neither the toolkit has nor the manifest declares under refusals. " +
			"Clients switch over codes, and the documentation lists them.", Check: checkUndeclared},
		{ID: "unused-code", Severity: diag.Warning, Doc: "The manifest declares a code of refusals, and no code of the module names its constant. A client that expects the code " +
			"waits in vain.", Check: checkUnused},
		{ID: "undeclared-ask", Severity: diag.Error, Doc: "A handler asks its client for what its entry does not declare under asks: Call.Ask refuses that at run time. The handler is read " +
			"with the functions of its package.", Check: checkAsked},
		{ID: "unused-ask", Severity: diag.Warning, Doc: "An entry declares under asks what its handler never asks for. Documents tell people to declare a capability for nothing. A handler that " +
			"hands its call to another package is not judged.", Check: checkUnasked},
		{ID: RuleLostState, Severity: diag.Warning, Doc: "The manifest has facts, and the module serves it over HTTP without a word on which stateless calls are of one session. A client that " +
			"does not send back the handle of a result begins anew with each call, and a tool behind a fact stays out of its reach. \"toolgen check\" refuses. Set " +
			"HTTPOptions.Authenticate or Options.SessionOf of mcpserver; or, where every client sends the handle back, say so by its name: " +
			"Options{StateMeta: mcpserver.StateName}.", Check: checkLostState},
	}
}

// Check compares the codes of a set with what was found.
func Check(set *model.Toolset, facts Facts) diag.List {
	in := Input{Codes: set.Codes, Entries: entries(set), Facts: facts}
	if len(set.Facts) > 0 {
		in.Fact = set.Facts[0].Name
	}
	return diag.Check(Rules(), in)
}

func checkLostState(in Input, report diag.Report) {
	if in.Fact == "" || in.Facts.Serving.KeepsState {
		return
	}
	for _, at := range in.Facts.Serving.HTTP {
		report(at, "the fact %q does not hold between stateless calls over HTTP: nothing says which of them are of one session", in.Fact).Hint =
			"set HTTPOptions.Authenticate or Options.SessionOf, or, where clients send the handle back, Options{StateMeta: mcpserver.StateName}"
	}
}

func checkUndeclared(in Input, report diag.Report) {
	names := slicesx.List(in.Codes, func(c *model.Code) string { return string(c.Code) })
	for _, l := range in.Facts.Literals {
		if slices.Contains(names, l.Text) {
			continue
		}
		d := report(l.Pos, "the code %q is not declared", l.Text)
		if d.Hint = diag.DidYouMean(l.Text, names); d.Hint == "" {
			d.Hint = "declare it under refusals in the root of the manifest, and name its constant of package codes"
		}
	}
}

func checkUnused(in Input, report diag.Report) {
	if in.Facts.Constants == nil {
		return
	}
	for _, c := range in.Codes {
		if !c.Builtin && len(c.From) == 0 && !in.Facts.Constants[c.GoName] {
			report(c.Pos, "no code of the module names codes.%s", c.GoName).Hint = "refuse with it, or delete the entry"
		}
	}
}

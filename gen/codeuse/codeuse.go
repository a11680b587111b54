// Package codeuse compares the codes of refusals that a manifest declares with those that the code
// of the module names.
//
// It must not know how source is read: who calls it hands in what was found.
package codeuse

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
)

// Facts are what the declared codes are compared with.
type Facts struct {
	Literals  []evidence.Literal // codes that are written as texts
	Constants map[string]bool    // constants of package codes that the module names; nil skips the rule about them
}

// Input is what the rules look at.
type Input struct {
	Codes []*model.Code
	Facts Facts
}

// Rules is the table.
func Rules() []diag.Rule[Input] {
	return []diag.Rule[Input]{
		{ID: "undeclared-code", Severity: diag.Error, Doc: "A handler refuses a call with a code that neither the toolkit has nor the manifest declares under refusals. " +
			"Clients switch over codes, and the documentation lists them.", Check: checkUndeclared},
		{ID: "unused-code", Severity: diag.Warning, Doc: "The manifest declares a code of refusals, and no code of the module names its constant. A client that expects the code " +
			"waits in vain.", Check: checkUnused},
	}
}

// Check compares the codes of a set with what was found.
func Check(set *model.Toolset, facts Facts) diag.List {
	return diag.Check(Rules(), Input{set.Codes, facts})
}

func checkUndeclared(in Input, report diag.Report) {
	names := make([]string, len(in.Codes))
	for i, c := range in.Codes {
		names[i] = string(c.Code)
	}
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
		if !c.Builtin && !in.Facts.Constants[c.GoName] {
			report(c.Pos, "no code of the module names codes.%s", c.GoName).Hint = "refuse with it, or delete the entry"
		}
	}
}

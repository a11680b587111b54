package compile

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/internal/site/source"
)

const (
	ruleToolTaken = "site-tool-taken"
	ruleFactTaken = "site-fact-taken"
)

// Rules is the table of what this package reports beside the compiler.
func Rules() []diag.Rule[source.Input] {
	return []diag.Rule[source.Input]{
		{ID: ruleToolTaken, Severity: diag.Error, Doc: "A tool of a site has the name of a tool of this server, which its steps call. A call could mean either.", Check: toolTaken},
		{ID: ruleFactTaken, Severity: diag.Error, Doc: "A fact of a site has the name of a fact of this server. Both decide about lists of one session.", Check: factTaken},
	}
}

func toolTaken(in source.Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		if err := in.Builtin.Free(t.Entry.Name.Value); err != nil {
			report(t.Entry.Name.Pos, "%v", err).Hint = "name it after what it does on the site, such as " + in.Site.Name.Value + "_" + t.Entry.Name.Value
		}
	}
}

func factTaken(in source.Input, report diag.Report) {
	for _, f := range in.Site.Facts {
		if slices.Contains(in.Builtin.Facts, f.Name.Value) {
			report(f.Name.Pos, "this server has a fact %q", f.Name.Value).Hint = "say what is true of the site, such as " + in.Site.Name.Value + "_" + f.Name.Value
		}
	}
}

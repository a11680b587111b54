// Package deferral holds the records of deferred tools against the truth: the reason says something, the command that
// is offered instead parses, the counterpart elsewhere exists, and nothing implements the tool in secret.
//
// A record that is merely present is what this package is here to refuse. It must not know how a command line is parsed
// or where the list of competitors is kept: who calls it hands both in.
package deferral

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// Facts are what the records are held against.
type Facts struct {
	Parse    func(argv []string) error // reads a command of the generated command line; nil skips the rule
	Products []spec.Product
	Handlers []evidence.Handler
}

// Rule is one row of the table.
type Rule struct {
	diag.Rule
	check func(*model.Deferral, Facts) *finding
}

// finding is what is wrong with a record.
type finding struct {
	at            diag.Pos
	message, hint string
	related       *diag.Related
}

// minReason is the fewest characters of a reason: fewer say nothing that a reader did not know.
const minReason = 20

// Rules is the table.
func Rules() []Rule {
	return []Rule{
		{diag.Rule{ID: "deferral-reason", Severity: diag.Error, Doc: fmt.Sprintf("The reason of a deferral says nothing: it is a "+
			"placeholder such as todo or later, or shorter than %d characters. The reason is sent to every client that asks for "+
			"the tool.", minReason)}, reason},
		{diag.Rule{ID: "deferral-cli", Severity: diag.Error, Doc: "The command that a deferral offers instead does not parse with the " +
			"generated command line: there is no such verb or flag, or an argument is missing. Clients are sent there; a way that " +
			"does not exist is worse than none."}, commandParses},
		{diag.Rule{ID: "deferral-competitor", Severity: diag.Error, Doc: "A deferral refers to a product or a tool that " +
			"manifest/competitors.yaml does not list, or says that there is none without a reason. The list is a copy of what the " +
			"product itself answers to tools/list, with version and date; a name from memory is often wrong."}, competitorExists},
		{diag.Rule{ID: "deferral-handler", Severity: diag.Error, Doc: "A deferred tool has a handler. Code behind a tool that is not " +
			"there is neither reviewed nor tested as a tool is; promote the tool or delete the method."}, unhandled},
	}
}

// Check holds every record against every rule.
func Check(set *model.Toolset, facts Facts) diag.List {
	var diags diag.List
	for _, d := range set.Deferrals {
		for _, rule := range Rules() {
			if f := rule.check(d, facts); f != nil {
				e := diags.Errorf(f.at, rule.ID, "%s", f.message)
				e.Hint, e.Related = f.hint, f.related
			}
		}
	}
	return diags
}

// Placeholder reports a text that stands in for one: a word such as todo, or too little to say anything.
func Placeholder(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	hollow := []string{"todo", "tbd", "fixme", "xxx", "later", "soon", "planned", "pending", "na", "none", "n", "a", "wip", "maybe",
		"someday", "placeholder", "reason", "because", "lorem", "ipsum", "to", "be", "done", "decided", "yet", "not"}
	meant := slices.DeleteFunc(words, func(w string) bool { return slices.Contains(hollow, w) })
	return len(meant) < 2 || utf8.RuneCountInString(strings.TrimSpace(text)) < minReason
}

func reason(d *model.Deferral, _ Facts) *finding {
	if !Placeholder(d.Reason) {
		return nil
	}
	return &finding{at: d.ReasonPos, message: fmt.Sprintf("the reason why %q is deferred says nothing: %q", d.Name, d.Reason),
		hint: "say what is missing or what it would cost"}
}

func commandParses(d *model.Deferral, facts Facts) *finding {
	if facts.Parse == nil {
		return nil
	}
	if err := facts.Parse(d.Argv()); err != nil {
		return &finding{at: d.CLIPos, message: fmt.Sprintf("the command offered instead of %q does not parse: %v", d.Name, err)}
	}
	return nil
}

func competitorExists(d *model.Deferral, facts Facts) *finding {
	f := &finding{at: d.CompetitorPos}
	var names []string
	for _, p := range facts.Products {
		names = append(names, p.Name.Value)
		if p.Name.Value != d.Competitor.Product {
			continue
		}
		if d.Competitor.Tool == "" {
			if Placeholder(d.Competitor.None) {
				f.message = fmt.Sprintf("%q says that %s has no such tool, and not why", d.Name, d.Competitor.Product)
				return f
			}
			return nil
		}
		var tools []string
		for _, t := range p.Tools {
			if tools = append(tools, t.Value); t.Value == d.Competitor.Tool {
				return nil
			}
		}
		f.message = fmt.Sprintf("%s %s has no tool %q", p.Name.Value, p.Version.Value, d.Competitor.Tool)
		f.hint = diag.DidYouMean(d.Competitor.Tool, tools)
		f.related = &diag.Related{Pos: p.Name.Pos, Message: "its tools, as of " + p.Checked.Value}
		return f
	}
	f.message = fmt.Sprintf("no product %q is listed in manifest/competitors.yaml", d.Competitor.Product)
	f.hint = diag.DidYouMean(d.Competitor.Product, names)
	return f
}

func unhandled(d *model.Deferral, facts Facts) *finding {
	for _, h := range facts.Handlers {
		if h.Method == d.GoName {
			return &finding{at: h.Pos, message: fmt.Sprintf("%s handles %q, which is deferred", h.Method, d.Name),
				related: &diag.Related{Pos: d.Pos, Message: "deferred here"}}
		}
	}
	return nil
}

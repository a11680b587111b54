// Package deferral checks that the records of deferred tools are true: the reason says something, the
// command that is offered instead parses, the counterpart in another product exists, and no handler
// implements the tool, or a tool without an entry.
//
// It must not know how a command line is parsed or where the list of competitors is kept: its caller
// passes both.
package deferral

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// Facts are the facts by which the rules judge the records.
type Facts struct {
	Today    time.Time                 // no product was looked at later
	Parse    func(argv []string) error // reads a command of the generated command line; nil skips the rule
	Products []spec.Product
	Handlers []evidence.Handler
	Rows     []diag.Pos // where the handlers' packages make tools in code
}

// Input is the input of the rules: the records of a set, and the facts.
type Input struct {
	Deferrals []*model.Deferral
	Facts     Facts
}

// minReason is the fewest characters of a reason: fewer say nothing that a reader did not know.
const minReason = 20

// Rules is the table.
func Rules() []diag.Rule[Input] {
	return []diag.Rule[Input]{
		{ID: "deferral-reason", Severity: diag.Error, Doc: fmt.Sprintf("The reason of a deferral says nothing: it is a "+
			"placeholder such as todo or later, or shorter than %d characters. The reason is sent to every client that asks for "+
			"the tool.", minReason), Check: each(checkReason)},
		{ID: "deferral-cli", Severity: diag.Error, Doc: "The command that a deferral offers instead does not parse with the " +
			"generated command line: there is no such verb or flag, or an argument is missing; or it offers none. A manifest without cli needs none. Clients are sent there; a way that " +
			"does not exist is worse than none.", Check: each(checkCommand)},
		{ID: "deferral-competitor", Severity: diag.Error, Doc: "A deferral refers to a product or a tool that " +
			"manifest/competitors.yaml does not list, or says that there is none without a reason. The list is a copy of what the " +
			"product itself answers to tools/list, with version and date, which is a day that has been; a name from memory is often wrong. A deferral needs no reference " +
			"where the module has no such file, or its scope no records.", Check: checkCompetitors},
		{ID: "deferral-handler", Severity: diag.Error, Doc: "A deferred tool has a handler. Code behind a tool that is not " +
			"there is neither reviewed nor tested as a tool is; promote the tool or delete the method.", Check: each(checkHandler)},
		{ID: "tool-in-code", Severity: diag.Error, Doc: "A package of handlers makes a row of the table of tools, or replaces the table. Such a tool has no entry: no " +
			"scope, no capability, no powers and no budget. Write it into the manifest.", Check: checkRows},
	}
}

// Check holds every record against every rule.
func Check(set *model.Toolset, facts Facts) diag.List {
	return diag.Check(Rules(), Input{set.Deferrals, facts})
}

// each checks the records one by one.
func each(check func(*model.Deferral, Facts, diag.Report)) func(Input, diag.Report) {
	return func(in Input, report diag.Report) {
		for _, d := range in.Deferrals {
			check(d, in.Facts, report)
		}
	}
}

// Placeholder reports a text that stands in for one: a word such as todo, or too little to say
// anything.
func Placeholder(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	hollow := []string{"todo", "tbd", "fixme", "xxx", "later", "soon", "planned", "pending", "na", "none", "n", "a", "wip", "maybe",
		"someday", "placeholder", "reason", "because", "lorem", "ipsum", "to", "be", "done", "decided", "yet", "not"}
	meant := slices.DeleteFunc(words, func(w string) bool { return slices.Contains(hollow, w) })
	return len(meant) < 2 || utf8.RuneCountInString(strings.TrimSpace(text)) < minReason
}

func checkReason(d *model.Deferral, _ Facts, report diag.Report) {
	if Placeholder(d.Reason) {
		report(d.ReasonPos, "the reason why %q is deferred says nothing: %q", d.Name, d.Reason).Hint = "say what is missing or what it would cost"
	}
}

func checkCommand(d *model.Deferral, facts Facts, report diag.Report) {
	if facts.Parse == nil {
		return
	}
	if d.Verb == "" {
		report(d.Pos, "the deferral of %q offers no command, and there is a command line", d.Name).Hint = "write cli_equivalent: {verb: …, args: […]}"
	} else if err := facts.Parse(d.Argv()); err != nil {
		report(d.CLIPos, "the command offered instead of %q does not parse: %v", d.Name, err).Hint = "write a verb of the command line under cli_equivalent, with its arguments"
	}
}

// checkCompetitors checks the dates of the products, then the reference of each record.
func checkCompetitors(in Input, report diag.Report) {
	for _, p := range in.Facts.Products {
		if day, err := time.Parse(time.DateOnly, p.Checked.Value); err != nil || day.After(in.Facts.Today) {
			report(p.Checked.Pos, "%q is no day on which the tools of %s can have been looked at", p.Checked.Value, p.Name.Value).Hint =
				"write the day on which tools/list was asked, as 2006-01-02"
		}
	}
	each(checkCompetitor)(in, report)
}

func checkCompetitor(d *model.Deferral, facts Facts, report diag.Report) {
	if d.Competitor.Product == "" && d.CompetitorPos.IsZero() {
		if len(facts.Products) > 0 && d.Scope != nil && d.Scope.Records {
			report(d.Pos, "the deferral of %q has no competitor_ref, scope %q has records, and manifest/competitors.yaml lists products", d.Name, d.Scope.Name).Hint =
				"write competitor_ref: {product: …, tool: …}, or none: with the reason"
		}
		return
	}
	i := slices.IndexFunc(facts.Products, func(p spec.Product) bool { return p.Name.Value == d.Competitor.Product })
	if i < 0 {
		names := slicesx.Map(facts.Products, func(p spec.Product) string { return p.Name.Value })
		report(d.CompetitorPos, "no product %q is listed in manifest/competitors.yaml", d.Competitor.Product).Hint =
			cmp.Or(diag.DidYouMean(d.Competitor.Product, names), "add it there; there are "+strings.Join(names, ", "))
		return
	}
	p := facts.Products[i]
	if d.Competitor.Tool == "" {
		if Placeholder(d.Competitor.None) {
			report(d.CompetitorPos, "%q says that %s has no such tool, and not why", d.Name, d.Competitor.Product).Hint = "say why under none"
		}
		return
	}
	var tools []string
	for _, t := range p.Tools {
		if tools = append(tools, t.Value); t.Value == d.Competitor.Tool {
			return
		}
	}
	found := report(d.CompetitorPos, "%s %s has no tool %q", p.Name.Value, p.Version.Value, d.Competitor.Tool)
	found.Hint = cmp.Or(diag.DidYouMean(d.Competitor.Tool, tools), "it has "+strings.Join(tools, ", "))
	found.Related = &diag.Related{Pos: p.Name.Pos, Message: "its tools, as of " + p.Checked.Value}
}

func checkRows(in Input, report diag.Report) {
	for _, at := range in.Facts.Rows {
		report(at, "a tool is made in code, which the manifest does not know").Hint = "declare it in the manifest"
	}
}

func checkHandler(d *model.Deferral, facts Facts, report diag.Report) {
	for _, h := range facts.Handlers {
		if h.Method == d.GoName {
			found := report(h.Pos, "%s handles %q, which is deferred", h.Method, d.Name)
			found.Hint = "delete it, or promote the tool: go tool toolgen promote " + d.Name
			found.Related = &diag.Related{Pos: d.Pos, Message: "deferred here"}
			return
		}
	}
}

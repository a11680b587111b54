// Package lint holds the rules about a tool set that is correct but not good: what its definitions
// cost a model's context, and whether they say anything.
//
// It sees resolved models only, and must not know how a definition is encoded: who calls it passes
// a function that measures one.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// The budgets, in bytes. A definition is a tool's entry in tools/list: name, description and input
// schema.
const (
	maxDescription    = 300  // of one description, conditional requirements included
	averageDefinition = 350  // of a definition, on average over all tools
	maxSlimTools      = 4    // tools in the slim list
	maxSlimBytes      = 1024 // of the whole slim list
	maxSkillBytes     = 6000 // of SKILL.md: 1,500 tokens, at four bytes a token
)

// Sizes measures definitions, in bytes.
type Sizes struct {
	Paid func(*model.Tool) int // name, description and input schema: what usually reaches a model
	Slim func(*model.Tool) int // the whole entry in the slim list
	// Skill is of the whole SKILL.md; it is called for sets whose manifest has a skill.
	Skill func(*model.Toolset) int
}

// Input is the input of the rules.
type Input struct {
	Set   *model.Toolset
	Sizes Sizes
}

// Check holds the set against every rule.
func Check(set *model.Toolset, sizes Sizes) diag.List { return diag.Check(Rules(), Input{set, sizes}) }

// Rules is the table of what this package reports.
func Rules() []diag.Rule[Input] {
	return []diag.Rule[Input]{
		{ID: "description-missing", Severity: diag.Error, Doc: "A tool, a prompt or a resource has no description. The description is all a " +
			"model knows of a tool before it calls it, and what people choose prompts by.", Check: checkDescriptionExists},
		{ID: "description-long", Severity: diag.Error, Doc: fmt.Sprintf("A description of a tool, with the conditional requirements it "+
			"states, of a prompt, of a resource or of one of their arguments is longer than %d bytes. Every client pays for it in every conversation. Say what a property means on the "+
			"property, and what a person should know in the docs. A forwarded tool without a description has the upstream's, however long.", maxDescription), Check: checkDescriptionLength},
		{ID: "description-repeats-name", Severity: diag.Warning, Doc: "A description repeats the name of its tool, prompt or resource. The name " +
			"stands beside it already; the bytes can say something else.", Check: checkDescriptionRepeatsName},
		{ID: "definition-budget", Severity: diag.Warning, Doc: fmt.Sprintf("Definitions are longer than %d bytes on average. The "+
			"list is what each client reads before it can do anything; shorten the longest ones, which the message names.",
			averageDefinition), Check: checkDefinitionBudget},
		{ID: "provider-refuses", Severity: diag.Error, Doc: "A parameter has a construct that a provider of models refuses, and the root file names " +
			"the provider under providers. Write the parameter otherwise, take it out of lists (listed: false), or take the provider off: its clients " +
			"may rewrite schemas before they send them.", Check: checkProviders},
		{ID: "unrevealed-tier", Severity: diag.Error, Doc: "A tool of tier 2 or 3 is in no list that a client is sent, and nothing reveals it: it has no " +
			"listed, and the manifest has no tool with builtin: expand, or that one is not in every list itself: in tier 1 and always visible.", Check: checkRevealed},
		{ID: "slim-budget", Severity: diag.Error, Doc: fmt.Sprintf("The slim list is meant for clients with next to no room: %d "+
			"tools and %d bytes at most.", maxSlimTools, maxSlimBytes), Check: checkSlimBudget},
		{ID: "skill-budget", Severity: diag.Error, Doc: fmt.Sprintf("SKILL.md is longer than %d bytes. An agent reads the whole file before it does anything "+
			"with the command line.", maxSkillBytes), Check: checkSkillBudget},
	}
}

func checkDescriptionExists(in Input, report diag.Report) {
	for _, t := range in.Set.Tools {
		if strings.TrimSpace(t.Description) == "" {
			report(t.Pos, "tool %q has no description", t.Name).Hint = "say what it does and when to call it"
		}
	}
	checkEntriesDescribed(in, report)
}

func checkDescriptionLength(in Input, report diag.Report) {
	for _, t := range in.Set.Tools {
		if n := len(t.FullDescription()); n > maxDescription && (t.Forward == nil || !t.Forward.Kept) {
			report(t.Pos, "the description of %q has %d bytes, and %d are allowed", t.Name, n, maxDescription).Hint =
				"say what a parameter means on the parameter, and the rest in the documentation"
		}
	}
	checkEntryLength(in, report)
}

// checkDescriptionRepeatsName looks for names that cannot be there by chance: one of several words
// as it is written, or any name as a heading. A tool "find" may well begin with "Find".
func checkDescriptionRepeatsName(in Input, report diag.Report) {
	for _, t := range in.Set.Tools {
		words := strings.FieldsFunc(t.Description, func(r rune) bool { return strings.ContainsRune(" \t\n.,;:()\"'`", r) })
		if strings.Contains(t.Name, "_") && slices.Contains(words, t.Name) || strings.HasPrefix(t.Description, t.Name+":") {
			report(t.Pos, "the description of %q repeats the name", t.Name).Hint = "leave the name out"
		}
	}
	checkEntryRepeats(in, report)
}

func checkDefinitionBudget(in Input, report diag.Report) {
	if len(in.Set.Tools) == 0 {
		return
	}
	type sized struct {
		tool  *model.Tool
		bytes int
	}
	all, total := make([]sized, len(in.Set.Tools)), 0
	for i, t := range in.Set.Tools {
		all[i] = sized{t, in.Sizes.Paid(t)}
		total += all[i].bytes
	}
	if total <= averageDefinition*len(all) {
		return
	}
	slices.SortStableFunc(all, func(a, b sized) int { return cmp.Compare(b.bytes, a.bytes) })
	longest := make([]string, 0, 3)
	for _, s := range all[:min(3, len(all))] {
		longest = append(longest, fmt.Sprintf("%s (%d)", s.tool.Name, s.bytes))
	}
	report(all[0].tool.Pos, "definitions have %d bytes on average, and should have %d",
		total/len(all), averageDefinition).Hint = "shorten the longest: " + strings.Join(longest, ", ")
}

func checkSlimBudget(in Input, report diag.Report) {
	count, total := 0, len("[")
	for _, t := range in.Set.Tools {
		if t.Slim == nil {
			continue
		}
		count++
		if count == maxSlimTools+1 {
			report(t.Slim.Pos, "%q would be tool %d of the slim list, and it holds %d", t.Name, count, maxSlimTools).Hint = "take slim from a tool"
		}
		before := total
		total += in.Sizes.Slim(t) + len(",")
		if before <= maxSlimBytes && total > maxSlimBytes {
			report(t.Slim.Pos, "with %q the slim list has %d bytes, and %d are allowed", t.Name, total, maxSlimBytes).Hint = "shorten descriptions under slim, or list fewer parameters there"
		}
	}
}

func checkSkillBudget(in Input, report diag.Report) {
	if in.Set.Server == nil || in.Set.Server.Skill == nil || in.Set.CLI == nil {
		return
	}
	if n := in.Sizes.Skill(in.Set); n > maxSkillBytes {
		report(in.Set.Server.Skill.Pos, "SKILL.md has %d bytes, and %d are allowed", n, maxSkillBytes).Hint = "leave to --help what an agent needs seldom"
	}
}

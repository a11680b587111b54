package compat

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/offered"
	"github.com/callsheet/callsheet/gen/toolkit/subschema"
)

// The IDs of the rules that only lists have.
const (
	paramCannotTell     = "PARAM_CANNOT_TELL"
	paramSameDefault    = "PARAM_SAME_DEFAULT"
	resultCannotTell    = "RESULT_CANNOT_TELL"
	taskNoNarrow        = "TASK_NO_NARROW"
	annotationNoWeaker  = "ANNOTATION_NO_WEAKER"
	annotationChanged   = "ANNOTATION_CHANGED"
	inputWider          = "INPUT_WIDER"
	resultNarrower      = "RESULT_NARROWER"
	textChanged         = "TEXT_CHANGED"
	entryAdded          = "ENTRY_ADDED"
	capabilityNoDelete  = "SERVER_CAPABILITY_NO_DELETE"
	listChangedNoDelete = "LIST_CHANGED_NO_DELETE"
	protocolNoLower     = "PROTOCOL_NO_LOWER"
	serverChanged       = "SERVER_CHANGED"
)

// Rule is a row of the table. Check fills in the place and the message of a finding; the rest is the row's.
type Rule struct {
	diag.Description
	Check func(*subject) []Finding
}

// list is one of the lists of both sides, with its rules.
type list struct {
	kind     string
	was, now []offered.Item
	rules    []Rule
}

func lists(was, now *offered.Server) []list {
	return []list{
		{"tool", was.Tools, now.Tools, toolRules()},
		{"prompt", was.Prompts, now.Prompts, promptRules()},
		{"resource", was.Resources, now.Resources, resourceRules()},
		{"template", was.Templates, now.Templates, resourceRules()},
	}
}

// Rules describes every rule that Compare applies, each once. Shared ones are among them.
func Rules() []diag.Description {
	var out []diag.Description
	seen := map[string]bool{}
	add := func(d diag.Description) {
		if !seen[d.ID] {
			seen[d.ID] = true
			out = append(out, d)
		}
	}
	for _, r := range slices.Concat(toolRules(), promptRules(), resourceRules()) {
		add(r.Description)
	}
	for _, r := range serverRules() {
		add(r.Description)
	}
	return out
}

// OwnRules describes the rules that are about lists alone.
func OwnRules() []diag.Description {
	theirs := Shared()
	return slices.DeleteFunc(Rules(), func(d diag.Description) bool {
		return slices.ContainsFunc(theirs, func(t diag.Description) bool { return t.ID == d.ID })
	})
}

// shared is the row of a shared rule with a check for lists.
func shared(id string, check func(*subject) []Finding) Rule {
	for _, d := range Shared() {
		if d.ID == id {
			return Rule{d, check}
		}
	}
	panic("no rule " + id) //nolint:forbidigo // a test lists every rule
}

func row(id string, severity diag.Severity, doc string, check func(*subject) []Finding) Rule {
	return Rule{diag.Description{ID: id, Severity: severity, Doc: doc}, check}
}

func toolRules() []Rule {
	return []Rule{
		shared("TOOL_NO_DELETE", checkDeleted),
		shared("TOOL_NO_RENAME", checkRenamed),
		shared("PARAM_NO_DELETE", inputsOf(subschema.Deleted)),
		shared("PARAM_NO_NEW_REQUIRED", inputsOf(subschema.Required)),
		shared("PARAM_SAME_TYPE", inputsOf(subschema.Type)),
		shared("PARAM_ENUM_NO_NARROW", inputsOf(subschema.Enum)),
		shared("PARAM_BOUNDS_NO_NARROW", inputsOf(subschema.Bounds)),
		row(paramCannotTell, diag.Warning, "The schema of a parameter changed, and the comparison cannot decide whether it takes less: another pattern, another condition, a union whose "+
			"variants overlap, a reference that leads elsewhere. Both sides are shown; look at them, and ignore the rule for the tool if the change is harmless.", inputsOf(subschema.Unknown)),
		row(paramSameDefault, diag.Warning, "A parameter has another default. A call without the parameter does something else than the cached list says.", checkDefaults),
		shared("RESULT_NO_NARROW", checkResults),
		row(resultCannotTell, diag.Warning, "The schema of a result changed, and the comparison cannot decide whether the result may have other values. Both sides are shown.", checkUnknownResults),
		row(taskNoNarrow, diag.Error, "A tool can no longer be called as a task, or only as one. A client that calls it as its cached list says is refused.", checkTasks),
		row(annotationNoWeaker, diag.Warning, "A tool no longer says that it only reads, destroys nothing, may be repeated, or keeps to itself. A client that decides by the cached hints calls "+
			"it without asking a person.", checkWeaker),
		row(annotationChanged, diag.Info, "A tool says that it is safer than before: that it only reads, destroys nothing, may be repeated, or keeps to itself.", checkSafer),
		row(inputWider, diag.Info, "A tool takes more than before: a new optional parameter, another type or value, or looser limits. A client with the cached list does not use it.", checkWider),
		row(resultNarrower, diag.Info, "The result of a tool says more than before: it has got a schema, or a schema that promises more.", checkNarrower),
		row(textChanged, diag.Info, "The title or description of a tool, a parameter, a prompt or a resource is another one. No call fails by it, but a model may choose otherwise.", checkTexts),
		row(entryAdded, diag.Info, "A tool, prompt, resource or template is new. A client with the cached list does not see it.", checkAdded),
	}
}

func promptRules() []Rule {
	return []Rule{
		shared("PROMPT_NO_DELETE", checkDeleted),
		shared("PROMPT_ARG_NO_DELETE", checkArgumentsDeleted),
		shared("PROMPT_ARG_NO_NEW_REQUIRED", checkArgumentsRequired),
		rowOf(toolRules(), textChanged), rowOf(toolRules(), entryAdded),
	}
}

func resourceRules() []Rule {
	return []Rule{
		shared("RESOURCE_NO_DELETE", checkDeleted),
		shared("RESOURCE_SAME_URI", checkAddress),
		shared("RESOURCE_SAME_MIME_TYPE", checkMIME),
		rowOf(toolRules(), textChanged), rowOf(toolRules(), entryAdded),
	}
}

// rowOf is the row of a table with an ID.
func rowOf(table []Rule, id string) Rule {
	return table[slices.IndexFunc(table, func(r Rule) bool { return r.ID == id })]
}

// apply holds a subject against rules.
func apply(rules []Rule, s *subject) []Finding {
	var out []Finding
	for _, r := range rules {
		for _, f := range r.Check(s) {
			f.Rule, f.Severity, f.Kind, f.Name = r.ID, r.Severity, s.kind, s.name()
			out = append(out, f)
		}
	}
	return out
}

package compat

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
)

// Shared describes the rules that also judge releases of a manifest, in the order of their tables.
func Shared() []diag.Description {
	const allow = " If it is meant, allow it in manifest/allowances.yaml and say why."
	return []diag.Description{
		{ID: "TOOL_NO_DELETE", Severity: diag.Error, Doc: "A tool of the last release is gone, or has left a scope that promised it." + allow},
		{ID: "TOOL_NO_RENAME", Severity: diag.Error, Doc: "A tool of the last release is gone, and a new one has the same contract: it was renamed. Write the old name under " +
			"was, and calls by it keep working."},
		{ID: "PARAM_NO_DELETE", Severity: diag.Error, Doc: "A parameter of the last release is gone. Arguments are strict, so calls that give it are refused. Write its old name under was of the parameter that has replaced it." + allow},
		{ID: "PARAM_NO_NEW_REQUIRED", Severity: diag.Error, Doc: "A parameter has become required, alone or under a condition, so that calls which worked are refused. Give a " +
			"new parameter a default instead." + allow},
		{ID: "PARAM_SAME_TYPE", Severity: diag.Error, Doc: "A parameter has another type than in the last release, can no longer be null, or has lost a variant of its union." + allow},
		{ID: "PARAM_ENUM_NO_NARROW", Severity: diag.Error, Doc: "A parameter no longer takes a value of its enum, or has got an enum." + allow},
		{ID: "PARAM_BOUNDS_NO_NARROW", Severity: diag.Error, Doc: "A limit of a parameter is tighter than in the last release: its least or greatest value, length or number of " +
			"items or members, a pattern or a format. The comparison cannot decide which of two patterns is wider, so any other one counts." + allow},
		{ID: "RESULT_NO_NARROW", Severity: diag.Error, Doc: "A member of a tool's result is gone, no longer sure to be there, or of another type, has values that it did not have (null, of " +
			"an enum, another format, a variant), or the result is free text now." + allow},
		{ID: "PROMPT_NO_DELETE", Severity: diag.Error, Doc: "A prompt of the last release is gone, has another name, or has left a scope that promised it." + allow},
		{ID: "PROMPT_ARG_NO_DELETE", Severity: diag.Error, Doc: "An argument of a prompt is gone. Unknown arguments are refused, so requests that give it are." + allow},
		{ID: "PROMPT_ARG_NO_NEW_REQUIRED", Severity: diag.Error, Doc: "An argument of a prompt has become required, so that requests which worked are refused." + allow},
		{ID: "RESOURCE_NO_DELETE", Severity: diag.Error, Doc: "A resource of the last release is gone, has another name, or has left a scope that promised it." + allow},
		{ID: "RESOURCE_SAME_URI", Severity: diag.Error, Doc: "A resource has another address or another template than in the last release. Clients keep addresses, and complete variables by the text of " +
			"the template." + allow},
		{ID: "RESOURCE_SAME_MIME_TYPE", Severity: diag.Error, Doc: "A resource has another MIME type than in the last release. Clients decide by it how to read the contents." + allow},
	}
}

// Doc returns the description of a shared rule; "" for a rule that is not shared.
func Doc(id string) string {
	if i := slices.IndexFunc(Shared(), func(d diag.Description) bool { return d.ID == id }); i >= 0 {
		return Shared()[i].Doc
	}
	return ""
}

package source

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit"
)

// Rules of the reader and of Check.
const (
	ruleFile        = "site-file"
	ruleKey         = "unknown-key"
	ruleKind        = "wrong-kind"
	ruleName        = "site-name"
	ruleOrigin      = "site-origin"
	ruleFact        = "site-fact"
	ruleElement     = "site-element"
	ruleStep        = "site-step"
	ruleTarget      = "site-target"
	ruleOrder       = "site-order"
	ruleTool        = "unknown-step-tool"
	ruleArgument    = "site-argument"
	rulePlaceholder = "unknown-placeholder"
	ruleUnquoted    = "unquoted-placeholder"
	ruleUnused      = "unused-parameter"
	ruleAbsent      = "absent-parameter"
	ruleSecret      = "site-secret"
	ruleContract    = "site-contract"
	ruleExtract     = "site-extract"
	ruleEffects     = "site-effects"
	rulePowers      = "site-powers"
	ruleRequest     = "site-request"
	ruleAnswer      = "site-answer"
)

// Input is the input of the rules.
type Input struct {
	Site    *Site
	Builtin *toolkit.Registry // the tools that steps may call
}

// Check holds a site that could be read against the rules about steps, parameters, secrets and outputs.
func Check(site *Site, builtin *toolkit.Registry) diag.List {
	return diag.Check(Rules(), Input{site, builtin})
}

// Rules is the table of this package's rules. Rules without a Check are reported while files are
// read.
func Rules() []diag.Rule[Input] {
	return []diag.Rule[Input]{
		{ID: ruleFile, Severity: diag.Error, Doc: "A site is a directory with site.yaml and a file for each tool in tools/, which is called by the tool's name."},
		{ID: ruleName, Severity: diag.Error, Doc: "The name of a site is a small letter, then small letters, digits and underscores."},
		{ID: ruleFact, Severity: diag.Error, Doc: "A fact is decided by what a page shows: observe has an element, an address, or not, all and any of such. event says " +
			"how the page changes the fact without a call: true, sets or clears."},
		{ID: ruleElement, Severity: diag.Error, Doc: "An element is described by role and name, testId, text, label or css. An element that is not described is no element."},
		{ID: ruleStep, Severity: diag.Error, Doc: "A step is an English order, or a mapping with do, tool or request. A tool begins at an address (start), or has steps, or both."},
		{ID: ruleOrder, Severity: diag.Error, Doc: "An English order begins with none of the known verbs: click, type, select, check, press, scroll, go to, wait for."},
		{ID: ruleUnquoted, Severity: diag.Error, Doc: "A placeholder such as {name} stands without quotes, which YAML reads as a mapping. Write it in quotes."},
		{ID: ruleContract, Severity: diag.Error, Doc: "A postcondition or an expect is no contract: it has an unknown assertion or member. The contracts are those of oc_assert."},
		{ID: ruleOrigin, Severity: diag.Error, Doc: "Every address of a site belongs to one of its origins: start, and the addresses that steps load. " +
			"An origin is a scheme and a host; the operator replaces the first with --site-origin.", Check: checkOrigins},
		{ID: ruleTool, Severity: diag.Error, Doc: "A step calls a tool that this server does not have.", Check: checkTools},
		{ID: ruleArgument, Severity: diag.Error, Doc: "The arguments of a step do not fit the schema of its tool. A target gives the argument that it is for.", Check: checkArguments},
		{ID: ruleTarget, Severity: diag.Error, Doc: "The target of a step is found by the marks of an element, so that a changed page is noticed. css, has, not_text and within " +
			"are for facts, when and extract.", Check: checkTargets},
		{ID: rulePlaceholder, Severity: diag.Error, Doc: "A placeholder names neither a parameter of the tool nor one of the site. A secret is written {secret:NAME}.", Check: checkPlaceholders},
		{ID: ruleUnused, Severity: diag.Error, Doc: "A parameter that nothing mentions changes nothing: a caller that sets it is misled.", Check: checkUnused},
		{ID: ruleAbsent, Severity: diag.Error, Doc: "The address where a tool starts, the postcondition and a fact need every parameter that they mention: it is required or has a default. " +
			"A step that mentions a parameter without a value is left out.", Check: checkAbsent},
		{ID: ruleSecret, Severity: diag.Error, Doc: "A secret stands in the source, or a parameter is typed into a field of a password, where a model would see it. " +
			"Secrets are named ({secret:NAME}), declared in site.yaml, and come from the vault.", Check: checkSecrets},
		{ID: ruleExtract, Severity: diag.Error, Doc: "extract has one entry for each property of the output, of the type that the output declares.", Check: checkExtract},
		{ID: ruleAnswer, Severity: diag.Error, Doc: "A tool that sends a request takes its output from the answer (json: /pointer), and any other from the page.", Check: checkAnswers},
		{ID: ruleEffects, Severity: diag.Error, Doc: "A tool that says read_only has a step whose tool changes things, other than by loading an address.", Check: checkEffects},
		{ID: rulePowers, Severity: diag.Error, Doc: "powers names the powers that the steps of a tool may use. A step uses one that is not among them, or no step uses one that is.", Check: checkPowers},
		{ID: ruleRequest, Severity: diag.Error, Doc: "A request is the one step of its tool: a method and a path of the site, with query, headers, and a body or a form. " +
			"Only GET reads. The browser sends cookies and its own headers; a secret is written {secret:NAME}.", Check: checkRequests},
		{ID: ruleKey, Severity: diag.Error, Doc: "A key is unknown at its place."},
		{ID: ruleKind, Severity: diag.Error, Doc: "A value is of another kind than its key takes."},
	}
}

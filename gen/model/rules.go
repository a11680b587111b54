package model

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/format"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// RuleUntaggedTool is the rule that "toolgen check" turns into an error.
const RuleUntaggedTool = "untagged-tool"

// RuleTooManyFacts is the rule that the prover knows by the same name, for sets that did not come
// through Resolve.
const RuleTooManyFacts = "too-many-facts"

// RuleLiveAndDeferred is the rule that an entry is live or deferred; promotion asks for it by name.
const RuleLiveAndDeferred = "live-and-deferred"

// The IDs of this package's other rules.
const (
	ruleUnknownCapability   = "unknown-capability"
	ruleUnknownFact         = "unknown-fact"
	ruleUnknownScope        = "unknown-scope"
	ruleUnknownSurface      = "unknown-surface"
	ruleUnknownStatus       = "unknown-status"
	ruleUnknownProperty     = "unknown-property"
	ruleUnknownValue        = "unknown-value"
	ruleEmptyText           = "empty-text"
	ruleDuplicateTool       = "duplicate-tool"
	ruleDuplicateArea       = "duplicate-area"
	ruleDuplicateEntry      = "duplicate-entry"
	rulePredicate           = "bad-predicate"
	ruleNoScenario          = "no-scenario"
	ruleBadTier             = "bad-tier"
	ruleBadBudget           = "bad-budget"
	ruleMissingEffect       = "missing-effect"
	ruleEffectContradiction = "effect-contradiction"
	ruleSlimRequired        = "slim-required"
	ruleBadBuiltin          = "bad-builtin"
	ruleBadRequirement      = "bad-requirement"
	ruleBadAddress          = "bad-address"
	ruleDeferralScope       = "deferral-scope"
	ruleDuplicatePrompt     = "duplicate-prompt"
	ruleDuplicateResource   = "duplicate-resource"
	ruleBadURI              = "bad-uri"
	ruleUnknownVariable     = "unknown-variable"
	ruleBadCompletion       = "bad-completion"
	ruleBadMIME             = "bad-mime-type"
	ruleBadAnnotation       = "bad-annotation"
	ruleDeferralCompetitor  = "deferral-competitor-form"
	ruleEmptyProfile        = "empty-profile"
	ruleOptInCore           = "opt-in-core"
	ruleVerbClash           = "verb-clash"
	ruleBadVerb             = "bad-verb"
	ruleFlagClash           = "flag-clash"
	ruleUnreachable         = "verb-unreachable"
	ruleBadExample          = "bad-example"
	ruleBadSince            = "bad-since"
	ruleUnknownPower        = "unknown-power"
	rulePowerCondition      = "power-condition"
	rulePowerSurface        = "power-surface"
	rulePowerReadOnly       = "power-read-only"
	ruleBadRefusal          = "bad-refusal"
	ruleBadServer           = "bad-server"
	ruleUnknownProvider     = "unknown-provider"
	ruleBadAsk              = "bad-ask"
	ruleBadConfirm          = "bad-confirm"
	ruleBadSentinel         = "bad-sentinel"
	ruleBadListStyle        = "bad-list-style"
	ruleBadUpstream         = "bad-upstream"
	ruleForwardMisplaced    = "forward-misplaced"
)

// Rules is the table of what this package reports. The resolver checks the rules while it builds
// the model, in which no broken name or type can stand, so they have no Check.
func Rules() []diag.Rule[*spec.Tree] {
	rules := slices.Concat(toolRules(), powerRules(), typeRules(), formRules(), recordRules(), serverRules(), entryRules(), upstreamRules())
	for i := range rules {
		rules[i].Severity = diag.Error
	}
	for i := range rules {
		if rules[i].ID == RuleUntaggedTool || rules[i].ID == paramspec.RuleUnusedType {
			rules[i].Severity = diag.Warning
		}
	}
	return rules
}

// powerRules are about what the code of a tool may do.
func powerRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: ruleUnknownPower, Doc: "A tool uses a power that the root file does not declare under powers. Generated code has a type for each, " +
			"and what is dangerous demands a value of it."},
		{ID: rulePowerCondition, Doc: "A power is used under a condition that is not one parameter with values of its enum, true or false of a " +
			"boolean, or given, or that holds for every call. Such a power is used always."},
		{ID: rulePowerSurface, Doc: "A tool uses a power and does not state the policy surface that the power belongs to. A policy about the " +
			"surface would miss the tool."},
		{ID: rulePowerReadOnly, Doc: "A tool is declared read-only, and each of its calls uses a power that changes something. Where only some calls " +
			"use it, state the condition: clients are then told that the tool may change things."},
	}
}

// toolRules are about names, predicates and what a tool promises.
func toolRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: RuleUntaggedTool, Doc: "A tool, a prompt or a resource has no capability. Core is assumed, so that work can go on, but nobody has decided it: " +
			"\"toolgen check\" and release builds refuse. Write the capability on the entry."},
		{ID: ruleUnknownCapability, Doc: "A tool, a prompt or a resource stands behind a capability that the root file does not declare. The set is closed, because " +
			"clients filter by these names."},
		{ID: ruleUnknownFact, Doc: "A predicate, scenario or event names a fact that the root file does not declare under facts."},
		{ID: ruleUnknownScope, Doc: "A tool, a prompt or a resource names a scope that the root file does not declare under scopes."},
		{ID: ruleUnknownSurface, Doc: "A tool or a power names a policy surface that the root file does not declare under surfaces."},
		{ID: ruleUnknownStatus, Doc: "A scope's status is neither frozen nor open. The tools of a frozen scope equal the lock; those of an open " +
			"scope may change."},
		{ID: ruleUnknownProperty, Doc: "require_when, slim, cli or confirm names an input property that the tool does not have."},
		{ID: ruleUnknownValue, Doc: "require_when tests a property for a value that its enum does not list, so the requirement would never apply."},
		{ID: paramspec.RuleUnknownType, Doc: "A type is not one of string, integer, number, boolean, array and object. Unions and null are left out: " +
			"providers of models reject them."},
		{ID: paramspec.RuleUntypedProperty, Doc: "A property or the items of an array have no type. Nothing is guessed, for a wrong guess becomes a promise."},
		{ID: paramspec.RuleBadName, Doc: "A name is not spelt as names are: a small letter, then small letters, digits and underscores, 64 characters at " +
			"most. Properties may use camel case; an area must also be a Go package name, a fact must not be a word of predicates, a " +
			"scenario, scope or profile not one of the lists, all and slim."},
		{ID: ruleBadAddress, Doc: "addressed_by names a property that no tool takes, or that some tool takes as something else than a " +
			"string. Every call that has the property is judged by the facts of the connection it names."},
		{ID: ruleEmptyText, Doc: "A title or description is there and says nothing."},
		{ID: ruleDuplicateTool, Doc: "Two tools have the same name, or an old name (was) is also the name or old name of another tool. A call could " +
			"then mean either."},
		{ID: ruleDuplicateArea, Doc: "Two files have the same base name. The base name is the area, and an area is one file, one handler package " +
			"and one section of the docs. Tools in the root file form the area \"tools\"."},
		{ID: ruleDuplicateEntry, Doc: "A list of names holds the same name twice."},
		{ID: paramspec.RuleGoNameClash, Doc: "Two names of the manifest become the same Go identifier, such as tab_id and tabId, or a tool \"a\" with an enum " +
			"\"b_c\" beside a tool \"a_b\" with an enum \"c\". Rename one of them."},
		{ID: rulePredicate, Doc: "A predicate is more than facts, !, &&, || and parentheses, or less. What needs counting or comparing is a fact " +
			"with a better definition, computed in Go. \"always\" stands alone."},
		{ID: RuleTooManyFacts, Doc: "There are more than 20 facts. The prover looks at every combination of them: a million, which also fits a " +
			"machine word and keeps visibility a single comparison. More are no longer understood by a reader either: derive some, or " +
			"drop them."},
		{ID: paramspec.RuleTooManyProperties, Doc: "An object has more than 64 properties. The generated reader notes those it has seen in one machine word; " +
			"and no model fills in 64 arguments well."},
		{ID: ruleNoScenario, Doc: "There are facts and no scenario. Each scenario has a snapshot of tools/list, and a surface without one is not reviewed."},
		{ID: ruleBadTier, Doc: "A tier is not 1, 2 or 3. Tier 1 is listed by default, the others once they are revealed."},
		{ID: ruleBadBudget, Doc: "A budget is zero or negative, so that no call could keep it."},
		{ID: ruleMissingEffect, Doc: "A tool leaves out one of its four effects: read_only, destructive, idempotent, open_world. Clients decide by " +
			"them whether to ask a person first, so all four are decided by a person."},
		{ID: ruleEffectContradiction, Doc: "A tool is declared both read-only and destructive."},
		{ID: ruleSlimRequired, Doc: "The slim form of a tool leaves out a property that every call needs, so that a client could not call it."},
		{ID: ruleBadBuiltin, Doc: "A tool names a handler that the toolkit does not have, or its input is not what that handler takes. expand takes " +
			"some of name, query, capability and tier: optional texts without defaults; tier has an enum of 2 and 3. A built-in tool has no output and no powers."},
		{ID: ruleBadRequirement, Doc: "An entry of require_when has none or several of all, any, one and only, too few names, a name that is required " +
			"anyway, or a when that does not test exactly one property with an enum."},
	}
}

// typeRules are about properties and their types.
func typeRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: paramspec.RuleBadEnum, Doc: "An enum is empty, lists a value twice, or has something other than texts or whole numbers. Texts are a list; whole numbers " +
			"have names: enum: {low: 1, high: 2}."},
		{ID: paramspec.RuleBadPattern, Doc: "A pattern is not a regular expression of RE2, the dialect that validates it. Look-around and back-references do " +
			"not exist there."},
		{ID: paramspec.RuleBadBounds, Doc: "A lower limit is above the upper one, a length is negative or at most 0, or a bound of an integer is not whole."},
		{ID: paramspec.RuleBadDefault, Doc: "A default is not a value the property accepts: of another type, outside its enum or limits, or not matching its " +
			"pattern."},
		{ID: paramspec.RuleRequiredDefault, Doc: "A property is required and has a default. Every call has the property, so the default would never be used."},
		{ID: paramspec.RuleKeyMisplaced, Doc: "A key does not apply to the type it stands on, such as minLength on an integer, a pattern beside an enum, or " +
			"required on the items of an array."},
		{ID: paramspec.RuleUnknownFormat, Doc: "A format is not one that generated readers check: " + strings.Join(format.Names(), ", ") + "."},
		{ID: paramspec.RuleRecursiveType, Doc: "A shared type contains itself. Schemas repeat a type wherever it is used, because not every provider of models follows " +
			"references, so such a type would have no end."},
		{ID: paramspec.RuleUnusedType, Doc: "No tool refers to a shared type. It would be compiled into every server for nothing."},
		{ID: paramspec.RuleBadUnion, Doc: "A union has fewer than two variants, or a variant states the tag itself. The tag is a member of every variant already, " +
			"and its value is the name of the variant."},
		{ID: ruleBadAsk, Doc: "An entry of asks is none of elicitation, elicitation.url, sampling and roots, the capabilities by which clients declare what they can be asked for; or the " +
			"tool has no handler of its own: it is forwarded, or the toolkit runs it."},
		{ID: ruleBadConfirm, Doc: "confirm has a brace that belongs to no placeholder, or stands on a tool without a handler of its own. {title} is the value of the " +
			"parameter title."},
		{ID: ruleBadSentinel, Doc: "from of a code is not a package and the name of an exported variable in it, as in internal/store.ErrNotFound; two codes have the " +
			"same; or from and advice do not stand together."},
		{ID: ruleBadListStyle, Doc: "A key under list has a value that it does not take. titles and annotations are distinct, all or none; schemas are brief or full."},
		{ID: ruleUnknownProvider, Doc: "providers names a provider of models whose limits on schemas the compiler does not know: " +
			strings.Join(Providers(), ", ") + "."},
		{ID: paramspec.RuleMissingItems, Doc: "An array does not say what its items are."},
		{ID: paramspec.RuleMissingProperties, Doc: "An object does not say which properties it has. Objects are closed, so such an object could only be empty."},
	}
}

// formRules are about parameters that the schema of a list does not show.
func formRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: paramspec.RuleParameterClash, Doc: "An older name of a parameter (was), or a name that is refused (not), is also a parameter of the tool, or stands " +
			"twice. A call could then mean either."},
		{ID: paramspec.RuleRefusalReason, Doc: "A refused parameter (not) has no reason of four words or more. The reason is what the answer to a call says, so it " +
			"names what to use instead."},
		{ID: paramspec.RuleUnlistedRequired, Doc: "A parameter is not listed (listed: false), and it is required or in the slim form. A client could not know how to " +
			"call the tool."},
		{ID: paramspec.RuleObjectForm, Doc: "from_object does not fit the type. A text takes json: an object is read as its JSON text. A list of texts takes a " +
			"separator, such as \"=\": each member becomes name=value. A list of objects takes two properties, for the name and the value of each " +
			"member. A list of numbers takes the members whose values it holds."},
	}
}

// recordRules are about deferrals, profiles, the command line and traits.
func recordRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: RuleLiveAndDeferred, Doc: "A tool is live and deferred at once: its entry has deferred beside keys of a live tool (input, visible, " +
			"effects, …), or two entries have its name. A deferred tool has no schema, no handler and no place in any list; one that " +
			"has them is promoted, and then its deferral is gone."},
		{ID: ruleDeferralScope, Doc: "A tool is deferred in more than one scope. The record names one, because a client that asks why a tool is " +
			"missing gets one answer."},
		{ID: ruleDeferralCompetitor, Doc: "competitor_ref names neither a tool nor a reason why there is none, or it names both."},
		{ID: ruleOptInCore, Doc: "The capability core is opt-in. It is what is assumed of a tool without a capability, and what a client " +
			"finds without any flag: a server would have nothing to begin with. Make another capability opt-in."},
		{ID: ruleEmptyProfile, Doc: "A profile excludes the first scope. A profile is that scope without what it excludes, so this one would be " +
			"empty."},
		{ID: ruleBadRefusal, Doc: "An entry of refusals does not say what its code means. A code has a description and one of the classes " +
			"invalid, forbidden, not_found, conflict, too_large, failed, internal, unavailable and timeout; a code of the toolkit, and the " +
			"entry any, have fields alone. A field has a type of JSON, or any."},
		{ID: ruleBadSince, Doc: "since of a scope or a deferral is no version: numbers with dots, or a phase of the product, such as phase22. A client that " +
			"reads it compares it with the version that it knows."},
		{ID: ruleVerbClash, Doc: "Two verbs of the command line have the same name, or a verb is called as one of the program's own commands. " +
			"Verbs are the tools' names with hyphens unless cli says otherwise."},
		{ID: ruleBadVerb, Doc: "An entry of cli makes no verb: its name is not small letters, digits and hyphens, a positional argument comes after " +
			"one that may be left out, a value is not one the property takes, or the root file has no cli that names the program."},
		{ID: ruleFlagClash, Doc: "Two parameters of a verb have the same flag, or a flag is one that every verb has. Give the parameter another " +
			"name under flags."},
		{ID: ruleUnreachable, Doc: "A verb hides a property that every call needs, so that it could never succeed."},
		{ID: ruleBadExample, Doc: "An example does not begin with the program and its own verb, or the command line it stands for does not accept it. " +
			"People copy examples before they read anything else."},
		{ID: paramspec.RuleUnknownTrait, Doc: "A tool or a parameter has a trait, or a value of one, that the root file does not declare under traits. " +
			"The vocabulary is closed, because the server decides by these values."},
		{ID: paramspec.RuleMissingTrait, Doc: "A tool leaves out a trait that the root file declares, or a parameter whose name a role claims states no " +
			"role. The server decides by traits what is masked, kept and shown, so a person decides each of them: write role: none on a " +
			"parameter that only has such a name."},
		{ID: paramspec.RuleTraitMisplaced, Doc: "A role stands where it can have no effect: on an output, on a number or a boolean, or role: none on a " +
			"parameter whose name no role claims; or two roles claim the same name."},
	}
}

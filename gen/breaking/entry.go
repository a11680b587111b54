package breaking

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/compat"
)

// Prompt is a promised prompt.
type Prompt struct {
	Name string `json:"name"`
	Terms
	Arguments []Argument `json:"arguments,omitempty"`
}

// Argument is an argument of a prompt or a variable of a template. Enum has all values that it may have;
// none is any text.
type Argument struct {
	Name     string   `json:"name"`
	Required bool     `json:"required,omitempty"`
	Enum     []string `json:"enum,omitempty"`
}

// Resource is a promised resource. Exactly one of URI and Template is set.
type Resource struct {
	Name     string `json:"name"`
	URI      string `json:"uri,omitempty"`
	Template string `json:"uriTemplate,omitempty"`
	MIME     string `json:"mimeType,omitempty"`
	Terms
	Subscribe bool       `json:"subscribe,omitempty"`
	Variables []Argument `json:"variables,omitempty"`
}

// Terms say who is served a prompt or a resource.
type Terms struct {
	Scopes     []string `json:"scopes"` // the frozen ones
	Capability string   `json:"capability"`
	OptIn      string   `json:"opt_in,omitempty"` // the capability that must be asked for; "" for none
	Visible    string   `json:"visible"`          // a predicate, or always
}

// entries records the prompts and resources of frozen scopes.
func (s *Surface) entries(set *model.Toolset) {
	for _, p := range set.Prompts {
		if terms := termsOf(&p.Entry); len(terms.Scopes) > 0 {
			s.Prompts = append(s.Prompts, Prompt{p.Name, terms, argumentsOf(p.Arguments)})
		}
	}
	for _, r := range set.Resources {
		if terms := termsOf(&r.Entry); len(terms.Scopes) > 0 {
			row := Resource{Name: r.Name, URI: r.URI, MIME: r.MIME, Terms: terms, Subscribe: r.Subscribe, Variables: argumentsOf(r.Variables)}
			if r.Template != nil {
				row.Template = r.Template.String()
			}
			s.Resources = append(s.Resources, row)
		}
	}
}

func termsOf(e *model.Entry) Terms {
	out := Terms{Capability: e.Capability.Name, Visible: e.VisibleText()}
	for _, s := range e.Scopes {
		if s.Frozen {
			out.Scopes = append(out.Scopes, s.Name)
		}
	}
	if e.Capability.OptIn {
		out.OptIn = e.Capability.Name
	}
	return out
}

func argumentsOf(of []*model.Argument) []Argument {
	return slicesx.Map(of, func(a *model.Argument) Argument { return Argument{a.Name, a.Required, a.Type.Enum} })
}

// PromptInput is the input of the rules about prompts: a prompt of the old surface, and the same of the new one.
type PromptInput struct {
	was     Prompt
	now     *Prompt // nil when it is gone
	narrows Narrows
}

// ResourceInput is the input of the rules about resources.
type ResourceInput struct {
	was     Resource
	now     *Resource // nil when it is gone
	narrows Narrows
}

// PromptRules is the table of changes of prompts that break clients.
func PromptRules() []diag.Rule[*PromptInput] {
	const allow = " If it is meant, allow it in manifest/allowances.yaml and say why."
	return []diag.Rule[*PromptInput]{
		{ID: "PROMPT_NO_DELETE", Severity: diag.Error, Doc: compat.Doc("PROMPT_NO_DELETE"), Check: checkPromptDeleted},
		{ID: "PROMPT_NO_HIDE", Severity: diag.Error, Doc: "Servers that are started as they were no longer have a prompt of the last release, or there is a state in which it was visible and is " +
			"not now." + allow, Check: checkPromptHidden},
		{ID: "PROMPT_ARG_NO_DELETE", Severity: diag.Error, Doc: compat.Doc("PROMPT_ARG_NO_DELETE"), Check: checkArgumentsDeleted},
		{ID: "PROMPT_ARG_NO_NEW_REQUIRED", Severity: diag.Error, Doc: compat.Doc("PROMPT_ARG_NO_NEW_REQUIRED"), Check: checkArgumentsRequired},
		{ID: "PROMPT_ARG_ENUM_NO_NARROW", Severity: diag.Error, Doc: "An argument of a prompt no longer takes a value of its enum, or has got an enum." + allow, Check: checkArgumentEnums},
	}
}

// ResourceRules is the table of changes of resources that break clients.
func ResourceRules() []diag.Rule[*ResourceInput] {
	const allow = " If it is meant, allow it in manifest/allowances.yaml and say why."
	return []diag.Rule[*ResourceInput]{
		{ID: "RESOURCE_NO_DELETE", Severity: diag.Error, Doc: compat.Doc("RESOURCE_NO_DELETE"), Check: checkResourceDeleted},
		{ID: "RESOURCE_NO_HIDE", Severity: diag.Error, Doc: "Servers that are started as they were no longer have a resource of the last release, or there is a state in which it was visible and is " +
			"not now." + allow, Check: checkResourceHidden},
		{ID: "RESOURCE_SAME_URI", Severity: diag.Error, Doc: compat.Doc("RESOURCE_SAME_URI"), Check: checkResourceURI},
		{ID: "RESOURCE_SAME_MIME_TYPE", Severity: diag.Error, Doc: compat.Doc("RESOURCE_SAME_MIME_TYPE"), Check: checkResourceMIME},
		{ID: "RESOURCE_NO_UNSUBSCRIBE", Severity: diag.Error, Doc: "Clients could subscribe to a resource of the last release, and no longer can." + allow, Check: checkResourceSubscribe},
		{ID: "RESOURCE_ENUM_NO_NARROW", Severity: diag.Error, Doc: "A variable of a template no longer takes a value of its enum, or has got an enum: there was a resource of that address." + allow,
			Check: checkVariableEnums},
	}
}

// compareEntries lists what has changed for the worse among prompts and resources, in the order of the old surface.
func compareEntries(was, now Surface, narrows Narrows) []Change {
	var changes []Change
	for _, p := range was.Prompts {
		in := &PromptInput{was: p, narrows: narrows}
		if i := slices.IndexFunc(now.Prompts, func(n Prompt) bool { return n.Name == p.Name }); i >= 0 {
			in.now = &now.Prompts[i]
		}
		for _, d := range diag.Check(PromptRules(), in) {
			changes = append(changes, Change{Rule: d.Rule, Prompt: p.Name, Message: d.Message})
		}
	}
	for _, r := range was.Resources {
		in := &ResourceInput{was: r, narrows: narrows}
		if i := slices.IndexFunc(now.Resources, func(n Resource) bool { return n.Name == r.Name }); i >= 0 {
			in.now = &now.Resources[i]
		}
		for _, d := range diag.Check(ResourceRules(), in) {
			changes = append(changes, Change{Rule: d.Rule, Resource: r.Name, Message: d.Message})
		}
	}
	return changes
}

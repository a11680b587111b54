package model

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
	"github.com/callsheet/callsheet/gen/toolkit/uritemplate"
)

// handler is the value of complete that asks for a method.
const handler = "handler"

// audiences are the readers of a resource in the protocol.
func audiences() []string { return []string{"user", "assistant"} }

var mimeType = regexp.MustCompile(`^[a-zA-Z0-9!#$&^_.+-]+/[a-zA-Z0-9!#$&^_.+-]+(;.*)?$`)

// entryResolver resolves prompts and resources.
type entryResolver struct {
	*resolver
	types *paramspec.Resolver
}

// entries resolves the prompts and resources of an area.
func (r entryResolver) entries(area *Area, in spec.Area) {
	for _, p := range in.Prompts {
		area.Prompts = append(area.Prompts, r.prompt(area, p))
	}
	for _, res := range in.Resources {
		area.Resources = append(area.Resources, r.resource(area, res))
	}
	r.muted = false
	slices.SortStableFunc(area.Prompts, func(a, b *Prompt) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(area.Resources, func(a, b *Resource) int { return cmp.Compare(a.Name, b.Name) })
}

// entry resolves what prompts and resources have in common. Names in Go are claimed once for each name,
// so that two entries of one name are one mistake.
func (r entryResolver) entry(area *Area, in *spec.Entry, kind, rule string) Entry {
	name := in.Name.Value
	e := Entry{
		Name: name, Title: in.Title.Value, GoName: r.goName(name), Description: in.Description.Value, Area: area, Pos: in.Name.Pos,
		TimeoutMS: r.positive(in.TimeoutMS, "timeout_ms", defaultTimeoutMS), Scopes: r.scopeList(in.Scopes), List: r.set.List, Asks: r.asks(in.Asks),
	}
	r.name(in.Name, "a "+kind)
	r.notEmpty(in.Title, "the title")
	r.notEmpty(in.Description, "the description")
	first, taken := r.claims[kind+" "+name]
	if r.muted = taken; taken {
		d := r.errorf(in.Name.Pos, rule, "%s %q is already declared", kind, name)
		d.Related = &diag.Related{Pos: first.pos, Message: "first declared here"}
	} else {
		r.claims[kind+" "+name] = claim{kind, in.Name.Pos}
	}
	e.Capability, e.Tagged, e.CapabilityPos = r.taggedWith(in.Capability, in.Name, kind)
	if e.VisiblePos = e.Pos; in.Visible.Set() {
		e.Visible, e.VisiblePos = r.predicate(in.Visible, 0, in.Visible.Value), in.Visible.Pos
	}
	return e
}

func (r entryResolver) prompt(area *Area, in *spec.Prompt) *Prompt {
	p := &Prompt{Entry: r.entry(area, &in.Entry, "prompt", ruleDuplicatePrompt)}
	what := "prompt \"" + p.Name + "\""
	r.ident("Prompt"+p.GoName, what, p.Pos)
	if len(in.Arguments) > 0 {
		r.ident(p.ArgumentsType(), "the arguments of "+what, p.Pos)
	}
	for _, a := range in.Arguments {
		p.Arguments = append(p.Arguments, r.argument(&p.Entry, a, "argument"))
	}
	r.fieldNames(p.Arguments)
	return p
}

func (r entryResolver) resource(area *Area, in *spec.Resource) *Resource {
	out := &Resource{
		Entry: r.entry(area, &in.Entry, "resource", ruleDuplicateResource), MIME: in.MIME.Value, Size: in.Size.Value, Subscribe: in.Subscribe.Value,
		URIPos: cmp.Or(in.URI.Pos, in.Template.Pos, in.Name.Pos),
	}
	what := "resource \"" + out.Name + "\""
	r.ident("Resource"+out.GoName, what, out.Pos)
	r.ident(out.GoName+"URI", what, out.Pos)
	r.address(out, in)
	r.variables(out, in)
	if in.MIME.Set() && !mimeType.MatchString(in.MIME.Value) {
		r.errorf(in.MIME.Pos, ruleBadMIME, "%q is no MIME type", in.MIME.Value).Hint = "a MIME type is TYPE/SUBTYPE, such as text/markdown"
	}
	r.annotations(out, in)
	return out
}

// address resolves the one of uri and uriTemplate that is written.
func (r entryResolver) address(out *Resource, in *spec.Resource) {
	written, text := in.URI, in.URI.Value
	switch {
	case in.URI.Set() == in.Template.Set():
		r.errorf(out.URIPos, ruleBadURI, "resource %q has exactly one of uri and uriTemplate", out.Name).Hint =
			"uri is one address; uriTemplate has variables, as in note://{id}"
		return
	case in.Template.Set():
		t, err := uritemplate.Parse(in.Template.Value)
		if err != nil {
			r.errorf(in.Template.Pos, ruleBadURI, "%v", err)
			return
		}
		out.Template, written = t, in.Template
		values := map[string]string{}
		for _, name := range t.Variables() {
			values[name] = "x"
		}
		if text = t.Expand(values); len(values) == 0 {
			r.errorf(written.Pos, ruleBadURI, "%q has no variable", written.Value).Hint = "write uri for one address"
		}
	case strings.ContainsAny(text, "{}"):
		r.errorf(in.URI.Pos, ruleBadURI, "%q has a variable", text).Hint = "write uriTemplate for all addresses of a template"
		return
	}
	out.URI = text
	if scheme, _, ok := strings.Cut(written.Value, ":"); !ok || !isAbsolute(text) || strings.Contains(scheme, "{") {
		r.errorf(written.Pos, ruleBadURI, "%q is no absolute URI", written.Value).Hint = "an address begins with a scheme, such as tracker://projects"
	}
	if out.Template != nil {
		out.URI = ""
	}
}

func isAbsolute(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.IsAbs() && !strings.ContainsAny(text, " \t\n<>\"\\^`|")
}

// variables resolves the variables of a template in its order. Those that the entry says nothing about
// are there too.
func (r entryResolver) variables(out *Resource, in *spec.Resource) {
	var names []string
	if out.Template != nil {
		names = out.Template.Variables()
		r.ident(out.VariablesType(), "the variables of resource \""+out.Name+"\"", out.Pos)
	}
	written := map[string]spec.Argument{}
	for _, v := range in.Variables {
		if written[v.Name.Value] = v; !slices.Contains(names, v.Name.Value) && (out.Template != nil || !in.Template.Set()) {
			r.unknown(v.Name, ruleUnknownVariable, "variable", names)
		}
	}
	for _, name := range names {
		v, ok := written[name]
		if !ok {
			v.Name = spec.Text{Value: name, Pos: in.Template.Pos}
		}
		a := r.argument(&out.Entry, v, "variable")
		a.Required = true
		out.Variables = append(out.Variables, a)
	}
	r.fieldNames(out.Variables)
}

// annotations resolves the annotations of the protocol.
func (r entryResolver) annotations(out *Resource, in *spec.Resource) {
	if in.Size.Set() && (in.Size.Value < 1 || in.Template.Set()) {
		r.errorf(in.Size.Pos, ruleBadAnnotation, "size is the bytes of one resource, at least 1").Hint = "leave it out where it is not known, and of a template"
	}
	for _, a := range r.unique(in.Audience) {
		if out.Audience = append(out.Audience, a.Value); !slices.Contains(audiences(), a.Value) {
			r.unknown(a, ruleBadAnnotation, "audience", audiences())
		}
	}
	if p := in.Priority; p.Set() {
		if out.Priority = &p.Value; p.Value < 0 || p.Value > 1 {
			r.errorf(p.Pos, ruleBadAnnotation, "priority %v is not from 0, optional, to 1, required", p.Value)
		}
	}
}

// argument resolves an argument or a variable.
func (r entryResolver) argument(e *Entry, in spec.Argument, kind string) *Argument {
	a := &Argument{
		Name: in.Name.Value, GoName: r.goName(in.Name.Value), Title: in.Title.Value, Description: in.Description.Value, Required: in.Required.Value,
		Type: &Type{Kind: String}, Pos: in.Name.Pos,
	}
	if !paramspec.IsProperty(a.Name) {
		r.errorf(in.Name.Pos, paramspec.RuleBadName, "%q is no name for %s %s", a.Name, article(kind), kind).Hint = nameHint + "; camel case is fine too"
	}
	r.notEmpty(in.Title, "the title")
	r.notEmpty(in.Description, "the description")
	what := kind + " \"" + a.Name + "\" of \"" + e.Name + "\""
	if in.Enum != nil {
		r.choices(a.Type, in.Enum, e.GoName+a.GoName, what)
	}
	if !in.Complete.Set() {
		return a
	}
	if a.Completed = true; in.Complete.Value != handler {
		r.errorf(in.Complete.Pos, ruleBadCompletion, "complete of %s is %q", what, in.Complete.Value).Hint =
			"write complete: handler, and a method gives the values; an enum completes itself"
	} else if in.Enum != nil {
		r.errorf(in.Complete.Pos, ruleBadCompletion, "%s has an enum, which completes it", what).Hint = "leave out one of the two"
	}
	return a
}

func article(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an"
	}
	return "a"
}

// choices resolves an enum, whose values are texts.
func (r entryResolver) choices(t *Type, in *spec.Names, goName, what string) {
	e := &spec.Enum{Key: in.Key}
	for _, v := range in.Names {
		e.Values = append(e.Values, spec.Literal{Kind: spec.StringLiteral, Text: v})
	}
	r.types.Text(t, &spec.Schema{Enum: e}, goName, what)
}

// fieldNames reports arguments that would be one field in Go.
func (r entryResolver) fieldNames(of []*Argument) {
	seen := map[string]*Argument{}
	for _, a := range of {
		if first := seen[a.GoName]; first != nil {
			d := r.errorf(a.Pos, paramspec.RuleGoNameClash, "%q would be called %s in Go, as is %q", a.Name, a.GoName, first.Name)
			d.Related = &diag.Related{Pos: first.Pos, Message: "first used here"}
			continue
		}
		seen[a.GoName] = a
	}
}

// checkEntries compares the entries of all areas with each other, and their methods with those of tools.
func (r entryResolver) checkEntries() {
	slices.SortStableFunc(r.set.Prompts, func(a, b *Prompt) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(r.set.Resources, func(a, b *Resource) int { return cmp.Compare(a.Name, b.Name) })
	seen := map[string]*Resource{}
	for _, res := range r.set.Resources {
		key := addressShape(res)
		first := seen[key]
		if seen[key] = res; first == nil || first.Name == res.Name || key == "" {
			continue
		}
		d := r.errorf(res.URIPos, ruleDuplicateResource, "resource %q has the addresses of %q", res.Name, first.Name)
		d.Related = &diag.Related{Pos: first.URIPos, Message: "first used here"}
	}
	for _, a := range r.set.Areas {
		r.methods(a)
	}
}

// addressShape returns an address without the names of its variables: resources of one shape match the same addresses.
func addressShape(res *Resource) string {
	if res.Template == nil {
		return res.URI
	}
	text := res.Template.String()
	for _, name := range res.Template.Variables() {
		text = strings.Replace(text, name+"}", "}", 1)
	}
	return text
}

// methods reports entries whose handler would be the method of another one.
func (r entryResolver) methods(a *Area) {
	taken := map[string]claim{}
	claimed := func(method, what string, at diag.Pos) {
		if first, ok := taken[method]; ok && first.what != what {
			d := r.errorf(at, paramspec.RuleGoNameClash, "%s would be the method %s in Go, as is %s", what, method, first.what)
			d.Related = &diag.Related{Pos: first.pos, Message: "first used here"}
			return
		}
		taken[method] = claim{what, at}
	}
	completers := func(e *Entry, of []*Argument) {
		for _, arg := range of {
			if arg.Completed {
				claimed(e.Completer(arg), "the completion of \""+arg.Name+"\" of \""+e.Name+"\"", arg.Pos)
			}
		}
	}
	if len(a.Prompts)+len(a.Resources) == 0 {
		return
	}
	for _, t := range a.Tools {
		claimed(t.GoName, "tool \""+t.Name+"\"", t.Pos)
	}
	for _, p := range a.Prompts {
		claimed(p.Method(), "prompt \""+p.Name+"\"", p.Pos)
		completers(&p.Entry, p.Arguments)
	}
	for _, res := range a.Resources {
		claimed(res.Method(), "resource \""+res.Name+"\"", res.Pos)
		completers(&res.Entry, res.Variables)
	}
}

// entryRules are about prompts and resources.
func entryRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: ruleDuplicatePrompt, Doc: "Two prompts have the same name. A request could then mean either."},
		{ID: ruleDuplicateResource, Doc: "Two resources have the same name or the same address, or two templates differ in the names of their variables alone. A read " +
			"could then mean either. One address beside a template that matches it is fine: the address goes first."},
		{ID: ruleBadURI, Doc: "A resource has neither uri nor uriTemplate or both, the text is no absolute URI, or a template is none that addresses can be " +
			"matched against: its expressions are {name} and {+name}, each variable stands once, and text separates two of them."},
		{ID: ruleUnknownVariable, Doc: "variables says something of a variable that the uriTemplate of the resource does not have."},
		{ID: ruleBadCompletion, Doc: "complete of an argument or a variable is something else than handler, or stands beside an enum. The values of an enum complete " +
			"the argument; any others come from a method of the area's handlers."},
		{ID: ruleBadMIME, Doc: "A mimeType is not TYPE/SUBTYPE. Clients decide by it how to show the contents."},
		{ID: ruleBadAnnotation, Doc: "An annotation of a resource is not one of the protocol: an audience is user or assistant, a priority is from 0 to 1, and a size " +
			"is that of one resource, in bytes."},
	}
}

package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// cliResolver resolves the verbs of the command line.
type cliResolver struct{ *resolver }

// commandLine gives every tool its verbs, once all tools are there: a name must be free among all
// of them.
func (r cliResolver) commandLine(tree *spec.Tree) {
	if tree.CLI != nil {
		r.set.CLI = &CLI{Program: tree.CLI.Program.Value, Commands: values(tree.CLI.Commands), Flags: values(tree.CLI.Flags)}
	}
	byName := make(map[string]*Tool, len(r.set.Tools))
	for _, t := range r.set.Tools {
		byName[t.Name] = t
	}
	taken := make(map[string]diag.Pos)
	examples := make(map[*Verb]spec.Text)
	before := len(r.diags)
	for _, area := range tree.Areas {
		for _, in := range area.Tools {
			t := byName[in.Name.Value]
			if t == nil || t.Pos != in.Name.Pos {
				continue // a duplicate, and reported
			}
			r.verbs(t, in, taken, examples)
		}
	}
	if len(r.diags) == before {
		r.examples(examples)
	}
}

func values(in []spec.Text) []string {
	return slicesx.List(in, func(t spec.Text) string { return t.Value })
}

// verbs resolves the verbs of one tool; a tool that is silent has one by its own name.
func (r cliResolver) verbs(t *Tool, in *spec.Tool, taken map[string]diag.Pos, examples map[*Verb]spec.Text) {
	written := in.CLI
	switch {
	case r.set.CLI == nil && len(written) > 0:
		r.errorf(written[0].Pos, ruleBadVerb, "the root file has no cli, so there is no command line").Hint = `write "cli: {program: …}" there`
		return
	case r.set.CLI == nil:
		return
	case len(written) == 0:
		written = []spec.Verb{{Pos: in.Name.Pos}}
	}
	for _, w := range written {
		v := r.verb(t, w)
		at := w.Pos
		if w.Verb.Set() {
			at = w.Verb.Pos
		}
		first, again := taken[v.Name]
		switch {
		case again:
			d := r.errorf(at, ruleVerbClash, "verb %q is already taken", v.Name)
			d.Hint, d.Related = "give one of the two another verb under cli", &diag.Related{Pos: first, Message: "first here"}
			continue
		case slices.Contains(slices.Concat(r.set.CLI.Commands, command.Commands()), v.Name):
			r.errorf(at, ruleVerbClash, "verb %q is a command of the program itself", v.Name).Hint = "give the tool another verb under cli"
			continue
		}
		taken[v.Name] = at
		t.Verbs = append(t.Verbs, v)
		if w.Example.Set() {
			examples[v] = w.Example
		}
	}
}

var verbName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func (r cliResolver) verb(t *Tool, in spec.Verb) *Verb {
	v := &Verb{
		Name: kebab(t.Name), Description: t.Description, Example: in.Example.Value, Save: in.Save.Value, Watch: in.Watch.Value, Tool: t, Pos: in.Pos,
	}
	if in.Verb.Set() {
		if v.Name = in.Verb.Value; !verbName.MatchString(v.Name) {
			r.errorf(in.Verb.Pos, ruleBadVerb, "%q is no name for a verb", v.Name).Hint = "write small letters, digits and hyphens"
		}
	}
	if in.Description.Set() {
		r.notEmpty(in.Description, "the description")
		v.Description = in.Description.Value
	}
	if v.Watch && !t.Effects.ReadOnly {
		r.errorf(in.Watch.Pos, ruleBadVerb, "verb %q cannot be watched: each look at its result would change something", v.Name).Hint = "watch only tools that are read_only"
	}
	settled := make(map[*Property]bool)
	for _, s := range in.Set {
		if p := r.setting(t, s); p != nil {
			v.Fixed = append(v.Fixed, p)
			settled[p.Property] = true
		}
	}
	for _, name := range r.unique(in.Hide) {
		p := r.property(t.Input, name)
		if p != nil && p.Required && !settled[p] {
			r.errorf(name.Pos, ruleUnreachable, "verb %q hides %q, which every call needs", v.Name, p.Name)
		}
		settled[p] = true
	}
	named, switches := r.flagNames(t, in)
	r.positional(v, in, settled, named)
	r.flags(v, settled, named, switches)
	r.flagClash(v)
	return v
}

// setting is a property with a value that it takes.
func (r cliResolver) setting(t *Tool, in spec.Setting) *VerbParam {
	p := r.property(t.Input, in.Property)
	if p == nil || p.Type == nil {
		return nil
	}
	if problem, hint := paramspec.Misfit(in.Value, p.Type); problem != "" {
		r.errorf(in.Property.Pos, ruleBadVerb, "the value of %q %s", p.Name, problem).Hint = hint
		return nil
	}
	value := &Value{String: in.Value.Text.Value, Number: in.Value.Number, Bool: in.Value.Bool}
	return &VerbParam{Name: kebab(p.Name), Property: p, Value: value}
}

// flagNames reads flags: other names of properties, and switches.
func (r cliResolver) flagNames(t *Tool, in spec.Verb) (map[*Property]string, []*VerbParam) {
	named := make(map[*Property]string)
	var switches []*VerbParam
	for _, f := range in.Flags {
		if !verbName.MatchString(f.Name.Value) {
			r.errorf(f.Name.Pos, ruleBadVerb, "%q is no name for a flag", f.Name.Value).Hint = "write small letters, digits and hyphens"
		}
		if f.Property.Set() {
			if p := r.property(t.Input, f.Property); p != nil {
				named[p] = f.Name.Value
			}
			continue
		}
		if len(f.Set) != 1 {
			r.errorf(f.Name.Pos, ruleBadVerb, "a switch sets one property, this sets %d", len(f.Set))
			continue
		}
		if p := r.setting(t, f.Set[0]); p != nil {
			p.Name = f.Name.Value
			switches = append(switches, p)
		}
	}
	return named, switches
}

// positional resolves args; without it, the scalars that every call needs are positional in
// manifest order.
func (r cliResolver) positional(v *Verb, in spec.Verb, settled map[*Property]bool, named map[*Property]string) {
	add := func(p, other *Property, required bool) {
		arg := &VerbParam{Name: onLine(p, named), Property: p, Required: required, Else: other}
		if other != nil {
			arg.Name += "-or-" + onLine(other, named)
		}
		v.Args = append(v.Args, arg)
		settled[p] = true
	}
	if in.Args == nil {
		for _, p := range v.Tool.Input.Properties {
			if p.Required && !settled[p] && p.Type != nil && p.Type.Kind != Array && p.Type.Kind != Nested {
				add(p, nil, true)
			}
		}
		return
	}
	optional := false
	for _, name := range r.unique(in.Args.Names) {
		bare, mayMiss := strings.CutSuffix(name.Value, "?")
		first, second, either := strings.Cut(bare, "|")
		name.Value = first
		p := r.property(v.Tool.Input, name)
		var other *Property
		if either && p != nil {
			if other = r.alternative(v, p, spec.Text{Value: second, Pos: name.Pos}); other == nil {
				continue
			}
		}
		switch {
		case p == nil:
			continue
		case settled[p]:
			r.errorf(name.Pos, ruleBadVerb, "%q is not the caller's to give: the verb sets or hides it", p.Name)
			continue
		case mayMiss && p.Required:
			r.errorf(name.Pos, ruleBadVerb, "%q may not be left out: every call needs it", p.Name)
		case optional && !mayMiss:
			r.errorf(name.Pos, ruleBadVerb, "%q comes after an argument that may be left out", p.Name).Hint = "put it before"
		}
		optional = optional || mayMiss
		add(p, other, !mayMiss)
	}
}

// alternative is the property that a positional word gives when it has not the form of p's role.
func (r cliResolver) alternative(v *Verb, p *Property, name spec.Text) *Property {
	other := r.property(v.Tool.Input, name)
	switch {
	case other == nil:
		return nil
	case p.Role == nil || p.Role.Form == "":
		r.errorf(name.Pos, ruleBadVerb, "a word gives %q or %q, and %q has no role with a form that decides", p.Name, other.Name, p.Name).Hint =
			"add form: REGEXP to the role, which every value of it has"
		return nil
	case p.Type == nil || other.Type == nil || p.Type.Kind != String || other.Type.Kind != String:
		r.errorf(name.Pos, ruleBadVerb, "%q and %q must both be strings to share an argument", p.Name, other.Name)
		return nil
	}
	return other
}

// flags gives every other property a flag.
func (r cliResolver) flags(v *Verb, settled map[*Property]bool, named map[*Property]string, switches []*VerbParam) {
	v.Flags = append(v.Flags, switches...)
	for _, p := range v.Tool.Input.Properties {
		if !settled[p] && p.Type != nil {
			v.Flags = append(v.Flags, &VerbParam{Name: onLine(p, named), Property: p, Required: p.Required})
		}
	}
}

func onLine(p *Property, named map[*Property]string) string {
	if name, ok := named[p]; ok {
		return name
	}
	return kebab(p.Name)
}

// flagClash reports flags that mean two things, and keeps the first of each name, since the parser of examples takes a name once.
func (r cliResolver) flagClash(v *Verb) {
	seen, first := make(map[string]bool), []*VerbParam(nil)
	reserved := slices.Concat(command.Reserved(), r.set.CLI.Flags)
	for _, p := range append(params(v.Args), params(v.Flags)...) {
		for _, old := range p.Was {
			if slices.Contains(reserved, old) || slices.ContainsFunc(v.Flags, func(f *VerbParam) bool { return f.Name == old }) {
				r.errorf(v.Pos, ruleFlagClash, "verb %q: the older name --%s of %q is another flag", v.Name, old, p.Property)
			}
		}
	}
	for _, f := range v.Flags {
		switch {
		case slices.Contains(reserved, f.Name):
			r.errorf(v.Pos, ruleFlagClash, "verb %q: every verb has a flag --%s, so %q needs another name", v.Name, f.Name, f.Property.Name).
				Hint = "write flags: {other-name: " + f.Property.Name + "}"
		case seen[f.Name] && !slices.ContainsFunc(v.Flags, func(g *VerbParam) bool { // a clash of names in Go is reported
			return g.Property != f.Property && g.Name == f.Name && g.Property.GoName == f.Property.GoName
		}):
			r.errorf(v.Pos, ruleFlagClash, "verb %q has two flags --%s", v.Name, f.Name).Hint = "give one of them another name under flags"
		}
		if !seen[f.Name] && !slices.Contains(reserved, f.Name) {
			first = append(first, f)
		}
		seen[f.Name] = true
	}
	v.Flags = first
}

// examples holds every example against the finished command line.
func (r cliResolver) examples(written map[*Verb]spec.Text) {
	rows := r.set.Commands()
	for _, t := range r.set.Tools {
		for _, v := range t.Verbs {
			text, ok := written[v]
			if !ok {
				continue
			}
			words, err := command.Split(text.Value)
			if err == nil && (len(words) < 2 || words[0] != r.set.CLI.Program || words[1] != v.Name) {
				r.errorf(text.Pos, ruleBadExample, "the example must begin with %q", r.set.CLI.Program+" "+v.Name)
				continue
			}
			if err == nil {
				_, _, err = command.Parse(rows, words[1:])
			}
			if err != nil {
				r.errorf(text.Pos, ruleBadExample, "the example does not parse: %s", err).Hint = "write a command as people type it"
			}
		}
	}
}

package model

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Deferral is a tool that is deliberately not there. Nothing of it can be listed or called; a call
// to it is answered with the record.
type Deferral struct {
	Name       string
	GoName     string
	Area       string // where it would live; its manifest file's base name
	File       string // that file, relative to the module
	Scope      *Scope
	Reason     string
	Verb       string   // of the command line: what to use instead; "" where the entry names none
	Args       []string // the verb's arguments, with <placeholders>
	Competitor Competitor
	Since      string
	Surfaces   []string // policy surfaces the tool would touch, sorted

	Pos, ReasonPos, CLIPos, CompetitorPos, SincePos diag.Pos
}

// Competitor is the counterpart of a deferred tool elsewhere. Exactly one of Tool and None is set, and
// nothing where the entry names none.
type Competitor struct{ Product, Tool, None string }

// String is the reference as clients read it.
func (c Competitor) String() string {
	switch {
	case c.Product == "":
		return ""
	case c.Tool == "":
		return c.Product + ": none (" + c.None + ")"
	}
	return c.Product + ":" + c.Tool
}

// Program is the name of the module's command; without a command line, that of the module.
func (ts *Toolset) Program() string {
	if ts.CLI != nil {
		return ts.CLI.Program
	}
	return path.Base(ts.Module)
}

// Argv is the command that does what the deferred tool would do, the program's own name left out.
func (d *Deferral) Argv() []string { return append([]string{d.Verb}, d.Args...) }

// Command is the same as a person would type it; "" where there is no command line, or none that does it.
func (d *Deferral) Command(ts *Toolset) string {
	if ts.CLI == nil || d.Verb == "" {
		return ""
	}
	words := []string{ts.CLI.Program}
	for _, arg := range d.Argv() {
		words = append(words, shellWord(arg))
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word that a shell would split. A <placeholder> stands for a word and is not
// quoted.
func shellWord(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,"
	inner := arg
	if strings.HasPrefix(arg, "<") && strings.HasSuffix(arg, ">") {
		inner = arg[1 : len(arg)-1]
	}
	if inner != "" && strings.Trim(inner, plain) == "" {
		return arg
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(arg) + `"`
}

// Envelope is the record that answers a call, byte for byte; "" where the scope asks for none, and a call is refused as
// others are.
func (d *Deferral) Envelope(ts *Toolset) string {
	if d.Scope == nil || !d.Scope.Records {
		return ""
	}
	status := "open"
	if d.Scope.Frozen {
		status = "frozen"
	}
	var b strings.Builder
	b.WriteString(`{"ok":false`)
	for _, m := range [][2]string{
		{"code", "capability.unsupported"}, {"tool", d.Name}, {"reason", d.Reason}, {"cliEquivalent", d.Command(ts)},
		{"competitorRef", d.Competitor.String()}, {"since", d.Since}, {"scope", d.Scope.Name}, {"mcpScope", status},
	} {
		if m[1] != "" {
			b.WriteString(`,"` + m[0] + `":` + quoteJSON(m[1]))
		}
	}
	return b.String() + "}"
}

// quoteJSON writes a text as JSON without escaping the brackets of placeholders.
func quoteJSON(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil { // a string always encodes
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// deferral resolves an entry with deferred. An entry that has both sides is reported and counts as
// deferred: nothing of it may become callable by mistake.
func (r areaResolver) deferral(area spec.Area, in *spec.Tool) {
	d := in.Deferred
	out := &Deferral{
		Name: in.Name.Value, GoName: r.goName(in.Name.Value), Area: area.Name.Value, File: area.File,
		Reason: d.Reason.Value, Verb: d.CLI.Verb.Value, Since: d.Since.Value,
		Competitor: Competitor{d.Competitor.Product.Value, d.Competitor.Tool.Value, d.Competitor.None.Value},
		Surfaces:   r.surfaces(d.Surfaces),
		Pos:        in.Name.Pos, ReasonPos: d.Reason.Pos, CLIPos: d.CLI.Pos, CompetitorPos: d.Competitor.Pos, SincePos: d.Since.Pos,
	}
	r.name(in.Name, "a tool")
	for _, arg := range d.CLI.Args {
		out.Args = append(out.Args, arg.Value)
	}
	for _, key := range in.Live {
		related := &diag.Related{Pos: d.Pos, Message: "deferred here"}
		e := r.errorf(key.Pos, RuleLiveAndDeferred, "%q has %q, which only a live tool has, and is deferred", out.Name, key.Value)
		e.Related, e.Hint = related, "drop one or the other; toolgen promote lists what a live tool needs"
	}
	if in.Capability.Set() {
		r.capability.find(r.resolver, in.Capability, ruleUnknownCapability, "capability")
	}
	for i, s := range r.unique(in.Scopes) {
		scope := r.scope.find(r.resolver, s, ruleUnknownScope, "scope")
		if i > 0 {
			r.errorf(s.Pos, ruleDeferralScope, "%q is deferred in more than one scope", out.Name)
		} else {
			out.Scope = scope
		}
	}
	r.deferralSince(d.Since, out)
	if c := d.Competitor; c.Tool.Set() == c.None.Set() && !c.Pos.IsZero() {
		r.errorf(c.Pos, ruleDeferralCompetitor, "competitor_ref of %q has exactly one of tool and none", out.Name)
	}
	r.set.Deferrals = append(r.set.Deferrals, out)
}

// deferralSince checks the version of the decision. Where the entry has none it is that of the scope, unless the scope has records.
func (r areaResolver) deferralSince(since spec.Text, out *Deferral) {
	what := "the deferral of \"" + out.Name + "\""
	switch scope := out.Scope; {
	case since.Set():
		r.since(since, what)
	case scope != nil && scope.Records:
		r.errorf(out.Pos, ruleBadSince, "%s has no since, and scope %q has records", what, scope.Name).Hint = "write the version of the decision"
	case scope != nil:
		out.Since = scope.Since
	}
}

// versions matches the values of since: a version, or a phase of the product before it.
var versions = regexp.MustCompile(`^(v?[0-9]+(\.[0-9]+){0,2}(-[0-9A-Za-z.-]+)?|phase[0-9]+)$`)

// since checks that a promise or a decision names the version that it began with.
func (r *resolver) since(t spec.Text, what string) {
	r.notEmpty(t, "since")
	if strings.TrimSpace(t.Value) != "" && !versions.MatchString(t.Value) {
		r.errorf(t.Pos, ruleBadSince, "%s is since %q, which is no version", what, t.Value).Hint = `write the version that it began with, such as "0.1" or phase22`
	}
}

// profiles resolves the second faces of the first scope.
func (r vocabulary) profiles(in []spec.Profile) {
	for _, p := range in {
		r.name(p.Name, "a profile")
		r.notReserved(p.Name, "a profile")
		if s, taken := r.scope.items[p.Name.Value]; taken {
			r.errorf(p.Name.Pos, ruleDuplicateEntry, "%q is a scope already", p.Name.Value).Related =
				&diag.Related{Pos: s.Pos, Message: "declared here"}
		}
		item := &Profile{Name: p.Name.Value, Pos: p.Name.Pos}
		for _, s := range r.unique(p.Exclude) {
			if scope := r.scope.find(r.resolver, s, ruleUnknownScope, "scope"); scope != nil {
				item.Exclude = append(item.Exclude, scope)
			}
		}
		if len(r.set.Scopes) > 0 && slices.Contains(item.Exclude, r.set.Scopes[0]) {
			r.errorf(p.Name.Pos, ruleEmptyProfile, "profile %q excludes %q, the scope it is a part of", p.Name.Value, r.set.Scopes[0].Name)
		}
		r.set.Profiles = append(r.set.Profiles, item)
	}
}

// Tools lists what a server shows under the profile, in the set's order: the first scope without
// what is excluded.
func (p *Profile) Tools(set *Toolset) []*Tool {
	return slices.DeleteFunc(slices.Clone(set.Tools), func(t *Tool) bool {
		return len(set.Scopes) == 0 || !slices.Contains(t.Scopes, set.Scopes[0]) || p.Excludes(t)
	})
}

// Excludes reports whether the profile keeps the tool out.
func (p *Profile) Excludes(t *Tool) bool { return p.excludes(t.Scopes) }

// ExcludesEntry reports whether the profile keeps the prompt or the resource out.
func (p *Profile) ExcludesEntry(e *Entry) bool { return p.excludes(e.Scopes) }

func (p *Profile) excludes(scopes []*Scope) bool {
	return slices.ContainsFunc(scopes, func(s *Scope) bool { return slices.Contains(p.Exclude, s) })
}

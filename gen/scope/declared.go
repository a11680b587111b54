package scope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// anyCode is the row of the fields that each code may have.
const anyCode = "any"

// The kinds of declared rows, and what parts about a tool or a scope begin with.
const (
	kindCode     = "code"
	kindPart     = "part"
	partTool     = "tool"
	partDeferral = "deferral"
	partScope    = "scope"
)

// declared is a row of the lock about a code of refusals or another part of the manifest: the hash of what the
// manifest says of it.
type declared struct {
	kind, name, terms string
	pos               diag.Pos
}

// subject names the row in a message.
func subject(kind, name string) string {
	part, about, found := strings.Cut(name, " ")
	switch {
	case kind == kindCode:
		return "the code " + name + " of refusals"
	case !found:
		return "what the manifest says under " + name
	case part == partDeferral:
		return fmt.Sprintf("the reason of the deferral of %q, or what it refers to,", about)
	case part == partScope:
		return fmt.Sprintf("the version of scope %q, or the form in which it answers calls of deferred tools,", about)
	}
	return fmt.Sprintf("the budget of %q, its verbs, or what it changes,", about)
}

// refusals lists what the manifest declares about codes. A code of the toolkit is in it where the
// manifest adds fields.
func refusals(set *model.Toolset) []declared {
	var out []declared
	for _, c := range set.Codes {
		if !c.Pos.IsZero() {
			words := []string{string(c.Class), c.Description}
			for _, s := range c.From {
				words = append(words, "from "+s.String())
			}
			if c.Advice != "" {
				words = append(words, "advice "+c.Advice)
			}
			out = append(out, declared{kindCode, string(c.Code), sum(append(words, fieldWords(c.Fields)...)), c.Pos})
		}
	}
	if len(set.CommonFields) > 0 {
		out = append(out, declared{kindCode, anyCode, sum(fieldWords(set.CommonFields)), set.CommonPos})
	}
	return out
}

// fieldWords lists fields for a hash. Their order is documentation.
func fieldWords(fields []code.Field) []string {
	out := slicesx.Map(fields, func(f code.Field) string { return f.Name + "\n" + f.Type + "\n" + f.Description })
	slices.Sort(out)
	return out
}

// parts lists what the manifest says beside contracts and terms: what tools do to facts and may cost, why others
// are deferred, and the vocabulary of the root file. An empty part has no row.
func parts(set *model.Toolset) []declared {
	var out []declared
	add := func(name string, pos diag.Pos, words ...[]string) {
		if len(words) > 0 {
			out = append(out, declared{kindPart, name, sum(words), pos})
		}
	}
	for _, t := range set.Tools {
		if Frozen(t) {
			add(partTool+" "+t.Name, t.Pos, callWords(t)...)
		}
	}
	for _, d := range set.Deferrals {
		if d.Scope.Frozen {
			add(partDeferral+" "+d.Name, d.ReasonPos, append([]string{d.Reason, d.Competitor.String(), d.Verb}, d.Args...))
		}
	}
	for _, s := range set.Scopes {
		if s.Frozen {
			add(partScope+" "+s.Name, s.Pos, scopeWords(s))
		}
	}
	var facts, invariants, events, powers [][]string
	for _, f := range set.Facts {
		facts = append(facts, []string{f.Name, f.Description})
	}
	for _, i := range set.Invariants {
		invariants = append(invariants, []string{i.Text})
	}
	for _, e := range set.Events {
		events = append(append(events, []string{e.Name, e.When.Text}), changeWords(e.Changes)...)
	}
	for _, p := range set.Powers {
		powers = append(powers, append([]string{p.Name, p.Description, p.Surface, fmt.Sprint(p.Changes, p.Asks)}, p.DemandedBy...))
	}
	add("facts", at(set.Facts, func(f *model.Fact) diag.Pos { return f.Pos }), facts...)
	add("invariants", at(set.Invariants, func(i *model.Invariant) diag.Pos { return i.Pos }), invariants...)
	add("events", at(set.Events, func(e *model.Event) diag.Pos { return e.Pos }), events...)
	add("powers", at(set.Powers, func(p *model.Power) diag.Pos { return p.Pos }), powers...)
	for key, words := range vocabulary(set) {
		add(key, diag.Pos{}, words...)
	}
	if set.Server != nil && set.Server.Skill != nil {
		add("skill", set.Server.Skill.Pos, skillWords(set.Server.Skill)...)
	}
	if set.AddressedBy != "" {
		add("addressed_by", diag.Pos{}, []string{set.AddressedBy})
	}
	return out
}

// callWords lists what a tool changes and may cost, and who runs it.
func callWords(t *model.Tool) [][]string {
	out := append(changeWords(t.Changes), []string{strconv.Itoa(t.ResultBytes), strconv.Itoa(t.TimeoutMS)}, verbWords(t))
	if t.Builtin != "" {
		out = append(out, []string{t.Builtin})
	}
	return out
}

// scopeWords lists the version of a scope, and the form of its answers about deferred tools unless it is that of every refusal.
func scopeWords(s *model.Scope) []string {
	words := []string{s.Since}
	if s.Records {
		words = append(words, "deferral_records")
	}
	return words
}

// skillWords lists the texts that tell an agent how to work with the command line.
func skillWords(s *model.Skill) [][]string {
	out := [][]string{{s.When}}
	for _, section := range s.Sections {
		words := []string{section.Title.Value, section.Text.Value}
		for _, c := range section.Commands {
			words = append(words, c.Value)
		}
		out = append(out, words)
	}
	return out
}

// at returns the position of the first of a list.
func at[T any](list []T, pos func(T) diag.Pos) diag.Pos {
	if len(list) == 0 {
		return diag.Pos{}
	}
	return pos(list[0])
}

// changeWords lists what a tool or an event does to facts.
func changeWords(c model.Change) [][]string {
	out := make([][]string, 4)
	for i, facts := range [][]*model.Fact{c.Sets, c.Clears, c.MaySet, c.MayClear} {
		for _, f := range facts {
			out[i] = append(out[i], f.Name)
		}
		slices.Sort(out[i])
	}
	return out
}

// declaredWords lists the row for a digest.
func declaredWords(kind, name, terms string) []string {
	if kind == kindCode {
		kind = "refusal"
	}
	return []string{kind, name, terms}
}

// declared writes rows of one kind under a key of the lock.
func (w *writer) declared(key string, list []declared) {
	var rows []string
	for _, r := range list {
		rows = append(rows, w.signed(fmt.Sprintf("%s: %s, terms: %s", r.kind, r.name, quote(r.terms)), declaredWords(r.kind, r.name, r.terms)...))
	}
	slices.Sort(rows)
	w.rows(key, rows)
}

// checkRefusals compares the codes with the lock, where a scope is frozen.
func checkRefusals(in Input, report diag.Report) {
	checkDeclared(in, kindCode, refusals(in.Set), report)
}

// checkParts compares the other parts with the lock. A lock from before they were signed has none.
func checkParts(in Input, report diag.Report) {
	if slices.ContainsFunc(in.Lock.Declared, func(l spec.LockedDeclared) bool { return l.Kind == kindPart }) {
		checkDeclared(in, kindPart, parts(in.Set), report)
	}
}

func checkDeclared(in Input, kind string, now []declared, report diag.Report) {
	if len(frozenScopes(in)) == 0 {
		return
	}
	problem := "is not as the lock has it"
	if kind == kindCode {
		problem = "has another class, other fields or other words than in the lock"
	}
	say := func(at diag.Pos, change, name, problem string) *diag.Diagnostic {
		d := report(at, "%s %s", subject(kind, name), problem)
		d.Hint, d.Cause = hint(change+" the "+kind+" "+name), kind+": "+name
		return d
	}
	for _, r := range now {
		if isJoining(in.Lock, r.name) {
			continue // other rules say so
		}
		i := slices.IndexFunc(in.Lock.Declared, func(l spec.LockedDeclared) bool { return l.Kind == kind && l.Name.Value == r.name })
		if i < 0 {
			if r.pos.IsZero() {
				r.pos = diag.Pos{File: in.Lock.File, Line: 1, Col: 1}
			}
			say(r.pos, "add", r.name, "is not in the lock")
		} else if locked := in.Lock.Declared[i]; locked.Terms.Value != r.terms {
			if r.pos.IsZero() {
				r.pos = locked.Name.Pos
			}
			say(r.pos, "change", r.name, problem).Related = &diag.Related{Pos: locked.Name.Pos, Message: "promised here"}
		}
	}
	for _, l := range in.Lock.Declared {
		named := kind == kindPart && strings.Contains(l.Name.Value, " ") // where it is gone, other rules say so
		if l.Kind == kind && !named && !slices.ContainsFunc(now, func(r declared) bool { return r.name == l.Name.Value }) {
			say(l.Name.Pos, "remove", l.Name.Value, "is in the lock and not in the manifest")
		}
	}
}

// isJoining reports whether a part is about a tool, a deferral or a scope that the lock does not have.
func isJoining(lock *spec.Lock, name string) bool {
	part, about, found := strings.Cut(name, " ")
	switch {
	case !found:
		return false
	case part == partDeferral:
		_, known := find(lock.Deferred, about)
		return !known
	}
	return !slices.ContainsFunc(lock.Scopes, func(s spec.LockedScope) bool {
		_, known := lockedTool(s, about)
		return known || part == partScope && s.Name.Value == about
	})
}

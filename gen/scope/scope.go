// Package scope holds the tools, prompts and resources of frozen scopes against the lock: the record of what a release
// promises.
//
// Check compares; Freeze makes the only text that may replace the lock, and needs a reason for it.
// The package must not know where the lock is kept nor touch the disk.
package scope

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// The rules that freeze checks as well.
const (
	ruleEdited  = "lock-edited"
	ruleDropped = "deferral-dropped"
	ruleShrunk  = "deferral-shrunk"
)

// Rules is the table of what this package reports.
func Rules() []diag.Rule[Input] {
	return []diag.Rule[Input]{
		{ID: "scope-added", Severity: diag.Error, Doc: "A tool, a prompt or a resource has joined a frozen scope without the lock saying so. A new tool of a release is a " +
			"decision: \"toolgen freeze --why\" writes it down.", Check: checkAdded},
		{ID: "scope-removed", Severity: diag.Error, Doc: "The lock promises a tool, a prompt, a resource or a whole scope, that the manifest no longer has. Clients that use it " +
			"will break; if that is meant, freeze again and say why.", Check: checkRemoved},
		{ID: "scope-changed", Severity: diag.Error, Doc: "What a frozen scope promises of a tool differs from the lock: its contract (properties, their types, " +
			"limits or defaults, conditional requirements, effects or output), its tier, capability, visibility, policy surfaces or traits, or " +
			"the words that a model reads: clients that a person has let use a tool are not sent another text in silence. The same holds for arguments, addresses and words of prompts and resources. If the change " +
			"is meant, freeze again and say why.", Check: checkChanged},
		{ID: "scope-unlocked", Severity: diag.Error, Doc: "A scope is declared frozen and the lock does not know it, so nothing is frozen. " +
			"\"toolgen freeze --why\" writes the lock, and is the only thing that does.", Check: checkUnlocked},
		{ID: "refusal-changed", Severity: diag.Error, Doc: "A code of refusals that the manifest declares is not as the lock has it: it is new or gone, or has another " +
			"class, other fields or other words. Clients switch over codes, so that each is a decision: \"toolgen freeze --why\" writes it down.",
			Check: checkRefusals},
		{ID: "part-changed", Severity: diag.Error, Doc: "What the manifest says beside contracts is not as the lock has it: which facts a tool changes, what a call may " +
			"cost and its verbs, why a tool is deferred, or what the root file says of all tools: facts, invariants, events, powers, surfaces, capabilities, traits, types, " +
			"profiles, the size of lists, refused parameters, the versions of scopes, the parameter that names a connection. The proof of what is listed rests on them: \"toolgen freeze --why\" writes the change down.", Check: checkParts},
		{ID: "list-changed", Severity: diag.Error, Doc: "Lists are written in another style than the lock has: the keys of list in the root file differ. Every entry that clients are " +
			"sent may be another one, so that it is a decision: \"toolgen freeze --why\" writes it down.", Check: checkList},
		{ID: ruleEdited, Severity: diag.Error, Doc: "A row of the lock is not what \"toolgen freeze\" wrote: its digest is that of " +
			"another row, or a row about deferred tools is gone. An edit by hand would promise something nobody has decided and nobody signed. " +
			"Each row is signed alone, so that changes of two tools merge; where both sides changed one, take either and freeze again.", Check: checkEdited},
		{ID: ruleDropped, Severity: diag.Error, Doc: "The lock knows a deferral that the manifest no longer has, or has in another scope, and the tool is not live either. A " +
			"client that was told why a tool is missing would now hear that nobody knows it. Promote the tool, or write its name under was: of the " +
			"tool that takes its place. No freeze allows it.", Check: checkDropped},
		{ID: "deferral-unlocked", Severity: diag.Error, Doc: "A tool is deferred in a frozen scope and the lock does not know it, or knows it since another version or with other policy " +
			"surfaces. To defer is a decision as much as to add: \"toolgen freeze --why\" writes it down.", Check: checkUndeclared},
		{ID: ruleShrunk, Severity: diag.Error, Doc: "A tool was deferred because of policy surfaces, and its deferral or its live entry has fewer of them now. The gate asks for a " +
			"test of each surface; with fewer surfaces it would ask for less than the decision to defer was about. No freeze allows it.", Check: checkShrunk},
	}
}

// hint is the command that makes the change a promise. What is changed stands before the reason, which a person
// has to give.
func hint(change string) string {
	return fmt.Sprintf("if that is meant, run: go tool toolgen freeze --why %q", change+": …")
}

// aboutTool is the cause of what the lock says of a tool.
func aboutTool(name string) string { return "tool: " + name }

// Input is the input of the rules.
type Input struct {
	Set  *model.Toolset
	Lock *spec.Lock // not nil
}

// Check compares each frozen scope with the lock in both directions, by name and by Hash. A nil
// lock is a missing one.
func Check(set *model.Toolset, lock *spec.Lock) diag.List {
	if lock == nil {
		lock = &spec.Lock{}
	}
	in := Input{Set: set, Lock: lock}
	var edited diag.List
	checkEdited(in, func(at diag.Pos, format string, args ...any) *diag.Diagnostic {
		return edited.Errorf(at, ruleEdited, format, args...)
	})
	if len(edited) > 0 && (lock.Version == spec.SignedRows || len(lock.Log) > 0) {
		return edited // nothing that it says counts
	}
	return diag.Check(Rules(), in)
}

// CheckFreeze holds against the rules what freeze would sign again: the old lock and its deferrals.
func CheckFreeze(set *model.Toolset, lock *spec.Lock) diag.List {
	kept := slices.DeleteFunc(Rules(), func(r diag.Rule[Input]) bool {
		return r.ID != ruleDropped && r.ID != ruleEdited && r.ID != ruleShrunk
	})
	return diag.Check(kept, Input{Set: set, Lock: lock})
}

// promised is a frozen scope with what the lock promises of it.
type promised struct {
	scope *model.Scope
	lock  spec.LockedScope
}

// frozenScopes lists the frozen scopes that the lock has.
func frozenScopes(in Input) []promised {
	var out []promised
	for _, s := range in.Set.Scopes {
		for _, locked := range in.Lock.Scopes {
			if s.Frozen && locked.Name.Value == s.Name {
				out = append(out, promised{s, locked})
			}
		}
	}
	return out
}

// lockedTool finds what the lock promises of a tool in a scope.
func lockedTool(locked spec.LockedScope, tool string) (spec.LockedTool, bool) {
	i := slices.IndexFunc(locked.Tools, func(t spec.LockedTool) bool { return t.Tool.Value == tool })
	if i < 0 {
		return spec.LockedTool{}, false
	}
	return locked.Tools[i], true
}

func checkAdded(in Input, report diag.Report) {
	for _, p := range frozenScopes(in) {
		s, locked := p.scope, p.lock
		for _, t := range members(in.Set, s) {
			if _, ok := lockedTool(locked, t.Name); !ok {
				d := report(t.Pos, "tool %q is not in the frozen scope %q", t.Name, s.Name)
				d.Hint, d.Cause = hint("add "+t.Name), aboutTool(t.Name)
			}
		}
	}
	checkEntriesAdded(in, report)
}

func checkChanged(in Input, report diag.Report) {
	for _, p := range frozenScopes(in) {
		s, locked := p.scope, p.lock
		for _, t := range members(in.Set, s) {
			was, ok := lockedTool(locked, t.Name)
			if !ok {
				continue
			}
			if was.Schema.Value != Hash(t) {
				d := report(t.Pos, "the contract of %q is not the one frozen in scope %q", t.Name, s.Name)
				d.Hint, d.Cause = hint("change "+t.Name), aboutTool(t.Name)
				d.Related = &diag.Related{Pos: was.Schema.Pos, Message: "promised here since " + was.Since.Value}
			}
			reportTerms(s, t, was, report)
		}
	}
	checkEntriesChanged(in, report)
}

// checkRemoved reports tools that have left their scope, and scopes that are open now or gone.
func checkRemoved(in Input, report diag.Report) {
	for _, p := range frozenScopes(in) {
		s, locked := p.scope, p.lock
		now := members(in.Set, s)
		for _, t := range locked.Tools {
			if slices.ContainsFunc(now, func(n *model.Tool) bool { return n.Name == t.Tool.Value }) {
				continue
			}
			d := report(s.Pos, "tool %q is no longer in the frozen scope %q", t.Tool.Value, s.Name)
			d.Hint, d.Cause = hint("remove "+t.Tool.Value), aboutTool(t.Tool.Value)
			d.Related = &diag.Related{Pos: t.Tool.Pos, Message: "promised here since " + t.Since.Value}
		}
	}
	for _, locked := range in.Lock.Scopes {
		i := slices.IndexFunc(in.Set.Scopes, func(s *model.Scope) bool { return s.Name == locked.Name.Value })
		if i < 0 {
			report(locked.Name.Pos, "scope %q is in the lock and not in the manifest", locked.Name.Value).Hint =
				hint("drop scope " + locked.Name.Value)
		} else if s := in.Set.Scopes[i]; !s.Frozen {
			report(s.Pos, "scope %q is in the lock and no longer frozen", s.Name).Hint = hint("open " + s.Name)
		}
	}
	checkEntriesRemoved(in, report)
}

func checkUnlocked(in Input, report diag.Report) {
	for _, s := range in.Set.Scopes {
		locked := slices.ContainsFunc(in.Lock.Scopes, func(l spec.LockedScope) bool { return l.Name.Value == s.Name })
		if s.Frozen && !locked {
			report(s.Pos, "scope %q is frozen and not in the lock", s.Name).Hint = hint("freeze " + s.Name)
		}
	}
}

// checkDropped reports the deferrals of the lock that are gone without the tool having become live.
func checkDropped(in Input, report diag.Report) {
	kept := make(map[string]bool)
	scopes := make(map[string]string)
	for _, d := range in.Set.Deferrals {
		kept[d.Name], scopes[d.Name] = true, d.Scope.Name
	}
	for _, t := range in.Set.Tools {
		kept[t.Name] = true
		for _, was := range t.Was {
			kept[was] = true
		}
	}
	for _, d := range in.Lock.Deferred {
		if moved := scopes[d.Tool.Value]; moved != "" && moved != d.Scope.Value {
			report(d.Tool.Pos, "%q is deferred in scope %q, and the manifest has it in %q", d.Tool.Value, d.Scope.Value, moved).Hint = "leave its entry in the scope until the tool is promoted"
		}
		if !kept[d.Tool.Value] {
			report(d.Tool.Pos, "%q is deferred since %s, and the manifest knows nothing of it", d.Tool.Value, d.Since.Value).Hint =
				"keep its entry until the tool is promoted, or write the name under was: of the tool that takes its place"
		}
	}
}

// checkUndeclared reports deferrals of frozen scopes that the lock does not have.
func checkUndeclared(in Input, report diag.Report) {
	known := make(map[string]spec.LockedDeferral, len(in.Lock.Deferred))
	for _, d := range in.Lock.Deferred {
		known[d.Tool.Value] = d
	}
	for _, d := range in.Set.Deferrals {
		if d.Scope == nil || !isLocked(in, d.Scope.Name) {
			continue // open, or reported as not in the lock
		}
		was, ok := known[d.Name]
		if !ok {
			diagnostic := report(d.Pos, "that %q is deferred is not in the lock", d.Name)
			diagnostic.Hint, diagnostic.Cause = hint("defer "+d.Name), aboutTool(d.Name)
		} else if was.Since.Value != d.Since {
			diagnostic := report(d.SincePos, "%q was deferred since %q and is since %q", d.Name, was.Since.Value, d.Since)
			diagnostic.Hint = hint("defer " + d.Name)
			diagnostic.Related = &diag.Related{Pos: was.Since.Pos, Message: "promised here"}
		} else if now := strings.Join(d.Surfaces, ", "); was.Surfaces != nil && strings.Join(values(was.Surfaces), ", ") != now && !lost(was.Surfaces, d.Surfaces) {
			diagnostic := report(d.Pos, "%q was deferred with the policy surfaces [%s] and is with [%s]", d.Name, strings.Join(values(was.Surfaces), ", "), now)
			diagnostic.Hint = hint("defer " + d.Name)
			diagnostic.Related = &diag.Related{Pos: was.Tool.Pos, Message: "promised here"}
		}
	}
}

// members lists the tools of a scope in the set's order.
func members(set *model.Toolset, s *model.Scope) []*model.Tool {
	var out []*model.Tool
	for _, t := range set.Tools {
		for _, in := range t.Scopes {
			if in == s {
				out = append(out, t)
			}
		}
	}
	return out
}

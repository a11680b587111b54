// Package scope holds the tools of frozen scopes against the lock: the record of what a release promises.
//
// Check compares; Freeze makes the only text that may replace the lock, and needs a reason for it. The package must not
// know where the lock is kept nor touch the disk.
package scope

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// The TabIDs of this package's rules.
const (
	ruleAdded    = "scope-added"
	ruleRemoved  = "scope-removed"
	ruleChanged  = "scope-changed"
	ruleUnlocked = "scope-unlocked"
	ruleEdited   = "lock-edited"
	ruleDropped  = "deferral-dropped"
	ruleDeferred = "deferral-unlocked"
)

// Rules lists what this package can report.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: ruleAdded, Severity: diag.Error, Doc: "A tool has joined a frozen scope without the lock saying so. A new tool of a release is a " +
			"decision: \"toolgen freeze --why\" writes it down."},
		{ID: ruleRemoved, Severity: diag.Error, Doc: "The lock promises a tool, or a whole scope, that the manifest no longer has. Clients that use it " +
			"will break; if that is meant, freeze again and say why."},
		{ID: ruleChanged, Severity: diag.Error, Doc: "The contract of a tool in a frozen scope differs from the locked one: its properties, their types, " +
			"limits or defaults, its conditional requirements, effects or output. Descriptions are no part of it. If the change is " +
			"meant, freeze again and say why."},
		{ID: ruleUnlocked, Severity: diag.Error, Doc: "A scope is declared frozen and the lock does not know it, so nothing is frozen. " +
			"\"toolgen freeze --why\" writes the lock, and is the only thing that does."},
		{ID: ruleEdited, Severity: diag.Error, Doc: "The lock is not what \"toolgen freeze\" wrote: the digest in the last entry of its log is that of " +
			"another text. An edit by hand would promise something nobody has decided and nobody signed. After a merge of two " +
			"locks, take either side and freeze again."},
		{ID: ruleDropped, Severity: diag.Error, Doc: "The lock knows a deferral that the manifest no longer has, and the tool is not live either. A " +
			"client that was told why a tool is missing would now hear that nobody knows it. Promote the tool, or say that the decision is " +
			"withdrawn: \"toolgen freeze --drop NAME --why\"."},
		{ID: ruleDeferred, Severity: diag.Error, Doc: "A tool is deferred in a frozen scope and the lock does not know it. To defer is a decision as much " +
			"as to add: \"toolgen freeze --why\" writes it down."},
	}
}

// hint is the command that makes the change a promise.
func hint(why string) string {
	return fmt.Sprintf("if that is meant, run: go tool toolgen freeze --why %q", why)
}

// Check compares each frozen scope with the lock in both directions, by name and by Hash. A nil lock is a missing one.
func Check(set *model.Toolset, lock *spec.Lock) diag.List {
	var diags diag.List
	if lock == nil {
		lock = &spec.Lock{}
	}
	if lock.File != "" {
		diags = append(diags, Edited(lock)...)
	}
	deferrals(set, lock, &diags)
	locked := make(map[string]spec.LockedScope, len(lock.Scopes))
	for _, s := range lock.Scopes {
		locked[s.Name.Value] = s
	}
	hashes := make(map[*model.Tool]string, len(set.Tools))
	for _, t := range set.Tools {
		hashes[t] = Hash(t)
	}
	for _, s := range set.Scopes {
		promise, ok := locked[s.Name]
		switch {
		case s.Frozen && !ok:
			diags.Errorf(s.Pos, ruleUnlocked, "scope %q is frozen and not in the lock", s.Name).Hint = hint("freeze " + s.Name)
		case s.Frozen:
			compare(s, members(set, s), promise, hashes, &diags)
		case ok:
			diags.Errorf(s.Pos, ruleRemoved, "scope %q is in the lock and no longer frozen", s.Name).Hint = hint("open " + s.Name)
		}
		delete(locked, s.Name)
	}
	for _, s := range lock.Scopes {
		if _, left := locked[s.Name.Value]; left {
			diags.Errorf(s.Name.Pos, ruleRemoved, "scope %q is in the lock and not in the manifest", s.Name.Value).Hint =
				hint("drop scope " + s.Name.Value)
		}
	}
	return diags
}

// deferrals compares the deferred tools with the lock's, in both directions.
func deferrals(set *model.Toolset, lock *spec.Lock, diags *diag.List) {
	*diags = append(*diags, Dropped(set, lock)...)
	known := make(map[string]bool, len(lock.Deferred))
	for _, d := range lock.Deferred {
		known[d.Tool.Value] = true
	}
	for _, d := range set.Deferrals {
		if d.Scope != nil && d.Scope.Frozen && !known[d.Name] {
			diags.Errorf(d.Pos, ruleDeferred, "that %q is deferred is not in the lock", d.Name).Hint = hint("defer " + d.Name)
		}
	}
}

// Dropped reports the deferrals of the lock that are gone without the tool having become live; a deferral that is meant to
// go is none of them.
func Dropped(set *model.Toolset, lock *spec.Lock, meant ...string) diag.List {
	var diags diag.List
	there := make(map[string]bool)
	for _, d := range set.Deferrals {
		there[d.Name] = true
	}
	for _, t := range set.Tools {
		there[t.Name] = true
		for _, was := range t.Was {
			there[was] = true
		}
	}
	for _, d := range lock.Deferred {
		if !there[d.Tool.Value] && !slices.Contains(meant, d.Tool.Value) {
			diags.Errorf(d.Tool.Pos, ruleDropped, "%q is deferred since %s, and the manifest knows nothing of it", d.Tool.Value, d.Since.Value).Hint =
				fmt.Sprintf("promote it, or withdraw the decision: go tool toolgen freeze --drop %s --why \"…\"", d.Tool.Value)
		}
	}
	return diags
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

func compare(s *model.Scope, tools []*model.Tool, lock spec.LockedScope, hashes map[*model.Tool]string, diags *diag.List) {
	promised := make(map[string]spec.LockedTool, len(lock.Tools))
	for _, t := range lock.Tools {
		promised[t.Tool.Value] = t
	}
	for _, t := range tools {
		was, ok := promised[t.Name]
		delete(promised, t.Name)
		switch {
		case !ok:
			diags.Errorf(t.Pos, ruleAdded, "tool %q is not in the frozen scope %q", t.Name, s.Name).Hint = hint("add " + t.Name)
		case was.Schema.Value != hashes[t]:
			d := diags.Errorf(t.Pos, ruleChanged, "the contract of %q is not the one frozen in scope %q", t.Name, s.Name)
			d.Hint = hint("change " + t.Name)
			d.Related = &diag.Related{Pos: was.Schema.Pos, Message: "promised here since " + was.Since.Value}
		}
	}
	for _, t := range lock.Tools {
		if _, left := promised[t.Tool.Value]; left {
			d := diags.Errorf(s.Pos, ruleRemoved, "tool %q is no longer in the frozen scope %q", t.Tool.Value, s.Name)
			d.Hint = hint("remove " + t.Tool.Value)
			d.Related = &diag.Related{Pos: t.Tool.Pos, Message: "promised here since " + t.Since.Value}
		}
	}
}

package scope

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// entryTerms are the promises of a frozen scope about a prompt or a resource.
type entryTerms struct {
	contract   string // hash of what requests depend on
	capability string
	visible    string
	texts      string // hash of the words of its entry in a list
}

// termsOfEntry returns what the manifest promises of a prompt or a resource. Order is documentation.
func termsOfEntry(x model.Declared) entryTerms {
	e := model.EntryOf(x)
	contract, texts := [][]string{}, [][]string{{e.Title, e.Description}}
	if len(e.Asks) > 0 {
		contract = append(contract, append([]string{"asks"}, model.AskNames(e.Asks)...))
	}
	if r, ok := x.(*model.Resource); ok {
		priority := ""
		if r.Priority != nil {
			priority = fmt.Sprint(*r.Priority)
		}
		contract = append(contract, []string{"address", r.Address()}, []string{"mime", r.MIME}, []string{"subscribe", fmt.Sprint(r.Subscribe)})
		texts = append(texts, append([]string{"annotations", priority, fmt.Sprint(r.Size)}, r.Audience...))
	}
	var arguments, described [][]string
	for _, a := range model.ArgumentsOf(x) {
		arguments = append(arguments, append([]string{"argument", a.Name, fmt.Sprint(a.Required), fmt.Sprint(a.Completed)}, sorted(a.Type.Enum)...))
		if a.Title+a.Description != "" {
			described = append(described, []string{"argument", a.Name, a.Title, a.Description})
		}
	}
	slices.SortFunc(arguments, slices.Compare)
	slices.SortFunc(described, slices.Compare)
	out := entryTerms{contract: sum(append(contract, arguments...)), visible: e.VisibleText(), texts: sum(append(texts, described...))}
	if e.Capability != nil {
		out.capability = e.Capability.Name
	}
	return out
}

func lockedEntryTerms(l spec.LockedEntry) entryTerms {
	return entryTerms{l.Contract.Value, l.Capability.Value, l.Visible.Value, l.Texts.Value}
}

// entryRow identifies a row of the lock.
type entryRow struct{ kind, name, scope string }

func idOf(l spec.LockedEntry) entryRow { return entryRow{l.Kind, l.Name.Value, l.Scope.Value} }

// promisedEntries lists the prompts and resources of frozen scopes with the scope.
func promisedEntries(set *model.Toolset) (rows []entryRow, entries []model.Declared) {
	for _, x := range set.Entries() {
		for _, s := range model.EntryOf(x).Scopes {
			if s.Frozen {
				rows, entries = append(rows, entryRow{x.Kind(), model.EntryOf(x).Name, s.Name}), append(entries, x)
			}
		}
	}
	return rows, entries
}

// isLocked reports whether the lock has a frozen scope, so that its rows about it count.
func isLocked(in Input, scope string) bool {
	return slices.ContainsFunc(frozenScopes(in), func(p promised) bool { return p.scope.Name == scope })
}

// checkEntriesAdded reports prompts and resources that the lock does not know.
func checkEntriesAdded(in Input, report diag.Report) {
	rows, entries := promisedEntries(in.Set)
	for i, row := range rows {
		known := slices.ContainsFunc(in.Lock.Entries, func(l spec.LockedEntry) bool { return idOf(l) == row })
		if isLocked(in, row.scope) && !known {
			d := report(model.EntryOf(entries[i]).Pos, "%s %q is not in the frozen scope %q", row.kind, row.name, row.scope)
			d.Hint, d.Cause = hint("add "+row.name), row.kind+": "+row.name
		}
	}
}

// checkEntriesRemoved reports prompts and resources of the lock that have left their scope.
func checkEntriesRemoved(in Input, report diag.Report) {
	rows, _ := promisedEntries(in.Set)
	for _, l := range in.Lock.Entries {
		if isLocked(in, l.Scope.Value) && !slices.Contains(rows, idOf(l)) {
			d := report(l.Name.Pos, "%s %q is no longer in the frozen scope %q", l.Kind, l.Name.Value, l.Scope.Value)
			d.Hint, d.Cause = hint("remove "+l.Name.Value), idOf(l).kind+": "+l.Name.Value
		}
	}
}

// checkEntriesChanged reports prompts and resources that are not as the lock has them.
func checkEntriesChanged(in Input, report diag.Report) {
	rows, entries := promisedEntries(in.Set)
	for i, row := range rows {
		at := slices.IndexFunc(in.Lock.Entries, func(l spec.LockedEntry) bool { return idOf(l) == row })
		if at < 0 || !isLocked(in, row.scope) {
			continue
		}
		locked, e := in.Lock.Entries[at], model.EntryOf(entries[i])
		was, now := lockedEntryTerms(locked), termsOfEntry(entries[i])
		differs := func(at diag.Pos, format string, args ...any) {
			d := report(at, format+", not as frozen in scope %q", append(args, row.scope)...)
			d.Hint, d.Cause = hint("change "+row.name), row.kind+": "+row.name
			d.Related = &diag.Related{Pos: locked.Name.Pos, Message: "promised here since " + locked.Since.Value}
		}
		if was.contract != now.contract {
			differs(e.Pos, "%s %q has %s", row.kind, row.name, contractOf(row.kind))
		}
		if was.capability != now.capability {
			differs(e.CapabilityPos, "%s %q was of capability %q and is of %q", row.kind, row.name, was.capability, now.capability)
		}
		if was.visible != now.visible {
			differs(e.VisiblePos, "%s %q was visible when %s and is when %s", row.kind, row.name, was.visible, now.visible)
		}
		if was.texts != now.texts {
			differs(e.Pos, "%s %q has another title, description or annotation, or an argument has", row.kind, row.name)
		}
	}
}

func contractOf(kind string) string {
	if kind == "prompt" {
		return "other arguments"
	}
	return "another address, type or values of variables, or clients can no longer subscribe as they could"
}

// entries writes the rows of the lock about prompts and resources. Without such it writes nothing.
func (w *writer) entries(set *model.Toolset, old *spec.Lock) {
	written := map[string][]string{}
	rows, entries := promisedEntries(set)
	for i, row := range rows {
		since := ""
		for _, s := range set.Scopes {
			if s.Name == row.scope {
				since = s.Since
			}
		}
		for _, l := range old.Entries {
			if idOf(l) == row {
				since = l.Since.Value
			}
		}
		t := termsOfEntry(entries[i])
		body := fmt.Sprintf("%s: %s, scope: %s, since: %s, contract: %s, capability: %s, visible: %s, texts: %s",
			row.kind, row.name, row.scope, quote(since), quote(t.contract), t.capability, quote(t.visible), quote(t.texts))
		written[row.kind] = append(written[row.kind], w.signed(body, row.kind, row.name, row.scope, since, t.contract, t.capability, t.visible, t.texts))
	}
	w.rows("prompts", written["prompt"])
	w.rows("resources", written["resource"])
}

// entryWords lists a row for a digest.
func entryWords(l spec.LockedEntry) []string {
	return []string{l.Kind, l.Name.Value, l.Scope.Value, l.Since.Value, l.Contract.Value, l.Capability.Value, l.Visible.Value, l.Texts.Value}
}

package scope

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// remembered lists every row of the lock about a tool that is or was deferred.
func remembered(lock *spec.Lock) []spec.LockedDeferral {
	return slices.Concat(lock.Deferred, lock.Promoted, lock.Dropped)
}

// find returns the row of a tool that has one of the names.
func find(rows []spec.LockedDeferral, names ...string) (spec.LockedDeferral, bool) {
	i := slices.IndexFunc(rows, func(d spec.LockedDeferral) bool { return slices.Contains(names, d.Tool.Value) })
	if i < 0 {
		return spec.LockedDeferral{}, false
	}
	return rows[i], true
}

// namesOf lists the name of a tool and its old names.
func namesOf(t *model.Tool) []string { return append([]string{t.Name}, t.Was...) }

// Promoted lists the live tools of frozen scopes that the gate holds: those that the lock remembers
// as deferred, and those that bring policy surfaces into a scope which defers tools. fresh are those
// that the next freeze would add; they must be proved to be tested.
func Promoted(set *model.Toolset, lock *spec.Lock) (all, fresh []*model.Tool) {
	if lock == nil {
		return nil, nil
	}
	for _, t := range set.Tools {
		if !Frozen(t) {
			continue
		}
		_, promoted := find(lock.Promoted, namesOf(t)...)
		_, known := find(remembered(lock), namesOf(t)...)
		joins := joinedScope(set, lock, t) != nil
		if known || joins {
			all = append(all, t)
		}
		if known && !promoted || joins {
			fresh = append(fresh, t)
		}
	}
	return all, fresh
}

// joinedScope returns the frozen scope which defers tools and into which a tool brings a policy
// surface: as a new tool, for another name of what is deferred is no way past the gate, or as a tool
// that was promised without the surface. It is nil when there is none.
func joinedScope(set *model.Toolset, lock *spec.Lock, t *model.Tool) *model.Scope {
	if len(t.Surfaces) == 0 {
		return nil
	}
	if _, promoted := find(lock.Promoted, namesOf(t)...); promoted {
		return nil
	}
	for _, s := range t.Scopes {
		if s.Frozen && defers(set, lock, s) && !hasSurfaces(lock, s, t) {
			return s
		}
	}
	return nil
}

// defers reports whether a scope that the lock has, or had, keeps tools deferred or has done so.
func defers(set *model.Toolset, lock *spec.Lock, s *model.Scope) bool {
	if slices.ContainsFunc(remembered(lock), func(d spec.LockedDeferral) bool { return d.Scope.Value == s.Name }) {
		return true
	}
	begun := slices.ContainsFunc(lock.Scopes, func(l spec.LockedScope) bool { return l.Name.Value == s.Name })
	return begun && slices.ContainsFunc(set.Deferrals, func(d *model.Deferral) bool { return d.Scope == s })
}

// hasSurfaces reports whether the lock has the tool in the scope, with each of its surfaces.
func hasSurfaces(lock *spec.Lock, s *model.Scope, t *model.Tool) bool {
	for _, l := range lock.Scopes {
		for _, name := range namesOf(t) {
			was, ok := lockedTool(l, name)
			if !ok || l.Name.Value != s.Name {
				continue
			}
			had := values(was.Surfaces)
			return was.Tier.Value == 0 || !slices.ContainsFunc(t.Surfaces, func(now string) bool { return !slices.Contains(had, now) })
		}
	}
	return false
}

// checkShrunk reports deferrals and promoted tools that lack a policy surface of their deferral.
func checkShrunk(in Input, report diag.Report) {
	check := func(at diag.Pos, name string, surfaces []string, names ...string) {
		was, ok := find(remembered(in.Lock), names...)
		if !ok {
			return
		}
		for _, s := range was.Surfaces {
			if !slices.Contains(surfaces, s.Value) {
				d := report(at, "%q was deferred with the policy surface %s and no longer states it", name, s.Value)
				d.Hint = "write it under surfaces again"
				d.Related = &diag.Related{Pos: s.Pos, Message: "decided here"}
			}
		}
	}
	for _, d := range in.Set.Deferrals {
		check(d.Pos, d.Name, d.Surfaces, d.Name)
	}
	for _, t := range in.Set.Tools {
		if Frozen(t) {
			check(t.At.Surfaces, t.Name, t.Surfaces, namesOf(t)...)
		}
	}
}

// lost reports whether some of the locked surfaces are not stated any more.
func lost(was []spec.Text, now []string) bool {
	return slices.ContainsFunc(was, func(s spec.Text) bool { return !slices.Contains(now, s.Value) })
}

// memory is the lists of a new lock about tools that are or were deferred.
type memory struct{ deferred, promoted, dropped []deferral }

// deferral is a row about a tool that is or was deferred.
type deferral struct {
	tool, scope, since string
	surfaces, tests    []string
}

// deferrals writes which tools are deferred, and which were. No row is forgotten: a promoted
// tool stays bound to its threat model, a tool on its way to promotion is live in an open scope and
// stays as it was, and a tool that is gone is dropped, so that its return passes the gate again.
func (w *writer) deferrals(set *model.Toolset, old *spec.Lock, tests map[string][]string) {
	var m memory
	for _, d := range set.Deferrals {
		_, known := find(remembered(old), d.Name)
		if d.Scope.Frozen || known {
			m.deferred = append(m.deferred, deferral{d.Name, d.Scope.Name, d.Since, d.Surfaces, nil})
		}
	}
	for _, t := range set.Tools {
		_, known := find(remembered(old), namesOf(t)...)
		if s := joinedScope(set, old, t); s != nil && !known {
			m.promoted = append(m.promoted, deferral{t.Name, s.Name, s.Since, t.Surfaces, tests[t.Name]})
		}
	}
	m.keep(set, old.Promoted, &m.promoted, tests)
	m.keep(set, old.Deferred, &m.deferred, tests)
	m.keep(set, old.Dropped, &m.dropped, tests)
	for _, list := range []struct {
		key    string
		rows   []deferral
		sorted bool
	}{{"deferred", m.deferred, false}, {"promoted", m.promoted, true}, {"dropped", m.dropped, true}} {
		rows := slicesx.List(list.rows, func(d deferral) string { return w.signed(d.body(), d.words(list.key)...) })
		if list.sorted {
			slices.Sort(rows)
			rows = slices.Compact(rows)
		}
		w.rows(list.key, rows)
	}
}

// keep sorts the rows of an old list: those of frozen tools are promoted, those of tools in open
// scopes stay in their list, and those of tools that are gone are dropped.
func (m *memory) keep(set *model.Toolset, rows []spec.LockedDeferral, unpromised *[]deferral, tests map[string][]string) {
	for _, d := range rows {
		name := d.Tool.Value
		if slices.ContainsFunc(set.Deferrals, func(now *model.Deferral) bool { return now.Name == name }) {
			continue
		}
		was := func(tool string, tests []string) deferral {
			return deferral{tool, d.Scope.Value, d.Since.Value, values(d.Surfaces), tests}
		}
		i := slices.IndexFunc(set.Tools, func(t *model.Tool) bool { return slices.Contains(namesOf(t), name) })
		switch {
		case i < 0:
			m.dropped = append(m.dropped, was(name, nil))
		case Frozen(set.Tools[i]):
			proof := tests[set.Tools[i].Name]
			if proof == nil {
				proof = values(d.Tests)
			}
			m.promoted = append(m.promoted, was(name, proof))
			if set.Tools[i].Name != name { // the old name may go one day
				m.promoted = append(m.promoted, was(set.Tools[i].Name, proof))
			}
		default:
			*unpromised = append(*unpromised, was(name, values(d.Tests)))
		}
	}
}

// body writes the members of the row.
func (d deferral) body() string {
	row := fmt.Sprintf("tool: %s, scope: %s, since: %s, surfaces: [%s]", d.tool, d.scope, quote(d.since), strings.Join(d.surfaces, ", "))
	if len(d.tests) > 0 {
		quoted := slicesx.List(d.tests, quote)
		row += ", tests: [" + strings.Join(quoted, ", ") + "]"
	}
	return row
}

// words lists the row for a digest, as deferralWords does of one that was read.
func (d deferral) words(key string) []string {
	words := append([]string{key, d.tool, d.scope, d.since, "surfaces"}, d.surfaces...)
	if len(d.tests) > 0 {
		words = append(append(words, "tests"), d.tests...)
	}
	return words
}

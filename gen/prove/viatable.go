package prove

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
)

// ViaTable is Via for every tool and every reachable state, small enough to be compiled into a
// registry. Lookup: in the row of the tool, the entry whose Facts equal the session's facts under
// Mask names the path; no entry, no advice.
type ViaTable struct {
	Paths []Path   // distinct, never empty, sorted by length and then by text
	Rows  []ViaRow // one per predicate that does not hold in every reachable state, sorted by first tool
}

// ViaRow is the advice for all tools that share a predicate. In a state where the predicate holds
// the row means nothing.
type ViaRow struct {
	Predicate model.Predicate
	Tools     []*model.Tool // sorted by name
	Mask      State         // the facts the advice depends on
	Entries   []ViaEntry    // sorted by Facts
}

// ViaEntry is the advice in the states that agree with Facts on the row's Mask.
type ViaEntry struct {
	Facts State
	Path  int // index into ViaTable.Paths
}

// ViaTable computes the table. It is the same in every run.
func (sp *Space) ViaTable() ViaTable {
	var table ViaTable
	rows := map[string]int{} // predicate text to index in table.Rows
	var texts [][]string     // per row and state: the path's text; "" for no way
	paths := map[string]Path{}
	for _, t := range sp.set.Tools {
		if at, ok := rows[t.Visible.Text]; ok {
			table.Rows[at].Tools = append(table.Rows[at].Tools, t)
			continue
		}
		if !slices.ContainsFunc(sp.states, func(s State) bool { return !holds(t.Visible, s) }) {
			continue
		}
		rows[t.Visible.Text] = len(table.Rows)
		table.Rows = append(table.Rows, ViaRow{Predicate: t.Visible, Tools: []*model.Tool{t}})
		texts = append(texts, sp.advice(t.Visible, paths))
	}
	names := slices.SortedFunc(maps.Keys(paths), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(paths[a]), len(paths[b])), strings.Compare(a, b))
	})
	for _, name := range names {
		table.Paths = append(table.Paths, paths[name])
	}
	for i := range table.Rows {
		sp.fill(&table.Rows[i], texts[i], names)
	}
	return table
}

// advice gives the text of the path from each state and adds the paths themselves to paths.
func (sp *Space) advice(goal model.Predicate, paths map[string]Path) []string {
	r := sp.routesTo(goal)
	out := make([]string, len(sp.states))
	for i := range out {
		if path := r.from(int32(i)); len(path) > 0 {
			out[i] = path.String()
			paths[out[i]] = path
		}
	}
	return out
}

// fill finds the facts that the advice of a row depends on, by leaving out one after the other as
// long as no two states with different advice become alike, and groups the states by the rest.
func (sp *Space) fill(row *ViaRow, text, names []string) {
	row.Mask = 1<<len(sp.set.Facts) - 1
	groups := sp.grouped(row, text)
	for _, f := range sp.set.Facts {
		narrow := *row
		narrow.Mask &^= bit(f)
		if g := sp.grouped(&narrow, text); g != nil {
			row.Mask, groups = narrow.Mask, g
		}
	}
	index := make(map[string]int, len(names))
	for i, name := range names {
		index[name] = i
	}
	for _, facts := range slices.Sorted(maps.Keys(groups)) {
		if advice := groups[facts]; advice != "" {
			row.Entries = append(row.Entries, ViaEntry{facts, index[advice]})
		}
	}
}

// grouped maps the states where the row's predicate is false, cut down to its mask, to their
// advice. It is nil when two of them that become alike have different advice.
func (sp *Space) grouped(row *ViaRow, text []string) map[State]string {
	groups := map[State]string{}
	for i, s := range sp.states {
		if holds(row.Predicate, s) {
			continue
		}
		if had, ok := groups[s&row.Mask]; ok && had != text[i] {
			return nil
		}
		groups[s&row.Mask] = text[i]
	}
	return groups
}

// Lookup finds the advice for a tool in a state, as generated code does; nil when there is none.
// The tool must not be visible there.
func (t ViaTable) Lookup(tool *model.Tool, s State) Path {
	for _, row := range t.Rows {
		if !slices.Contains(row.Tools, tool) {
			continue
		}
		at, ok := slices.BinarySearchFunc(row.Entries, s&row.Mask, func(e ViaEntry, want State) int {
			return cmp.Compare(e.Facts, want)
		})
		if ok {
			return t.Paths[row.Entries[at].Path]
		}
	}
	return nil
}

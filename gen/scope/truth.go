package scope

import (
	"cmp"
	"slices"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// Status is how far a client can rely on a tool. It follows from facts and cannot be declared.
type Status string

// The statuses.
const (
	Ready    Status = "ready"    // live, promised by a frozen scope, and a test that always runs calls it
	Untested Status = "untested" // live and promised, but no test calls it
	Open     Status = "open"     // live, and in no frozen scope
	Deferred Status = "deferred" // deliberately not there
)

// Truth is one row of the capability truth table.
type Truth struct {
	Name       string
	Status     Status
	Capability string
	Scopes     []string
	Since      string // of the promise, or of the decision to defer
	Tested     bool
	Promoted   bool // it was deferred once
	Surfaces   []string
}

// TruthTable derives a row for each tool, live or deferred, sorted by name.
func TruthTable(set *model.Toolset, lock *spec.Lock, tested func(*model.Tool) bool) []Truth {
	if lock == nil {
		lock = &spec.Lock{}
	}
	since := make(map[string]string)
	for _, s := range lock.Scopes {
		for _, t := range s.Tools {
			since[t.Tool.Value] = t.Since.Value
		}
	}
	var out []Truth
	promoted, _ := Promoted(set, lock)
	for _, t := range set.Tools {
		row := Truth{Name: t.Name, Capability: t.Capability.Name, Since: since[t.Name], Tested: tested(t), Surfaces: t.Surfaces,
			Promoted: slices.Contains(promoted, t)}
		for _, s := range t.Scopes {
			row.Scopes = append(row.Scopes, s.Name)
		}
		switch {
		case row.Since == "":
			row.Status = Open
		case row.Tested:
			row.Status = Ready
		default:
			row.Status = Untested
		}
		out = append(out, row)
	}
	for _, d := range set.Deferrals {
		out = append(out, Truth{Name: d.Name, Status: Deferred, Scopes: []string{d.Scope.Name}, Since: d.Since, Surfaces: d.Surfaces})
	}
	slices.SortFunc(out, func(a, b Truth) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

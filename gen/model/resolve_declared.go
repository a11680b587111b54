package model

import (
	"strconv"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/spelling"
)

// table is a closed set of names in the author's order.
type table[T any] struct {
	names  []string
	items  map[string]*T
	used   map[string]bool
	unread bool // the section could not be read, and that is reported: names are not judged
}

func (t *table[T]) add(name string, item *T) {
	if t.items == nil {
		t.items = make(map[string]*T)
	}
	t.names = append(t.names, name)
	t.items[name] = item
}

// use notes that something names an item.
func (t *table[T]) use(name string) {
	if t.used == nil {
		t.used = make(map[string]bool)
	}
	t.used[name] = true
}

// find looks a name up, and reports it with the nearest one when it is not there.
func (t *table[T]) find(r *resolver, name spec.Text, rule, what string) *T {
	item, ok := t.items[name.Value]
	if ok {
		t.use(name.Value)
	} else if !t.unread {
		r.unknown(name, rule, what, t.names).Cause = name.Value
	}
	return item
}

// misdeclared turns the reports about a name that several places use into one about its declaration,
// where that is the slip: the one name that is near is declared and used nowhere.
func misdeclared[T any](r *resolver, t *table[T], rule, what string, pos func(*T) diag.Pos) {
	places := map[string][]diag.Pos{}
	for _, d := range r.diags {
		if d.Rule == rule && d.Cause != "" {
			places[d.Cause] = append(places[d.Cause], d.Pos)
		}
	}
	for name, uses := range places {
		declared := diag.Nearest(name, t.names)
		if declared == "" || len(uses) < 2 || t.used[declared] || !spelling.Certain(name, t.names) {
			continue
		}
		for i := range r.diags {
			d := &r.diags[i]
			if d.Rule != rule || d.Cause != name {
				continue
			}
			at := pos(t.items[declared])
			d.Message = what + " " + strconv.Quote(declared) + " is used nowhere, and " + strconv.Quote(name) + " is not declared"
			d.Hint = "did you mean " + strconv.Quote(name) + "?"
			d.Pos, d.Fix = at, diag.FixBy("write "+name, diag.Replace(at, name))
			d.Related = &diag.Related{Pos: uses[0], Message: strconv.Itoa(len(uses)) + " uses, the first here"}
			d.Cause = declared + " and " + name
		}
	}
}

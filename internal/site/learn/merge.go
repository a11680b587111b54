package learn

import (
	"maps"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// masked lists the arguments of a step that any recording has masked, by their JSON pointers.
func masked(r row) (out []string) {
	for _, s := range r {
		for _, pointer := range s.MaskedPointers {
			if !slices.Contains(out, pointer) {
				out = append(out, pointer)
			}
		}
	}
	return out
}

// merge generalises over the values of one argument.
func (g *generaliser) merge(values []any, pointer string, r row) any {
	if allEqual(values) {
		return values[0]
	}
	if objects := asAll[map[string]any](values); objects != nil {
		return g.mergeObjects(objects, pointer, r)
	}
	if lists := asAll[[]any](values); lists != nil {
		return g.mergeLists(lists, pointer, r)
	}
	texts := slicesx.List(values, textOf)
	label := labelFor(r[0].Targets, pointer)
	if asAll[string](values) == nil { // a number of which a part is replaced is none
		return "{" + g.parameter(label, texts) + "}"
	}
	return g.inText(label, texts)
}

// mergeObjects generalises over the members that all objects have. Others are reported and left out.
func (g *generaliser) mergeObjects(objects []map[string]any, pointer string, r row) map[string]any {
	all := map[string]bool{}
	for _, o := range objects {
		for key := range o {
			all[key] = true
		}
	}
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		at := pointer + "/" + argument.Escape(key)
		values := make([]any, 0, len(objects))
		for _, o := range objects {
			if v, ok := o[key]; ok {
				values = append(values, v)
			}
		}
		if len(values) < len(objects) {
			g.note("not every recording has the argument %s of %s; it is left out", at, r[0].Tool)
			continue
		}
		out[key] = g.merge(values, at, r)
	}
	return out
}

// mergeLists generalises over lists of one length. Of lists of another length the first is kept, and reported.
func (g *generaliser) mergeLists(lists [][]any, pointer string, r row) []any {
	if !sameLength(lists) {
		g.note("the lists %s of %s have another number of items in each recording; the first is kept", pointer, r[0].Tool)
		return lists[0]
	}
	out := make([]any, len(lists[0]))
	for i := range out {
		values := make([]any, len(lists))
		for n := range lists {
			values[n] = lists[n][i]
		}
		out[i] = g.merge(values, pointer+"/"+strconv.Itoa(i), r)
	}
	return out
}

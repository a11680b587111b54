package styles

import (
	"context"
	"slices"
	"strings"
)

// overview lists the author's declarations for the element that decide a property, the strongest first.
func (r *reader) overview(ctx context.Context) (out Explanation) {
	l := r.levels[0]
	type tally struct {
		declaration
		decides, all []string
	}
	var author []tally
	winners := map[string]declaration{}
	for _, d := range l.declarations {
		if d.kind == fromBrowser || d.kind == fromAttribute || d.kind == fromUser {
			continue
		}
		t := tally{declaration: d, all: r.longhand[d.property]}
		if len(t.all) == 0 || strings.HasPrefix(d.property, "--") {
			t.all = []string{d.property}
		}
		for _, longhand := range t.all {
			w, known := winners[longhand]
			if !known {
				sorted, _ := r.decide(l, longhand)
				w = sorted[0] // t sets it
				winners[longhand] = w
			}
			if !d.invalid && isSame(w, d) {
				t.decides = append(t.decides, longhand)
			}
		}
		author = append(author, t)
	}
	slices.SortStableFunc(author, func(a, b tally) int { return compare(b.declaration, a.declaration, r.hops).order })
	for _, t := range author {
		if len(t.decides) == 0 {
			out.Overridden++
			continue
		}
		if len(out.Declared) == maxDeclared {
			out.Omitted++
			continue
		}
		d := r.show(ctx, t.declaration, l, t.property)
		if len(t.decides) < len(t.all) {
			d.Decides = clipAll(t.decides[:min(len(t.decides), 8)])
		}
		out.Declared = append(out.Declared, d)
	}
	return out
}

// isSame reports whether two declarations are one.
func isSame(a, b declaration) bool {
	return a.kind == b.kind && a.rule == b.rule && a.position == b.position && a.property == b.property && a.value == b.value
}

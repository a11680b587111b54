package toolkit

import (
	"cmp"
	"slices"
	"strings"
)

// search ranks the surface's tools against free text: words in the name count most, then capability
// and area, then the description. Excluded tools are not found; the order is deterministic.
func (v *Session) search(query string) []int {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80
	})
	type hit struct{ index, score int }
	var hits []hit
	for i := range v.surface.reg.Tools {
		if !v.surface.allowed.Has(i) {
			continue
		}
		if s := score(&v.surface.reg.Tools[i], words); s > 0 {
			hits = append(hits, hit{i, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var out []int
	for _, h := range hits[:min(len(hits), maxMatches)] {
		out = append(out, h.index)
	}
	return out
}

func score(t *Tool, words []string) int {
	description := strings.ToLower(t.Description)
	total := 0
	for _, w := range words {
		switch {
		case t.Name == w:
			total += 10
		case strings.Contains(t.Name, w):
			total += 5
		case t.Capability == w || t.Area == w:
			total += 3
		case len(w) > 2 && strings.Contains(description, w):
			total++
		}
	}
	return total
}

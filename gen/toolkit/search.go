package toolkit

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spelling"
)

// toolFinder finds tools for a session: by the words of a text, or by a selection.
type toolFinder struct{ *Session }

// search ranks the surface's tools against free text: words in the name count most, then capability
// and area, then the description. Excluded tools are not found; the order is deterministic.
func (v toolFinder) search(query string) []int {
	words := strings.FieldsFunc(strings.ToLower(query), separates)
	type hit struct{ index, score int }
	var hits []hit
	for i := range v.surface.table().reg.Tools {
		if !v.surface.table().allowed.Has(i) {
			continue
		}
		if s := score(&v.surface.table().reg.Tools[i], words); s > 0 {
			hits = append(hits, hit{i, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	hits = slices.DeleteFunc(hits, func(h hit) bool { return 3*h.score < hits[0].score }) // a word in passing
	return slicesx.Map(hits[:min(len(hits), maxMatches)], func(h hit) int { return h.index })
}

// separates reports a character between words.
func separates(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80 }

func score(t *Tool, words []string) int {
	description := strings.ToLower(t.Description)
	total, matched := 0, 0
	for _, w := range words {
		before := total
		switch {
		case t.Name == w:
			total += 10
		case len(w) > 2 && strings.Contains(t.Name, w):
			total += 5
		case t.Capability == w || t.Area == w:
			total += 3
		case len(w) > 2 && slices.Contains(strings.FieldsFunc(description, separates), w):
			total += 2
		case len(w) > 2 && strings.Contains(description, w):
			total++
		}
		if total > before {
			matched++
		}
	}
	return total + 4*max(0, matched-1) // several words of the query outweigh one in the name
}

// relatedTool returns the listed tool that scores best for some words, or "". The first of equals
// counts; except is left out.
func (v toolFinder) relatedTool(words []string, except *Tool, score func(*Tool, []string) int) string {
	best, name := 0, ""
	visible := v.Visible()
	for i := range v.surface.table().reg.Tools {
		t := &v.surface.table().reg.Tools[i]
		if !visible.Has(i) || t == except {
			continue
		}
		if s := score(t, words); s > best {
			best, name = s, t.Name
		}
	}
	return name
}

// nameScore counts the words that are parts of a tool's name.
func nameScore(t *Tool, words []string) int {
	n := 0
	for part := range strings.SplitSeq(t.Name, "_") {
		if slices.Contains(words, part) {
			n++
		}
	}
	return n
}

// verbScore is score with more for a description that begins with one of the words.
func verbScore(t *Tool, words []string) int {
	total := score(t, words)
	if verb, _, _ := strings.Cut(strings.ToLower(t.Description), " "); slices.Contains(words, verb) {
		total += 4
	}
	return total
}

// withRelatedTools adds to each unknown value of an enum the tool that its words name: an action
// left_click_drag of one tool may be another tool. Words of the tool's own schema name no other.
func (v dispatcher) withRelatedTools(t *Tool, err error) error {
	var all Violations
	if !errors.As(err, &all) {
		return err
	}
	all = slices.Clone(all)
	find := toolFinder(v)
	for i, x := range all {
		shown, ok := strings.CutPrefix(x.Problem, "unknown value ")
		if !ok {
			continue
		}
		words := slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(shown), separates), func(w string) bool {
			return strings.Contains(t.Schema, w)
		})
		if name := find.relatedTool(words, t, nameScore); name != "" {
			all[i].Hint = strings.TrimSuffix("the tool "+name+" does that; "+x.Hint, "; ")
		}
	}
	return all
}

// Nearest returns the candidate closest to name, or "" when none is close.
func Nearest(name string, candidates []string) string { return spelling.Nearest(name, candidates) }

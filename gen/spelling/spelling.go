// Package spelling finds the word that was probably meant. The compiler and the run-time library
// share it, so that both suggest alike.
//
// It is a leaf: it must import nothing of this module.
package spelling

import (
	"slices"
	"strings"
)

// Nearest returns the candidate closest to name by Damerau-Levenshtein distance (its
// optimal-string-alignment form), or "" when none lies within max(2, len/3) edits: a farther guess
// misleads more often than it helps. Ties go to the earlier candidate, so the caller's order
// decides.
func Nearest(name string, candidates []string) string {
	want := []rune(name)
	best, limit := "", max(2, len(want)/3)
	for _, c := range candidates {
		have := []rune(c)
		if c == name || abs(len(have)-len(want)) > limit || len(have) == 0 {
			continue
		}
		// A guess that keeps nothing of a short name is no help: "a" is two edits from everything
		// of two letters.
		if d := distance(want, have); d <= limit && d < max(len(want), len(have)) {
			best, limit = c, d-1
		}
	}
	return best
}

// Certain reports whether name can only be a slip of its nearest candidate: no other one is near,
// and the two differ by capitals, dashes and underscores alone, or by one edit, or by two in eight
// characters and more.
func Certain(name string, candidates []string) bool {
	near := Nearest(name, candidates)
	if near == "" {
		return false
	}
	others := slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return c == near })
	if Nearest(name, others) != "" {
		return false
	}
	edits, length := distance([]rune(name), []rune(near)), len([]rune(name))
	return bare(name) == bare(near) || edits == 1 && length >= 3 || edits == 2 && length >= 8
}

// bare is a name without its capitals, dashes and underscores.
func bare(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// distance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into
// b. Three rows of the table are enough, because a swap looks back two rows and no further.
func distance(a, b []rune) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, prev[j]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

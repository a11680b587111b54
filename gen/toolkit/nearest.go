package toolkit

// Nearest returns the candidate closest to name by Damerau-Levenshtein distance (optimal string alignment), or "" when
// none is within max(2, len/3) edits: farther guesses mislead more often than they help. Ties go to the earlier one.
func Nearest(name string, candidates []string) string {
	best, limit := "", max(2, len(name)/3)
	for _, c := range candidates {
		if c == name || len(c)-len(name) > limit || len(name)-len(c) > limit {
			continue
		}
		if d := distance(name, c); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and swaps of neighbours that turn a into b, byte by byte: the
// names it compares are ASCII.
func distance(a, b string) int {
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

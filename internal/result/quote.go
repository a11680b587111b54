package result

import (
	"slices"

	"github.com/callsheet/callsheet/internal/text/fence"
)

// Quote puts text of a page between tags, so that a model can tell it from text of the server. The
// page cannot close them: they have a nonce of the call, and tags of the page that look like them are
// broken.
func Quote(text string) string { return fence.Quote(text) }

// Shares divides a budget among texts of these sizes. Each gets what it needs up to a limit that is
// the same for all, so that a long one never takes what a short one needs, and what short ones
// leave is the others'.
func Shares(sizes []int, budget int) []int {
	out, order := make([]int, len(sizes)), make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return sizes[a] - sizes[b] })
	for at, i := range order { // the smallest first: what it leaves raises the limit of those after it
		out[i] = min(sizes[i], max(0, budget)/(len(order)-at))
		budget -= out[i]
	}
	return out
}

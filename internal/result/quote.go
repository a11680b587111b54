package result

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Quote puts text of a page between tags, so that a model can tell it from text of the server. The
// page cannot close them: its own tags of that name lose their slash, in any spelling.
func Quote(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if strings.Contains(text, "</") { // few readings have any tag
		text = closingTag().ReplaceAllString(text, "<$1")
	}
	return "<page>\n" + text + "</page>"
}

// closingTag matches the beginning of a closing tag, as HTML takes it: in small letters or large
// ones. It is compiled when the first page has one.
var closingTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)</(page)`) })

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

package page

import "github.com/chromedp/cdproto/cdp"

// documentMark says that a document was filled with a secret, or that a script of the caller ran on it. A
// document that comes back from the back-forward cache has its loader again, and its marks.
type documentMark int

const (
	markFilled documentMark = iota
	markScripted
	documentMarkCount
)

func (t *tracker) mark(m documentMark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.marks[m] == nil {
		t.marks[m] = map[cdp.LoaderID]bool{}
	}
	t.marks[m][t.loader] = true
}

func (t *tracker) isMarked(m documentMark) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks[m][t.loader]
}

// foundLoader sets the loader of a document that was committed before the tracker had events.
func (t *tracker) foundLoader(loader cdp.LoaderID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loader != "" {
		return
	}
	t.loader = loader
	for _, marks := range t.marks {
		if marks[""] {
			marks[loader] = true
		}
	}
}

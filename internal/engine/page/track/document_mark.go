package track

import (
	"github.com/chromedp/cdproto/cdp"
)

// Mark says that a document was filled with a secret, that a script of the caller ran on it, or that it was cut. A
// document that comes back from the back-forward cache has its loader again, and its marks.
type Mark int

// The marks of a document.
const (
	MarkFilled Mark = iota
	MarkScripted
	MarkCut // its load, or that of a frame, was stopped
	markCount
)

// Mark marks the document that is shown.
func (t *Tracker) Mark(m Mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mark(m)
}

// mark is Mark for a caller that holds mu.
func (t *Tracker) mark(m Mark) {
	if t.marks[m] == nil {
		t.marks[m] = map[cdp.LoaderID]bool{}
	}
	t.marks[m][t.loader] = true
}

// IsMarked reports whether the document that is shown has a mark.
func (t *Tracker) IsMarked(m Mark) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.marks[m][t.loader]
}

// FoundLoader sets the loader of a document that was committed before the tracker had events.
func (t *Tracker) FoundLoader(loader cdp.LoaderID) {
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

package browser

import (
	"slices"
	"strings"
)

// WindowCount is how many windows pages tried to open, and how many of them were refused: by the
// browser, which opens one for each trusted action, or by the guard. Prompts has a line for each other request to a person.
type WindowCount struct {
	Tried, Refused int
	Prompts        []string
}

// Add adds the windows of another count.
func (n *WindowCount) Add(o WindowCount) {
	n.Tried += o.Tried
	n.Refused += o.Refused
	n.Prompts = append(n.Prompts, o.Prompts...)
}

// windowCounter counts the windows of one tab since TakeWindows.
type windowCounter struct {
	tab   *Tab
	count WindowCount
}

// add counts a window that the page tried to open. trusted says that an action allowed it.
func (w *windowCounter) add(trusted bool) {
	blocked := !trusted && w.tab.session.browser.blocksPopups()
	w.tab.mu.Lock()
	defer w.tab.mu.Unlock()
	w.count.Tried++
	if blocked {
		w.count.Refused++
	}
}

// addRefused counts a window that the guard refused after the browser had opened it.
func (w *windowCounter) addRefused() {
	w.tab.mu.Lock()
	defer w.tab.mu.Unlock()
	w.count.Refused++
	w.count.Tried = max(w.count.Tried, w.count.Refused) // a click with Ctrl opens one without an event
}

// blocksPopups reports whether the browser refuses windows that no trusted action opens. A browser
// that was launched elsewhere does as its owner chose.
func (b *Browser) blocksPopups() bool {
	c := &b.cfg
	return b.remote.Load() == nil && !slices.ContainsFunc(c.Args, func(arg string) bool {
		return strings.TrimLeft(arg, "-") == "disable-popup-blocking"
	})
}

// TakeWindows returns how many windows the pages of the open tabs tried to open since the last call, and what else they
// asked for that no answer has told.
func (s *Session) TakeWindows() (out WindowCount) {
	s.mu.Lock()
	tabs := slices.Clone(s.tabs)
	s.mu.Unlock()
	for _, t := range tabs {
		t.mu.Lock()
		out.Add(t.windows.count)
		out.Prompts = append(out.Prompts, t.Prompts.Take()...)
		t.windows.count = WindowCount{}
		t.mu.Unlock()
	}
	return out
}

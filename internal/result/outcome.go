package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

// Outcome has the changes that an action made: the page, the tabs of the session, and its side effects.
type Outcome struct {
	settle.Effect
	Opened      []browser.TabInfo // tabs that the action opened
	SideEffects []string          // what else it began: dialogs, downloads, a file chooser
	Closed      bool              // the action closed its tab
}

// Text describes the outcome, one fact a line: the action ("clicked"), its element, and the
// changes.
func (o Outcome) Text(verb string) string {
	var b strings.Builder
	b.WriteString(verb)
	if o.Element != nil {
		b.WriteString(" " + ActedOn(*o.Element))
	}
	switch {
	case o.Closed:
		b.WriteString("\nthe tab has closed")
	case o.NewDocument:
		fmt.Fprintf(&b, "\nnow at %s %q", o.URL, o.Title)
		if o.Status != 0 {
			fmt.Fprintf(&b, " %d", o.Status)
		}
		b.WriteString("; earlier refs are gone")
	case o.Navigated:
		fmt.Fprintf(&b, "\nnow at %s %q", o.URL, o.Title)
	case o.Detached:
		b.WriteString("\nthe element has left the page")
	}
	for _, t := range o.Opened {
		fmt.Fprintf(&b, "\nopened tab %s %s", t.ID, t.URL)
	}
	for _, line := range o.SideEffects {
		b.WriteString("\n" + line)
	}
	for _, line := range o.Changes {
		b.WriteString("\n" + line)
	}
	if o.Pending != "" {
		b.WriteString("\nnot finished yet: " + o.Pending)
	}
	return b.String()
}

// ActedOn is Element without the focus, which an action gives to nearly everything.
func ActedOn(e document.Element) string {
	e.States = slices.DeleteFunc(slices.Clone(e.States), func(state string) bool { return state == "focused" })
	return Element(e)
}

// Element shows an element in a line: button "Save" [e12] disabled.
func Element(e document.Element) string { return e.Line() }

// Sorted lists a map's keys in order, so that the same page always gives the same result.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

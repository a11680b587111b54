// Package result renders what handlers return: coded errors as refusals with advice, and the
// effects of actions, dialogs and downloads as short texts.
//
// Advice names a tool only when the client may call it. The package must not know protocols, and it
// decides nothing that a handler or the engine should.
package result

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/session"
)

// ActOn runs an action on the page of the tab that a call names, or of the client's current tab;
// see [Act].
func ActOn(
	ctx context.Context, call *toolkit.Call, sessions session.Lookup, id toolkit.Opt[string],
	fn func(context.Context, *page.Page) (settle.Effect, error),
) (Outcome, error) {
	set := sessions.Set(call)
	session, tab, err := set.Tab(ctx, id.Value)
	if err != nil {
		return Outcome{}, Refusal(call, err)
	}
	return Act(ctx, call, session, tab, fn)
}

// Act runs an action on a tab's page. It returns the effect, the tabs that the action opened and
// its side effects. A dialog that the action's input opens ends the action and is its effect.
func Act(
	ctx context.Context, call *toolkit.Call, session *browser.Session, tab *browser.Tab,
	fn func(context.Context, *page.Page) (settle.Effect, error),
) (Outcome, error) {
	before := session.TabIDs()
	watch := observeSideEffects(session, tab)
	tab.MarkAction()
	var out Outcome
	err := tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		out.Effect, err = fn(ctx, p)
		return err
	})
	var dialog *browser.DialogError
	if errors.As(err, &dialog) && dialog.During && (out.Element != nil || out.Focus != nil) {
		err = nil // the engine names the element once input is on its way to it
	}
	closed := (*browser.ClosedError)(nil)
	if errors.As(err, &closed) && closed.Tab == tab.ID() && out.Element != nil {
		err, out.Closed = nil, true // as "Close" in a popup does
	}
	if err != nil {
		return out, Refusal(call, err)
	}
	old := func(id string) bool { return slices.Contains(before, id) }
	if slices.ContainsFunc(session.TabIDs(), func(id string) bool { return !old(id) }) {
		waitForDocuments(ctx, session, old)
		out.Opened = slices.DeleteFunc(session.Tabs(ctx), func(t browser.TabInfo) bool { return old(t.ID) })
	}
	out.SideEffects = watch.lines(ctx, call)
	if !out.NewDocument { // else they are those of the next document
		out.SideEffects = append(out.SideEffects, watch.failures()...)
	}
	return out, nil
}

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
		fmt.Fprintf(&b, "\nopened tab %s %s", t.ID, cmp.Or(t.URL, "(still loading)"))
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

// documentTimeout bounds the wait for the documents of tabs that an action opened.
const documentTimeout = 3 * time.Second

// waitForDocuments waits until the tabs that are not old have documents, or do not get them in time.
func waitForDocuments(ctx context.Context, session *browser.Session, old func(string) bool) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	for _, id := range slices.DeleteFunc(session.TabIDs(), old) {
		if t, err := session.Tab(ctx, id); err == nil {
			_ = t.Do(ctx, func(ctx context.Context, p *page.Page) error { p.WaitForDocument(ctx); return nil })
		}
	}
}

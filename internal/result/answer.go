// Package result stands between handlers and the engine: it finds the tab a call is about, and says what happened there
// in the words of this registry — refusals with codes from the closed list, and short texts of effects.
//
// Advice names a tool only when this client may call it. The package must not know protocols, nor decide anything that
// a handler or the engine should.
package result

import (
	"context"
	"errors"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/session"
)

// ActOn runs an action on the page of the tab that a call names, or of the client's current tab; see [Act].
func ActOn(
	ctx context.Context, call *toolkit.Call, sessions session.Lookup, id toolkit.Opt[string],
	fn func(context.Context, *page.Page) (page.Effect, error),
) (Outcome, error) {
	set := sessions.Set(call)
	session, tab, err := set.Tab(ctx, id.Value)
	if err != nil {
		return Outcome{}, Refusal(call, err)
	}
	defer set.Refresh() // the next call must see the facts that this result reports
	return Act(ctx, call, session, tab, fn)
}

// Act runs an action on a tab's page and returns its effect and what of the session it touched: tabs that it opened, and
// what it began beside the page. A dialog that its input has opened ends the action, and is its effect.
func Act(
	ctx context.Context, call *toolkit.Call, session *browser.Session, tab *browser.Tab,
	fn func(context.Context, *page.Page) (page.Effect, error),
) (Outcome, error) {
	before := session.TabIDs()
	watch := beside(session, tab)
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
	if err != nil {
		return out, Refusal(call, err)
	}
	old := func(id string) bool { return slices.Contains(before, id) }
	if slices.ContainsFunc(session.TabIDs(), func(id string) bool { return !old(id) }) {
		out.Opened = slices.DeleteFunc(session.Tabs(ctx), func(t browser.TabInfo) bool { return old(t.ID) })
	}
	out.Beside = watch.lines(ctx, call)
	return out, nil
}

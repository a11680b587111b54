// Package result renders what handlers return: coded errors as refusals with advice, and the
// effects of actions, dialogs and downloads as short texts.
//
// Advice names a tool only when the client may call it. The package must not know protocols, and it
// decides nothing that a handler or the engine should.
package result

import (
	"context"
	"errors"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
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
		out.Opened = slices.DeleteFunc(session.Tabs(ctx), func(t browser.TabInfo) bool { return old(t.ID) })
	}
	out.SideEffects = watch.lines(ctx, call)
	if !out.NewDocument { // else they are those of the next document
		out.SideEffects = append(out.SideEffects, watch.failures()...)
	}
	return out, nil
}

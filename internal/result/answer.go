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
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/session"
)

// Sessions gives the connections of a client by its session id, making them at first use.
type Sessions func(id string) *session.Set

// Set is the connections of the client that calls. From its first call on, what it may do follows what they report.
func (s Sessions) Set(call *toolkit.Call) *session.Set {
	set := s(call.Session.ID)
	set.Follow(call.Session)
	return set
}

// Of is the client's part of the browser of its active connection.
func (s Sessions) Of(call *toolkit.Call) (*browser.Session, error) {
	return s.At(call, toolkit.Opt[string]{})
}

// At is the client's part of the browser of the connection that a call names, or of the active one.
func (s Sessions) At(call *toolkit.Call, id toolkit.Opt[string]) (*browser.Session, error) {
	c, err := s.Set(call).Get(id.Value)
	if err != nil {
		return nil, Refusal(call, err)
	}
	return c.Session(), nil
}

// Tab finds the tab that a call addresses: the one named, in whichever connection it is, or the current one of the active
// connection.
func (s Sessions) Tab(ctx context.Context, call *toolkit.Call, id toolkit.Opt[string]) (*browser.Tab, error) {
	_, tab, err := s.Set(call).Tab(ctx, id.Value)
	return tab, Refusal(call, err)
}

// Current finds the current tab of the connection that a call names, or of the active one.
func (s Sessions) Current(ctx context.Context, call *toolkit.Call, id toolkit.Opt[string]) (*browser.Session, *browser.Tab, error) {
	session, err := s.At(call, id)
	if err != nil {
		return nil, nil, err
	}
	tab, err := session.Tab(ctx, "")
	return session, tab, Refusal(call, err)
}

// Debugger finds the debugger of the current tab of the connection that a call names, or of the active one.
func (s Sessions) Debugger(ctx context.Context, call *toolkit.Call, id toolkit.Opt[string]) (*debugger.Debugger, error) {
	c, err := s.Set(call).Get(id.Value)
	if err != nil {
		return nil, Refusal(call, err)
	}
	d, err := c.Debugger(ctx)
	return d, Refusal(call, err)
}

// Do runs fn with the page of the tab that a call addresses, under that tab's lock.
func (s Sessions) Do(
	ctx context.Context, call *toolkit.Call, id toolkit.Opt[string], fn func(context.Context, *page.Page) error,
) error {
	tab, err := s.Tab(ctx, call, id)
	if err != nil {
		return err
	}
	defer s.Set(call).Refresh() // what the answer tells must hold for the call after it
	return Refusal(call, tab.Do(ctx, fn))
}

// Act runs an action on the page of the tab that a call addresses and returns its effect and the tabs it opened.
func (s Sessions) Act(
	ctx context.Context, call *toolkit.Call, id toolkit.Opt[string],
	fn func(context.Context, *page.Page) (page.Effect, error),
) (Outcome, error) {
	set := s.Set(call)
	session, tab, err := set.Tab(ctx, id.Value)
	if err != nil {
		return Outcome{}, Refusal(call, err)
	}
	defer set.Refresh() // what the answer tells must hold for the call after it
	return Act(ctx, call, session, tab, fn)
}

// Act runs an action on a tab's page and returns its effect and what of the session it touched: tabs that it opened, and
// what it began beside the page. A dialog that its input has opened ends the action, and is its effect.
func Act(
	ctx context.Context, call *toolkit.Call, session *browser.Session, tab *browser.Tab,
	fn func(context.Context, *page.Page) (page.Effect, error),
) (Outcome, error) {
	before := session.IDs()
	watch := beside(session, tab)
	tab.Act()
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
	if slices.ContainsFunc(session.IDs(), func(id string) bool { return !old(id) }) {
		out.Opened = slices.DeleteFunc(session.Tabs(ctx), func(t browser.TabInfo) bool { return old(t.ID) })
	}
	out.Beside = watch.lines(ctx, call)
	return out, nil
}

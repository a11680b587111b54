package session

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// Lookup returns the connections of a client by its session id; [Registry.Set] is one. Its methods
// find what a tool call addresses. They return the errors of this package, of browser and of
// debugger unchanged; internal/result renders them.
type Lookup func(id string) *Set

// Set returns the connections of the calling client. From its first call on, the client follows
// their facts.
func (l Lookup) Set(call *toolkit.Call) *Set {
	set := l(call.Session.ID)
	set.Follow(call.Session)
	set.place()
	return set
}

// Active returns the client's part of the browser of its active connection.
func (l Lookup) Active(call *toolkit.Call) (*browser.Session, error) {
	return l.At(call, toolkit.Opt[string]{})
}

// At returns the client's part of the browser of the connection that a call names, or of the active
// connection.
func (l Lookup) At(call *toolkit.Call, connection toolkit.Opt[string]) (*browser.Session, error) {
	c, err := l.Set(call).Get(connection.Value)
	if err != nil {
		return nil, err
	}
	return c.Session(), nil
}

// Tab returns the tab that a call names, in whichever connection it is, or the current tab of the
// active connection.
func (l Lookup) Tab(ctx context.Context, call *toolkit.Call, tab toolkit.Opt[string]) (*browser.Tab, error) {
	_, t, err := l.Set(call).Tab(ctx, tab.Value)
	return t, err
}

// Current returns the current tab of the connection that a call names, or of the active connection.
func (l Lookup) Current(
	ctx context.Context, call *toolkit.Call, connection toolkit.Opt[string],
) (*browser.Session, *browser.Tab, error) {
	session, err := l.At(call, connection)
	if err != nil {
		return nil, nil, err
	}
	tab, err := session.Tab(ctx, "")
	return session, tab, err
}

// Debugger returns the debugger of the current tab of the connection that a call names, or of the
// active connection.
func (l Lookup) Debugger(
	ctx context.Context, call *toolkit.Call, connection toolkit.Opt[string],
) (*debugger.Debugger, error) {
	c, err := l.Set(call).Get(connection.Value)
	if err != nil {
		return nil, err
	}
	return c.Debugger(ctx)
}

// Do runs fn with the page of the tab that a call addresses, under that tab's lock.
func (l Lookup) Do(
	ctx context.Context, call *toolkit.Call, tab toolkit.Opt[string], fn func(context.Context, *page.Page) error,
) error {
	t, err := l.Tab(ctx, call, tab)
	if err != nil {
		return err
	}
	return t.Do(ctx, fn)
}

// Package answer stands between handlers and the engine: it finds the tab a call is about, and says what happened there
// in the words of this registry — refusals with codes from the closed list, and short texts of effects.
//
// Advice names a tool only when this client may call it. The package must not know protocols, nor decide anything that
// a handler or the engine should.
package answer

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/browser"
	"github.com/callsheet/callsheet/internal/page"
)

// Sessions gives the browser session of a client's session id, making it at first use.
type Sessions func(id string) *browser.Session

// Of is the browser session of a call.
func (s Sessions) Of(call *toolkit.Call) *browser.Session { return s(call.Session.ID) }

// Tab finds the tab that a call addresses: the one named, or the session's current one.
func (s Sessions) Tab(ctx context.Context, call *toolkit.Call, id toolkit.Opt[string]) (*browser.Tab, error) {
	tab, err := s.Of(call).Tab(ctx, id.Value)
	return tab, Refusal(call, err)
}

// Do runs fn with the page of the tab that a call addresses, under that tab's lock.
func (s Sessions) Do(
	ctx context.Context, call *toolkit.Call, id toolkit.Opt[string], fn func(context.Context, *page.Page) error,
) error {
	tab, err := s.Tab(ctx, call, id)
	if err != nil {
		return err
	}
	return Refusal(call, tab.Do(ctx, fn))
}

// Act runs an action on the page of the tab that a call addresses and returns its effect and the tabs it opened.
func (s Sessions) Act(
	ctx context.Context, call *toolkit.Call, id toolkit.Opt[string],
	fn func(context.Context, *page.Page) (page.Effect, error),
) (Outcome, error) {
	session := s.Of(call)
	before := map[string]bool{}
	for _, t := range session.Tabs(ctx) {
		before[t.ID] = true
	}
	var out Outcome
	err := s.Do(ctx, call, id, func(ctx context.Context, p *page.Page) (err error) {
		out.Effect, err = fn(ctx, p)
		return err
	})
	if err != nil {
		return out, err
	}
	for _, t := range session.Tabs(ctx) {
		if !before[t.ID] {
			out.Opened = append(out.Opened, t)
		}
	}
	return out, nil
}

// Package tabs implements the tools of area tabs: where tabs point, and which there are.
//
// It knows tabs and addresses; what a page contains is another area's.
package tabs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset/tabsapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/queue"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/text"
)

// Tools are the handlers of the area.
type Tools struct{ sessions session.Lookup }

// New makes the handlers.
func New(sessions session.Lookup) *Tools { return &Tools{sessions: sessions} }

var _ tabsapi.Handlers = (*Tools)(nil)

// Navigate loads an address in the tab, opening one if the session has none.
func (t *Tools) Navigate(ctx context.Context, call *toolkit.Call, in tabsapi.NavigateParams, powers tabsapi.NavigatePowers) (toolkit.Result, error) {
	limit := time.Duration(in.Timeout) * time.Millisecond
	session, tab, err := t.sessions.Set(call).Tab(ctx, in.TabID.Value)
	step := in.URL == "back" || in.URL == "forward"
	call.Progress(0, 0, "loading "+in.URL)
	var nav browser.Navigation
	switch {
	case errors.Is(err, browser.ErrNoTab) && !in.TabID.Set && !step:
		opts := navigateOptions()
		opts.Timeout = limit // of the load: the tab may have to wait for those of other sessions
		tab, nav, err = session.Open(ctx, powers.Window(), powers.Navigation(), in.URL, opts)
	case err == nil:
		loading, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		nav, err = load(loading, powers.Navigation(), tab, in.URL)
	}
	if errors.Is(err, context.DeadlineExceeded) && !saysWhatWasLate(err) {
		ms := min(int64(in.Timeout), call.Tool.Timeout.Milliseconds())
		err = toolkit.Refuse(toolkit.Timeout, fmt.Sprintf("not finished within %d ms", ms), toolkit.Field{Name: "ms", Value: ms})
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(report(call, tab, nav) + result.Then(ctx, call, t.sessions, toolkit.Some(tab.ID()), result.Unasked(string(in.Then.Value), nav.Dialog == nil && !nav.IsDownload && !nav.NoContent))), nil
}

// saysWhatWasLate reports whether the error of a deadline has a text of its own.
func saysWhatWasLate(err error) bool {
	load, opening := (*browser.TimeoutError)(nil), (*queue.TimeoutError)(nil)
	return errors.As(err, &load) || errors.As(err, &opening)
}

func load(ctx context.Context, p power.Navigation, tab *browser.Tab, address string) (browser.Navigation, error) {
	switch address {
	case "back":
		return tab.Back(ctx, p, navigateOptions())
	case "forward":
		return tab.Forward(ctx, p, navigateOptions())
	}
	return tab.Navigate(ctx, p, address, navigateOptions())
}

// PageReload loads the tab's page again.
func (t *Tools) PageReload(ctx context.Context, call *toolkit.Call, in tabsapi.PageReloadParams, powers tabsapi.PageReloadPowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	call.Progress(0, 0, "loading the page")
	nav, err := tab.Reload(ctx, powers.Navigation(), in.IgnoreCache, navigateOptions())
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(report(call, tab, nav)), nil
}

// TabsCreate opens an address in a new tab.
func (t *Tools) TabsCreate(ctx context.Context, call *toolkit.Call, in tabsapi.TabsCreateParams, powers tabsapi.TabsCreatePowers) (toolkit.Result, error) {
	call.Progress(0, 0, "loading "+in.URL)
	tab, nav, err := t.sessions.Set(call).OpenTab(ctx, powers.Window(), powers.Navigation(), session.NewTab{URL: in.URL, Isolated: in.Isolated.Value, Options: navigateOptions()})
	if err != nil {
		err = result.Refusal(call, err)
		if refusal, ok := errors.AsType[*toolkit.Refusal](err); ok && tab != nil {
			refusal.Message = fmt.Sprintf("tab %s is open, but: %s", tab.ID(), refusal.Message)
		}
		return toolkit.Result{}, err
	}
	said := report(call, tab, nav)
	if in.Isolated.Set {
		said += "\nisolated " + in.Isolated.Value + ": its cookies and storage are those of the tabs of this name"
	}
	return toolkit.Text(said), nil
}

// TabsContext lists the session's tabs.
func (t *Tools) TabsContext(ctx context.Context, call *toolkit.Call, in tabsapi.TabsContextParams) (tabsapi.TabsContextResult, error) {
	if _, err := t.sessions.Active(call); err != nil {
		return tabsapi.TabsContextResult{}, err
	}
	tabs := t.sessions.Set(call).FamilyTabs(ctx)
	out := tabsapi.TabsContextResult{TabCount: len(tabs)}
	if in.Summary {
		return out, nil
	}
	for _, tab := range tabs {
		listed := tabsapi.TabsContextResultTabsItem{TabID: tab.ID, URL: tab.URL, Title: tab.Title, Lost: toolkit.NonZero(tab.LossReason), Isolated: toolkit.NonZero(tab.Isolated)}
		if d := tab.Dialog; d != nil {
			listed.Dialog = toolkit.Some(d.Kind + ": " + text.ClipBytes(d.Message, 200))
		}
		out.Tabs = append(out.Tabs, listed)
		if tab.Current {
			out.Current = toolkit.Some(tab.ID)
		}
	}
	return out, nil
}

// TabsClose closes tabs; every one that can be closed is, whatever becomes of the others.
func (t *Tools) TabsClose(ctx context.Context, call *toolkit.Call, in tabsapi.TabsCloseParams) (toolkit.Result, error) {
	ids := in.TabIDs
	if in.TabID.Set {
		ids = append([]string{in.TabID.Value}, ids...)
	}
	var closed, failed []string
	var last error
	for _, id := range ids {
		session, _, err := t.sessions.Set(call).Tab(ctx, id)
		if err == nil {
			err = session.CloseTab(ctx, id)
		}
		if err != nil {
			failed, last = append(failed, err.Error()), err
			continue
		}
		closed = append(closed, id)
	}
	switch {
	case len(closed) == 0:
		return toolkit.Result{}, last
	case len(failed) > 0:
		return toolkit.Textf("closed %s; not closed: %s", strings.Join(closed, ", "), strings.Join(failed, "; ")), nil
	}
	return toolkit.Textf("closed %s", strings.Join(closed, ", ")), nil
}

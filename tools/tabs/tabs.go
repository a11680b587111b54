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
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/answer"
	"github.com/callsheet/callsheet/internal/browser"
)

// Tools are the handlers of the area.
type Tools struct{ sessions answer.Sessions }

// New makes the handlers.
func New(sessions answer.Sessions) *Tools { return &Tools{sessions: sessions} }

var _ toolset.TabsHandlers = (*Tools)(nil)

// Navigate loads an address in the tab, opening one if the session has none.
func (t *Tools) Navigate(ctx context.Context, call *toolkit.Call, in toolset.NavigateParams) (toolkit.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(in.Timeout)*time.Millisecond)
	defer cancel()
	session, tab, err := t.sessions.Set(call).Tab(ctx, in.TabID.Value)
	step := in.URL == "back" || in.URL == "forward"
	if errors.Is(err, browser.ErrNoTab) && !in.TabID.Set && !step {
		tab, _, err = session.Open(ctx, "")
	}
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	nav, err := load(ctx, tab, in.URL)
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	return toolkit.Text(report(tab, nav)), nil
}

func load(ctx context.Context, tab *browser.Tab, address string) (browser.Navigation, error) {
	switch address {
	case "back":
		return tab.Back(ctx, browser.NavigateOptions{})
	case "forward":
		return tab.Forward(ctx, browser.NavigateOptions{})
	}
	return tab.Navigate(ctx, address, browser.NavigateOptions{})
}

// PageReload loads the tab's page again.
func (t *Tools) PageReload(ctx context.Context, call *toolkit.Call, in toolset.PageReloadParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	nav, err := tab.Reload(ctx, in.IgnoreCache, browser.NavigateOptions{})
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	return toolkit.Text(report(tab, nav)), nil
}

// TabsCreate opens an address in a new tab.
func (t *Tools) TabsCreate(ctx context.Context, call *toolkit.Call, in toolset.TabsCreateParams) (toolkit.Result, error) {
	session, err := t.sessions.Of(call)
	if err != nil {
		return toolkit.Result{}, err
	}
	tab, nav, err := session.Open(ctx, in.URL)
	if err != nil {
		if tab != nil {
			err = fmt.Errorf("tab %s is open, but %w", tab.ID(), err)
		}
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	return toolkit.Text(report(tab, nav)), nil
}

// TabsContext lists the session's tabs.
func (t *Tools) TabsContext(ctx context.Context, call *toolkit.Call, in toolset.TabsContextParams) (toolset.TabsContextResult, error) {
	session, err := t.sessions.Of(call)
	if err != nil {
		return toolset.TabsContextResult{}, err
	}
	tabs := session.Tabs(ctx)
	out := toolset.TabsContextResult{TabCount: len(tabs)}
	if in.Summary {
		return out, nil
	}
	for _, tab := range tabs {
		out.Tabs = append(out.Tabs, toolset.TabsContextResultTabsItem{TabID: tab.ID, URL: tab.URL, Title: tab.Title})
		if tab.Current {
			out.Current = toolkit.Some(tab.ID)
		}
	}
	return out, nil
}

// TabsClose closes tabs; every one that can be closed is, whatever becomes of the others.
func (t *Tools) TabsClose(ctx context.Context, call *toolkit.Call, in toolset.TabsCloseParams) (toolkit.Result, error) {
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
		return toolkit.Result{}, answer.Refusal(call, last)
	case len(failed) > 0:
		return toolkit.Textf("closed %s; not closed: %s", strings.Join(closed, ", "), strings.Join(failed, "; ")), nil
	}
	return toolkit.Textf("closed %s", strings.Join(closed, ", ")), nil
}

// report tells where a tab is now: t1 https://example.com/ "Example Domain" 200.
func report(tab *browser.Tab, nav browser.Navigation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q", tab.ID(), nav.URL, nav.Title)
	if nav.Status != 0 {
		fmt.Fprintf(&b, " %d", nav.Status)
	}
	switch {
	case nav.Dialog != nil:
		fmt.Fprintf(&b, "\na %s dialog is open: %q", nav.Dialog.Kind, nav.Dialog.Message)
	case nav.Download:
		b.WriteString("\nthe address is a download; the tab shows what it showed before")
	case nav.NoContent:
		b.WriteString("\nthe server sent no page; the tab shows what it showed before")
	case !nav.Loaded && !nav.SameDocument:
		b.WriteString("\nthe page is usable, but still loading")
	}
	return b.String()
}

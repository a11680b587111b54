// Package storage implements the tools of area storage: what sites keep in the browser.
//
// It must not keep or log any of it.
package storage

import (
	"context"
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

var _ toolset.StorageHandlers = (*Tools)(nil)

// Cookies reads or edits the cookies of the tab's page.
func (t *Tools) Cookies(ctx context.Context, call *toolkit.Call, in toolset.CookiesParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var text string
	switch in.Action {
	case toolset.CookiesActionGet:
		text, err = showCookies(ctx, tab, in)
	case toolset.CookiesActionSet:
		err = tab.SetCookie(ctx, cookie(in))
		text = "set " + in.Name.Value
	case toolset.CookiesActionDelete:
		var n int
		n, err = tab.DeleteCookie(ctx, in.Name.Value)
		text = fmt.Sprintf("deleted %d", n)
	case toolset.CookiesActionClear:
		var n int
		n, err = tab.ClearCookies(ctx)
		text = fmt.Sprintf("cleared %d", n)
	}
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	return toolkit.Text(text), nil
}

func showCookies(ctx context.Context, tab *browser.Tab, in toolset.CookiesParams) (string, error) {
	all, err := tab.Cookies(ctx)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, c := range all {
		if in.Name.Set && c.Name != in.Name.Value || in.Domain.Set && strings.TrimPrefix(c.Domain, ".") != strings.TrimPrefix(in.Domain.Value, ".") {
			continue
		}
		lines = append(lines, line(c))
	}
	if len(lines) == 0 {
		return "no cookie", nil
	}
	return strings.Join(lines, "\n"), nil
}

// line shows a cookie the way a server would set it.
func line(c browser.Cookie) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s=%s; Domain=%s; Path=%s", c.Name, c.Value, c.Domain, c.Path)
	if !c.Expires.IsZero() {
		b.WriteString("; Expires=" + c.Expires.UTC().Format(time.RFC3339))
	}
	if c.Secure {
		b.WriteString("; Secure")
	}
	if c.HTTPOnly {
		b.WriteString("; HttpOnly")
	}
	if c.SameSite != "" {
		b.WriteString("; SameSite=" + c.SameSite)
	}
	return b.String()
}

func cookie(in toolset.CookiesParams) browser.Cookie {
	c := browser.Cookie{
		Name: in.Name.Value, Value: in.Value.Value, Domain: in.Domain.Value, Path: in.Path,
		Secure: in.Secure.Value, HTTPOnly: in.HTTPOnly.Value, SameSite: string(in.SameSite.Value),
	}
	if in.Expires.Set {
		c.Expires = time.UnixMilli(int64(in.Expires.Value * 1000))
	}
	return c
}

// Storage reads or edits the web storage of the tab's origin.
func (t *Tools) Storage(ctx context.Context, call *toolkit.Call, in toolset.StorageParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	store := tab.Storage(browser.StorageKind(in.StorageType))
	var text string
	switch in.Action {
	case toolset.StorageActionGet:
		text, err = showStorage(ctx, store, in.Key)
	case toolset.StorageActionKeys:
		var keys []string
		keys, err = store.Keys(ctx)
		text = fmt.Sprintf("%d keys\n%s", len(keys), strings.Join(keys, "\n"))
	case toolset.StorageActionSet:
		err = store.Set(ctx, in.Key.Value, in.Value.Value)
		text = "set " + in.Key.Value
	case toolset.StorageActionRemove:
		err = store.Remove(ctx, in.Key.Value)
		text = "removed " + in.Key.Value
	case toolset.StorageActionClear:
		err = store.Clear(ctx)
		text = "cleared"
	}
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	return toolkit.Text(text), nil
}

func showStorage(ctx context.Context, store browser.Storage, key toolkit.Opt[string]) (string, error) {
	items, err := store.Items(ctx)
	if err != nil {
		return "", err
	}
	if key.Set {
		value, ok := items[key.Value]
		if !ok {
			return "", toolkit.Refuse(toolkit.NotFound, fmt.Sprintf("no key %q", key.Value))
		}
		return value, nil
	}
	if len(items) == 0 {
		return "empty", nil
	}
	var lines []string
	for _, k := range answer.Sorted(items) {
		lines = append(lines, k+"="+items[k])
	}
	return strings.Join(lines, "\n"), nil
}

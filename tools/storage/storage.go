// Package storage implements the tools of area storage: what sites keep in the browser.
//
// It must not keep or log any of it.
package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset/storageapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/savedsession"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	contexts *identity.Store
	needs    Needs
}

// Needs holds the dependencies of the handlers.
type Needs struct {
	Sessions session.Lookup
	Contexts *identity.Store     // logins of one origin
	Saved    *savedsession.Store // sessions under their names
	Output   *files.Dir          // where state files are exported
	Files    *files.Roots        // what state files may be imported from; nil: nothing
}

// New makes the handlers.
func New(n Needs) *Tools { return &Tools{sessions: n.Sessions, contexts: n.Contexts, needs: n} }

var _ storageapi.Handlers = (*Tools)(nil)

// Cookies reads or edits the cookies of the tab's page.
func (t *Tools) Cookies(ctx context.Context, call *toolkit.Call, in storageapi.CookiesParams, powers storageapi.CookiesPowers) (toolkit.Result, error) {
	if err := cookieNeeds(in); err != nil {
		return toolkit.Result{}, err
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var text string
	switch in.Action {
	case storageapi.CookiesActionGet:
		text, err = showCookies(ctx, powers.Storage(), tab, in)
	case storageapi.CookiesActionSet:
		if in.From.Set {
			text, err = setCookies(ctx, powers.Storage(), tab, in.From.Value)
			break
		}
		var c webstorage.Cookie
		if c, err = cookie(in); err == nil {
			err = webstorage.SetCookie(ctx, tab, powers.Storage(), c)
		}
		text = "set " + in.Name.Value
	case storageapi.CookiesActionDelete:
		var n int
		n, err = webstorage.DeleteCookie(ctx, tab, powers.Storage(), in.Name.Value)
		text = fmt.Sprintf("deleted %d", n)
	case storageapi.CookiesActionClear:
		var n int
		n, err = webstorage.ClearCookies(ctx, tab, powers.Storage())
		text = fmt.Sprintf("cleared %d", n)
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(text), nil
}

func cookieNeeds(in storageapi.CookiesParams) error {
	writes := in.Action == storageapi.CookiesActionSet && !in.From.Set
	if err := result.RequireArgument(string(in.Action), "name", in.Name.Set || !writes && in.Action != storageapi.CookiesActionDelete); err != nil {
		return err
	}
	return result.RequireArgument(string(in.Action), "value", in.Value.Set || !writes)
}

func showCookies(ctx context.Context, p power.Storage, tab *browser.Tab, in storageapi.CookiesParams) (string, error) {
	all, err := webstorage.Cookies(ctx, tab, p)
	if err != nil {
		return "", err
	}
	like, err := cookie(in)
	if err != nil {
		return "", err
	}
	domain := strings.TrimPrefix(like.Domain, ".")
	var lines []string
	for _, c := range all {
		if in.Name.Set && c.Name != in.Name.Value || domain != "" && strings.TrimPrefix(c.Domain, ".") != domain {
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
func line(c webstorage.Cookie) string {
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

func storageNeeds(in storageapi.StorageParams) error {
	writes := in.Action == storageapi.StorageActionSet
	if err := result.RequireArgument(string(in.Action), "key", in.Key.Set || !writes && in.Action != storageapi.StorageActionRemove); err != nil {
		return err
	}
	return result.RequireArgument(string(in.Action), "value", in.Value.Set || !writes)
}

// Storage reads or edits the web storage of the tab's origin.
func (t *Tools) Storage(ctx context.Context, call *toolkit.Call, in storageapi.StorageParams, powers storageapi.StoragePowers) (toolkit.Result, error) {
	if err := storageNeeds(in); err != nil {
		return toolkit.Result{}, err
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	if in.StorageType == storageapi.StorageStorageTypeIndexeddb || in.StorageType == storageapi.StorageStorageTypeCache {
		return scriptOnlyStorage(ctx, powers.Storage(), tab, in)
	}
	store := webstorage.Open(tab, powers.Storage(), webstorage.Kind(in.StorageType))
	var text string
	switch in.Action {
	case storageapi.StorageActionGet:
		text, err = showStorage(ctx, store, in.Key)
	case storageapi.StorageActionKeys:
		var keys []string
		keys, err = store.Keys(ctx)
		text = fmt.Sprintf("%d keys\n%s", len(keys), strings.Join(keys, "\n"))
	case storageapi.StorageActionSet:
		err = store.Set(ctx, in.Key.Value, in.Value.Value)
		text = "set " + in.Key.Value
	case storageapi.StorageActionRemove:
		err = store.Remove(ctx, in.Key.Value)
		text = "removed " + in.Key.Value
	case storageapi.StorageActionClear:
		err = store.Clear(ctx)
		text = "cleared"
	}
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(text), nil
}

// scriptOnlyStorage lists what only scripts can edit.
func scriptOnlyStorage(ctx context.Context, p power.Storage, tab *browser.Tab, in storageapi.StorageParams) (toolkit.Result, error) {
	if in.Action != storageapi.StorageActionKeys {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("%s can be listed only, with action keys", in.StorageType))
	}
	list := webstorage.Databases
	if in.StorageType == storageapi.StorageStorageTypeCache {
		list = webstorage.Caches
	}
	held, err := list(ctx, tab, p)
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(held) == 0 {
		return toolkit.Text("empty"), nil
	}
	lines := slicesx.Map(held, func(h webstorage.Contents) string { return fmt.Sprintf("%s %d", fence.Line(h.Name), h.Count) })
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

func showStorage(ctx context.Context, store webstorage.Area, key toolkit.Opt[string]) (string, error) {
	items, err := store.Items(ctx)
	if err != nil {
		return "", err
	}
	if key.Set {
		value, ok := items[key.Value]
		if !ok {
			return "", toolkit.Refuse(codes.NotFound, fmt.Sprintf("no key %q", key.Value))
		}
		return fence.Block(value, "  "), nil
	}
	if len(items) == 0 {
		return "empty", nil
	}
	lines := slicesx.Map(result.Sorted(items), func(k string) string { return fence.Line(k) + "=" + fence.Block(items[k], "  ") })
	return strings.Join(lines, "\n"), nil
}

package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/answer"
	"github.com/callsheet/callsheet/internal/browser"
	"github.com/callsheet/callsheet/internal/identity"
	"github.com/callsheet/callsheet/internal/seal"
)

// OcContextExport saves what the tab's origin knows the browser by.
func (t *Tools) OcContextExport(ctx context.Context, call *toolkit.Call, in toolset.OcContextExportParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	now, err := capture(ctx, tab, in.IncludeStorage)
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	id, err := t.contexts.Save(now)
	if err != nil {
		return toolkit.Result{}, refusal(err)
	}
	return toolkit.Textf("%s holds %s: cookies %d, storage keys %d", id, now.Origin, len(now.Cookies), len(now.Local)+len(now.Session)), nil
}

// OcContextImport replaces what the tab's origin knows the browser by. When a part of it cannot be written, what was there
// before is put back.
func (t *Tools) OcContextImport(ctx context.Context, call *toolkit.Call, in toolset.OcContextImportParams) (toolkit.Result, error) {
	saved, err := t.contexts.Load(in.ID)
	if err != nil {
		return toolkit.Result{}, refusal(err)
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	before, err := capture(ctx, tab, true)
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	if before.Origin != saved.Origin {
		return toolkit.Result{}, toolkit.Refuse(toolkit.PolicyDenied,
			fmt.Sprintf("the state is of %s and the tab shows %s; open a page of %s first", saved.Origin, before.Origin, saved.Origin),
			toolkit.Field{Name: "origin", Value: saved.Origin})
	}
	if err := apply(ctx, tab, saved); err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return toolkit.Result{}, answer.Refusal(call, errors.Join(err, apply(undo, tab, before)))
	}
	return toolkit.Textf("%s: cookies %d, storage keys %d; reload to use them", saved.Origin, len(saved.Cookies), len(saved.Local)+len(saved.Session)), nil
}

// refusal says what became of a sealed context.
func refusal(err error) error {
	switch {
	case errors.Is(err, identity.ErrUnknown):
		return toolkit.Refuse(toolkit.NotFound, "no state was exported under this id")
	case errors.Is(err, seal.ErrNoKey):
		return toolkit.Refuse(toolkit.PolicyDenied, err.Error(), toolkit.Field{Name: "surface", Value: "file"})
	}
	return toolkit.Refuse(toolkit.Failed, err.Error())
}

// capture reads cookies and storage of a tab's origin.
func capture(ctx context.Context, tab *browser.Tab, storage bool) (identity.Context, error) {
	origin, err := identity.Origin(tab.URL())
	if err != nil {
		return identity.Context{}, err
	}
	out := identity.Context{Origin: origin, Saved: time.Now()}
	cookies, err := tab.Cookies(ctx)
	if err != nil {
		return identity.Context{}, err
	}
	for _, c := range cookies {
		out.Cookies = append(out.Cookies, identity.Cookie(c))
	}
	if !storage {
		return out, nil
	}
	if out.Local, err = tab.Storage(browser.LocalStorage).Items(ctx); err != nil {
		return identity.Context{}, err
	}
	out.Session, err = tab.Storage(browser.SessionStorage).Items(ctx)
	return out, err
}

// apply replaces cookies and storage of a tab's origin.
func apply(ctx context.Context, tab *browser.Tab, c identity.Context) error {
	if _, err := tab.ClearCookies(ctx); err != nil {
		return err
	}
	for _, cookie := range c.Cookies {
		if err := tab.SetCookie(ctx, browser.Cookie(cookie)); err != nil {
			return err
		}
	}
	for kind, items := range map[browser.StorageKind]map[string]string{browser.LocalStorage: c.Local, browser.SessionStorage: c.Session} {
		if items == nil { // not exported
			continue
		}
		store := tab.Storage(kind)
		if err := store.Clear(ctx); err != nil {
			return err
		}
		for key, value := range items {
			if err := store.Set(ctx, key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

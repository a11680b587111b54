// Package storagestate reads and writes the storage state of a tab's origin: cookies, localStorage
// and sessionStorage, which together hold a login.
//
// It is in the layer session because it joins the engine's tabs with the contexts of login,
// which must not know each other. It must not store or print a context, nor know tools: callers
// decide where a context comes from and who may have it.
package storagestate

import (
	"context"
	"errors"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/login/identity"
)

// CheckOrigin returns an error if the tab shows a page of another origin than the context's.
func CheckOrigin(tab *browser.Tab, c identity.Context) error {
	shown, err := identity.Origin(tab.URL())
	if err != nil {
		return err
	}
	if shown != c.Origin {
		return fault.Errorf(codes.PolicyDenied, "the state is of %s and the tab shows %s; open a page of %s first",
			c.Origin, shown, c.Origin).With("origin", c.Origin)
	}
	return nil
}

// restoreLimit bounds the restoration of the earlier state.
const restoreLimit = 5 * time.Second

// Replace writes a context into a tab of its origin. If a write fails, Replace restores the earlier
// state.
func Replace(ctx context.Context, p power.Storage, tab *browser.Tab, c identity.Context) error {
	if err := CheckOrigin(tab, c); err != nil {
		return err
	}
	before, err := Capture(ctx, p, tab, true)
	if err != nil {
		return err
	}
	if err := apply(ctx, p, tab, c); err != nil {
		restoring, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
		defer cancel()
		return errors.Join(err, apply(restoring, p, tab, before))
	}
	return nil
}

// Capture reads the cookies of a tab's origin and, if storage is true, its localStorage and
// sessionStorage.
func Capture(ctx context.Context, p power.Storage, tab *browser.Tab, storage bool) (identity.Context, error) {
	origin, err := identity.Origin(tab.URL())
	if err != nil {
		return identity.Context{}, err
	}
	out := identity.Context{Origin: origin, Saved: time.Now()}
	cookies, err := webstorage.Cookies(ctx, tab, p)
	if err != nil {
		return identity.Context{}, err
	}
	for _, c := range cookies {
		out.Cookies = append(out.Cookies, identity.Cookie(c))
	}
	if !storage {
		return out, nil
	}
	if out.Local, err = webstorage.Open(tab, p, webstorage.Local).Items(ctx); err != nil {
		return identity.Context{}, err
	}
	out.Session, err = webstorage.Open(tab, p, webstorage.Session).Items(ctx)
	return out, err
}

// apply replaces cookies and storage of a tab's origin.
func apply(ctx context.Context, p power.Storage, tab *browser.Tab, c identity.Context) error {
	if _, err := webstorage.ClearCookies(ctx, tab, p); err != nil {
		return err
	}
	for _, cookie := range c.Cookies {
		if err := webstorage.SetCookie(ctx, tab, p, webstorage.Cookie(cookie)); err != nil {
			return err
		}
	}
	for kind, items := range map[webstorage.Kind]map[string]string{
		webstorage.Local: c.Local, webstorage.Session: c.Session,
	} {
		if items == nil { // the context was captured without storage
			continue
		}
		store := webstorage.Open(tab, p, kind)
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

// Package loginstate reads from a tab what a site knows its browser by, and writes it there: the one side of every handing-over
// of a login.
//
// It keeps nothing and shows nothing; where a context comes from and who may have it is its callers' to know.
package loginstate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/identity"
)

// OriginError says that a context is of another origin than the tab.
type OriginError struct{ Of, Shown string }

func (e *OriginError) Error() string {
	return fmt.Sprintf("the state is of %s and the tab shows %s; open a page of %s first", e.Of, e.Shown, e.Of)
}

// Fits refuses a tab of another origin with an *OriginError.
func Fits(tab *browser.Tab, c identity.Context) error {
	shown, err := identity.Origin(tab.URL())
	if err != nil {
		return err
	}
	if shown != c.Origin {
		return &OriginError{Of: c.Origin, Shown: shown}
	}
	return nil
}

// Refusal is an *OriginError as clients are told of it; other errors stay as they are.
func Refusal(err error) error {
	if other, ok := errors.AsType[*OriginError](err); ok {
		return toolkit.Refuse(toolkit.PolicyDenied, other.Error(), toolkit.Field{Name: "origin", Value: other.Of})
	}
	return err
}

// undoTime is how long it may take to put back what was there.
const undoTime = 5 * time.Second

// Replace writes a context into a tab of its origin. When a part of it cannot be written, what was there before is put
// back.
func Replace(ctx context.Context, tab *browser.Tab, c identity.Context) error {
	if err := Fits(tab, c); err != nil {
		return err
	}
	before, err := Capture(ctx, tab, true)
	if err != nil {
		return err
	}
	if err := apply(ctx, tab, c); err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		defer cancel()
		return errors.Join(err, apply(undo, tab, before))
	}
	return nil
}

// Capture reads cookies and, if asked for, storage of a tab's origin.
func Capture(ctx context.Context, tab *browser.Tab, storage bool) (identity.Context, error) {
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

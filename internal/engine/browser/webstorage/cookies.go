package webstorage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

// Cookie is a cookie of the tab's browser context.
type Cookie struct {
	Name     string
	Value    string
	Domain   string    // with a leading dot if subdomains get it too; "" for SetCookie means the host of the page alone
	Path     string    // "" for SetCookie means the directory of the page's URL
	Expires  time.Time // zero for a session cookie
	HTTPOnly bool
	Secure   bool
	SameSite string // Strict, Lax, None or ""
}

// Cookies returns the cookies that the browser would send to the page's URL, in order of their
// names.
func Cookies(ctx context.Context, t Tab, p power.Storage) ([]Cookie, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var cookies []Cookie
	err := withAddress(ctx, t, "read cookies", func(ctx context.Context, s cdp.Session, address string) error {
		var err error
		cookies, err = readCookies(ctx, s, address)
		return err
	})
	return cookies, err
}

// SetCookie creates or replaces a cookie.
func SetCookie(ctx context.Context, t Tab, p power.Storage, c Cookie) error {
	if err := p.Check(); err != nil {
		return err
	}
	return withAddress(ctx, t, "set a cookie", func(ctx context.Context, s cdp.Session, address string) error {
		params := network.SetCookieParams{
			Name: c.Name, Value: c.Value, URL: address, Domain: c.Domain, Path: c.Path,
			Secure: &c.Secure, HTTPOnly: &c.HTTPOnly, SameSite: network.CookieSameSite(c.SameSite),
		}
		if !c.Expires.IsZero() {
			params.Expires = cdp.TimeSinceEpoch(float64(c.Expires.UnixNano()) / 1e9)
		}
		if err := protocol.Exec(ctx, s, network.SetCookie, params); err != nil {
			return fmt.Errorf("set cookie %q for %s: %w", c.Name, address, err)
		}
		return nil
	})
}

// DeleteCookie removes the cookies of this name that apply to the page's URL, and returns their
// number.
func DeleteCookie(ctx context.Context, t Tab, p power.Storage, name string) (int, error) {
	if err := p.Check(); err != nil {
		return 0, err
	}
	return deleteCookies(ctx, t, func(c Cookie) bool { return c.Name == name })
}

// ClearCookies removes all cookies that apply to the page's URL, and returns their number.
func ClearCookies(ctx context.Context, t Tab, p power.Storage) (int, error) {
	if err := p.Check(); err != nil {
		return 0, err
	}
	return deleteCookies(ctx, t, func(Cookie) bool { return true })
}

func deleteCookies(ctx context.Context, t Tab, match func(Cookie) bool) (int, error) {
	deleted := 0
	err := withAddress(ctx, t, "delete cookies", func(ctx context.Context, s cdp.Session, address string) error {
		cookies, err := readCookies(ctx, s, address)
		if err != nil {
			return err
		}
		var errs []error
		for _, c := range cookies {
			if !match(c) {
				continue
			}
			err := protocol.Exec(ctx, s, network.DeleteCookies,
				network.DeleteCookiesParams{Name: c.Name, Domain: c.Domain, Path: c.Path})
			if err != nil {
				errs = append(errs, fmt.Errorf("delete cookie %q: %w", c.Name, err))
				continue
			}
			deleted++
		}
		return errors.Join(errs...)
	})
	return deleted, err
}

// withAddress runs fn under the tab's lock if the page has an http or https URL.
func withAddress(
	ctx context.Context, t Tab, what string, fn func(ctx context.Context, s cdp.Session, address string) error,
) error {
	return do(ctx, t, func(ctx context.Context, s cdp.Session) error {
		address := t.URL()
		if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
			return fault.New(codes.Failed, fmt.Sprintf("%s: %q has no cookies; open an http or https page first", what, address))
		}
		return fn(ctx, s, address)
	})
}

func readCookies(ctx context.Context, s cdp.Session, address string) ([]Cookie, error) {
	res, err := cdp.Call(ctx, s, network.GetCookies, network.GetCookiesParams{URLs: []string{address}})
	if err != nil {
		return nil, fmt.Errorf("read cookies: %w", err)
	}
	cookies := make([]Cookie, 0, len(res.Cookies))
	for _, c := range res.Cookies {
		cookie := Cookie{
			Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path,
			HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite.String(),
		}
		if !c.Session {
			whole, fraction := math.Modf(c.Expires)
			cookie.Expires = time.Unix(int64(whole), int64(fraction*1e9))
		}
		cookies = append(cookies, cookie)
	}
	slices.SortFunc(cookies, func(a, b Cookie) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Domain, b.Domain), strings.Compare(a.Path, b.Path))
	})
	return cookies, nil
}

package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cachestorage"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domstorage"
	"github.com/chromedp/cdproto/indexeddb"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
)

// StorageKind is one of the two web storages.
type StorageKind string

// The web storages.
const (
	LocalStorage   StorageKind = "local"
	SessionStorage StorageKind = "session"
)

// Storage is a web storage of the origin of the tab's page at the time of each call. It does not
// use the page's scripts, which can neither observe nor fake it.
type Storage struct {
	tab   *Tab
	kind  StorageKind
	power power.Storage
}

// Storage returns a web storage of the tab. Its methods return ErrOpaqueOrigin on documents without
// one.
func (t *Tab) Storage(p power.Storage, kind StorageKind) Storage {
	return Storage{tab: t, kind: kind, power: p}
}

// Get returns the value of a key; ok is false if it does not exist.
func (s Storage) Get(ctx context.Context, key string) (value string, ok bool, err error) {
	items, err := s.Items(ctx)
	value, ok = items[key]
	return value, ok, err
}

// Keys returns the keys in alphabetical order.
func (s Storage) Keys(ctx context.Context) ([]string, error) {
	items, err := s.Items(ctx)
	keys := make([]string, 0, len(items))
	for key := range items {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys, err
}

// Items returns all keys with their values.
func (s Storage) Items(ctx context.Context) (map[string]string, error) {
	items := make(map[string]string)
	err := s.do(ctx, "read", func(ctx context.Context, id *domstorage.StorageID) error {
		res, err := cdp.Call(ctx, s.tab.cdp, domstorage.GetDOMStorageItems,
			domstorage.GetDOMStorageItemsParams{StorageID: id})
		for _, item := range res.Entries {
			if len(item) == 2 {
				items[item[0]] = item[1]
			}
		}
		return err
	})
	return items, err
}

// Set writes a key.
func (s Storage) Set(ctx context.Context, key, value string) error {
	return s.do(ctx, "write", func(ctx context.Context, id *domstorage.StorageID) error {
		return call(ctx, s.tab.cdp, domstorage.SetDOMStorageItem,
			domstorage.SetDOMStorageItemParams{StorageID: id, Key: key, Value: value})
	})
}

// Remove deletes a key. An unknown key is not an error.
func (s Storage) Remove(ctx context.Context, key string) error {
	return s.do(ctx, "write", func(ctx context.Context, id *domstorage.StorageID) error {
		return call(ctx, s.tab.cdp, domstorage.RemoveDOMStorageItem,
			domstorage.RemoveDOMStorageItemParams{StorageID: id, Key: key})
	})
}

// Clear deletes all keys.
func (s Storage) Clear(ctx context.Context) error {
	return s.do(ctx, "clear", func(ctx context.Context, id *domstorage.StorageID) error {
		return call(ctx, s.tab.cdp, domstorage.Clear, domstorage.ClearParams{StorageID: id})
	})
}

func (s Storage) do(ctx context.Context, what string, fn func(context.Context, *domstorage.StorageID) error) error {
	if s.kind != LocalStorage && s.kind != SessionStorage {
		return fault.New(codes.Failed, fmt.Sprintf("%s storage: unknown kind %q", what, s.kind))
	}
	if err := s.power.Check(); err != nil {
		return err
	}
	return s.tab.do(ctx, nil, func(ctx context.Context) error {
		t := s.tab
		t.mu.Lock()
		frame := t.frame.id
		t.mu.Unlock()
		res, err := cdp.Call(ctx, t.cdp, storage.GetStorageKey, storage.GetStorageKeyParams{FrameID: frame})
		var refused *cdproto.Error
		if errors.As(err, &refused) || err == nil && !strings.Contains(string(res.StorageKey), "://") {
			return fmt.Errorf("%s %s storage of %s: %w", what, s.kind, t.URL(), ErrOpaqueOrigin)
		}
		if err == nil {
			err = fn(ctx, &domstorage.StorageID{
				StorageKey: domstorage.SerializedStorageKey(res.StorageKey), IsLocalStorage: s.kind == LocalStorage,
			})
		}
		if err != nil {
			return fmt.Errorf("%s %s storage of %s: %w", what, s.kind, t.URL(), err)
		}
		return nil
	})
}

// StorageArea is an object store or a cache of an origin.
type StorageArea struct {
	Name  string // "database/store", or the name of a cache
	Count int    // number of entries
}

// Databases lists the object stores of the IndexedDB databases of the tab's origin.
func (t *Tab) Databases(ctx context.Context, p power.Storage) ([]StorageArea, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var out []StorageArea
	err := t.withStorageKey(ctx, "list databases", func(ctx context.Context, key storage.SerializedStorageKey) error {
		names, err := cdp.Call(ctx, t.cdp, indexeddb.RequestDatabaseNames,
			indexeddb.RequestDatabaseNamesParams{StorageKey: string(key)})
		if err != nil {
			return err
		}
		for _, name := range names.DatabaseNames {
			db, err := cdp.Call(ctx, t.cdp, indexeddb.RequestDatabase,
				indexeddb.RequestDatabaseParams{StorageKey: string(key), DatabaseName: name})
			if err != nil {
				return fmt.Errorf("database %q: %w", name, err)
			}
			for _, s := range db.DatabaseWithObjectStores.ObjectStores {
				meta, err := cdp.Call(ctx, t.cdp, indexeddb.GetMetadata,
					indexeddb.GetMetadataParams{StorageKey: string(key), DatabaseName: name, ObjectStoreName: s.Name})
				if err != nil {
					return fmt.Errorf("database %q, store %q: %w", name, s.Name, err)
				}
				out = append(out, StorageArea{Name: name + "/" + s.Name, Count: int(meta.EntriesCount)})
			}
		}
		return nil
	})
	return out, err
}

// Caches lists the cache storages of the tab's origin.
func (t *Tab) Caches(ctx context.Context, p power.Storage) ([]StorageArea, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var out []StorageArea
	err := t.withStorageKey(ctx, "list caches", func(ctx context.Context, key storage.SerializedStorageKey) error {
		caches, err := cdp.Call(ctx, t.cdp, cachestorage.RequestCacheNames,
			cachestorage.RequestCacheNamesParams{StorageKey: string(key)})
		if err != nil {
			return err
		}
		for _, c := range caches.Caches {
			entries, err := cdp.Call(ctx, t.cdp, cachestorage.RequestEntries,
				cachestorage.RequestEntriesParams{CacheID: c.CacheID, PageSize: 1})
			if err != nil {
				return fmt.Errorf("cache %s: %w", strconv.Quote(c.CacheName), err)
			}
			out = append(out, StorageArea{Name: c.CacheName, Count: int(entries.ReturnCount)})
		}
		return nil
	})
	return out, err
}

// withStorageKey runs fn under the tab's lock with the storage key of the page's origin.
func (t *Tab) withStorageKey(
	ctx context.Context, what string, fn func(context.Context, storage.SerializedStorageKey) error,
) error {
	return t.withAddress(ctx, what, func(ctx context.Context, address string) error {
		t.mu.Lock()
		frame := t.frame.id
		t.mu.Unlock()
		res, err := cdp.Call(ctx, t.cdp, storage.GetStorageKey, storage.GetStorageKeyParams{FrameID: frame})
		var refused *cdproto.Error
		if errors.As(err, &refused) {
			return fmt.Errorf("%s of %s: %w", what, address, ErrOpaqueOrigin)
		}
		if err == nil {
			err = fn(ctx, res.StorageKey)
		}
		if err != nil {
			return fmt.Errorf("%s of %s: %w", what, address, err)
		}
		return nil
	})
}

// Cookie is a cookie of the tab's browser context.
type Cookie struct {
	Name     string
	Value    string
	Domain   string    // with a leading dot if subdomains get it too; "" in SetCookie means the host of the page alone
	Path     string    // "" in SetCookie means the directory of the page's URL
	Expires  time.Time // zero for a session cookie
	HTTPOnly bool
	Secure   bool
	SameSite string // Strict, Lax, None or ""
}

// Cookies returns the cookies that the browser would send to the page's URL, in order of their
// names.
func (t *Tab) Cookies(ctx context.Context, p power.Storage) ([]Cookie, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var cookies []Cookie
	err := t.withAddress(ctx, "read cookies", func(ctx context.Context, address string) error {
		var err error
		cookies, err = t.cookies(ctx, address)
		return err
	})
	return cookies, err
}

// SetCookie creates or replaces a cookie.
func (t *Tab) SetCookie(ctx context.Context, p power.Storage, c Cookie) error {
	if err := p.Check(); err != nil {
		return err
	}
	return t.withAddress(ctx, "set a cookie", func(ctx context.Context, address string) error {
		params := network.SetCookieParams{
			Name: c.Name, Value: c.Value, URL: address, Domain: c.Domain, Path: c.Path,
			Secure: &c.Secure, HTTPOnly: &c.HTTPOnly, SameSite: network.CookieSameSite(c.SameSite),
		}
		if !c.Expires.IsZero() {
			params.Expires = cdp.TimeSinceEpoch(float64(c.Expires.UnixNano()) / 1e9)
		}
		if err := call(ctx, t.cdp, network.SetCookie, params); err != nil {
			return fmt.Errorf("set cookie %q for %s: %w", c.Name, address, err)
		}
		return nil
	})
}

// DeleteCookie removes the cookies of this name that apply to the page's URL, and returns their
// number.
func (t *Tab) DeleteCookie(ctx context.Context, p power.Storage, name string) (int, error) {
	if err := p.Check(); err != nil {
		return 0, err
	}
	return t.deleteCookies(ctx, func(c Cookie) bool { return c.Name == name })
}

// ClearCookies removes all cookies that apply to the page's URL, and returns their number.
func (t *Tab) ClearCookies(ctx context.Context, p power.Storage) (int, error) {
	if err := p.Check(); err != nil {
		return 0, err
	}
	return t.deleteCookies(ctx, func(Cookie) bool { return true })
}

func (t *Tab) deleteCookies(ctx context.Context, match func(Cookie) bool) (int, error) {
	deleted := 0
	err := t.withAddress(ctx, "delete cookies", func(ctx context.Context, address string) error {
		cookies, err := t.cookies(ctx, address)
		if err != nil {
			return err
		}
		var errs []error
		for _, c := range cookies {
			if !match(c) {
				continue
			}
			err := call(ctx, t.cdp, network.DeleteCookies,
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
func (t *Tab) withAddress(ctx context.Context, what string, fn func(ctx context.Context, address string) error) error {
	return t.do(ctx, nil, func(ctx context.Context) error {
		address := t.URL()
		if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
			return fault.New(codes.Failed, fmt.Sprintf("%s: %q has no cookies; open an http or https page first", what, address))
		}
		return fn(ctx, address)
	})
}

func (t *Tab) cookies(ctx context.Context, address string) ([]Cookie, error) {
	res, err := cdp.Call(ctx, t.cdp, network.GetCookies, network.GetCookiesParams{URLs: []string{address}})
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

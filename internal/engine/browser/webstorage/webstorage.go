// Package webstorage reads and changes what a tab's page has stored: cookies, local and session storage.
// It lists databases and caches. It does not use the page's scripts, which can neither observe nor fake it.
//
// It takes a tab by the few methods that it needs. It must not know sessions, browsers or tools.
package webstorage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cachestorage"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/domstorage"
	"github.com/chromedp/cdproto/indexeddb"
	"github.com/chromedp/cdproto/storage"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

// Kind is one of the two web storages.
type Kind string

// The web storages.
const (
	Local   Kind = "local"
	Session Kind = "session"
)

// ErrOpaqueOrigin is returned for the storage of a document without any, such as about:blank or a
// data: URL.
var ErrOpaqueOrigin = fault.New(codes.Failed, "the document has no storage, because its origin is opaque")

// Tab is the tab whose page has the storage.
type Tab interface {
	// Do runs fn with the tab's page while no other call works on it.
	Do(ctx context.Context, fn func(ctx context.Context, p *page.Page) error) error
	// Protocol returns the protocol session of the page.
	Protocol(ctx context.Context) (cdp.Session, error)
	// URL returns the URL of the page.
	URL() string
	// MainFrame returns the id of the main frame.
	MainFrame() cdp.FrameID
}

// do runs fn with the protocol session of the page while no other call works on it.
func do(ctx context.Context, t Tab, fn func(ctx context.Context, s cdp.Session) error) error {
	return t.Do(ctx, func(ctx context.Context, _ *page.Page) error {
		s, err := t.Protocol(ctx)
		if err != nil {
			return err
		}
		return fn(ctx, s)
	})
}

// Area is a web storage of the origin of the tab's page at the time of each call. Its methods return
// ErrOpaqueOrigin on documents without one.
type Area struct {
	tab   Tab
	kind  Kind
	power power.Storage
}

// Open returns a web storage of the tab.
func Open(t Tab, p power.Storage, kind Kind) Area { return Area{tab: t, kind: kind, power: p} }

// Get returns the value of a key; ok is false if it does not exist.
func (a Area) Get(ctx context.Context, key string) (value string, ok bool, err error) {
	items, err := a.Items(ctx)
	value, ok = items[key]
	return value, ok, err
}

// Keys returns the keys in alphabetical order.
func (a Area) Keys(ctx context.Context) ([]string, error) {
	items, err := a.Items(ctx)
	keys := make([]string, 0, len(items))
	for key := range items {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys, err
}

// Items returns all keys with their values.
func (a Area) Items(ctx context.Context) (map[string]string, error) {
	items := make(map[string]string)
	err := a.do(ctx, "read", func(ctx context.Context, s cdp.Session, id *domstorage.StorageID) error {
		res, err := cdp.Call(ctx, s, domstorage.GetDOMStorageItems,
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
func (a Area) Set(ctx context.Context, key, value string) error {
	return a.do(ctx, "write", func(ctx context.Context, s cdp.Session, id *domstorage.StorageID) error {
		return protocol.Exec(ctx, s, domstorage.SetDOMStorageItem,
			domstorage.SetDOMStorageItemParams{StorageID: id, Key: key, Value: value})
	})
}

// Remove deletes a key. An unknown key is not an error.
func (a Area) Remove(ctx context.Context, key string) error {
	return a.do(ctx, "write", func(ctx context.Context, s cdp.Session, id *domstorage.StorageID) error {
		return protocol.Exec(ctx, s, domstorage.RemoveDOMStorageItem,
			domstorage.RemoveDOMStorageItemParams{StorageID: id, Key: key})
	})
}

// Clear deletes all keys.
func (a Area) Clear(ctx context.Context) error {
	return a.do(ctx, "clear", func(ctx context.Context, s cdp.Session, id *domstorage.StorageID) error {
		return protocol.Exec(ctx, s, domstorage.Clear, domstorage.ClearParams{StorageID: id})
	})
}

func (a Area) do(ctx context.Context, what string, fn func(context.Context, cdp.Session, *domstorage.StorageID) error) error {
	if a.kind != Local && a.kind != Session {
		return fault.New(codes.Failed, fmt.Sprintf("%s storage: unknown kind %q", what, a.kind))
	}
	if err := a.power.Check(); err != nil {
		return err
	}
	return do(ctx, a.tab, func(ctx context.Context, s cdp.Session) error {
		res, err := cdp.Call(ctx, s, storage.GetStorageKey, storage.GetStorageKeyParams{FrameID: a.tab.MainFrame()})
		var refused *cdproto.Error
		if errors.As(err, &refused) || err == nil && !strings.Contains(string(res.StorageKey), "://") {
			return fmt.Errorf("%s %s storage of %s: %w", what, a.kind, a.tab.URL(), ErrOpaqueOrigin)
		}
		if err == nil {
			err = fn(ctx, s, &domstorage.StorageID{
				StorageKey: domstorage.SerializedStorageKey(res.StorageKey), IsLocalStorage: a.kind == Local,
			})
		}
		if err != nil {
			return fmt.Errorf("%s %s storage of %s: %w", what, a.kind, a.tab.URL(), err)
		}
		return nil
	})
}

// Contents is the size of an object store or a cache of an origin.
type Contents struct {
	Name  string // "database/store", or the name of a cache
	Count int    // number of entries
}

// Databases lists the object stores of the IndexedDB databases of the tab's origin.
func Databases(ctx context.Context, t Tab, p power.Storage) ([]Contents, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var out []Contents
	err := withStorageKey(ctx, t, "list databases", func(ctx context.Context, s cdp.Session, key storage.SerializedStorageKey) error {
		names, err := cdp.Call(ctx, s, indexeddb.RequestDatabaseNames,
			indexeddb.RequestDatabaseNamesParams{StorageKey: string(key)})
		if err != nil {
			return err
		}
		for _, name := range names.DatabaseNames {
			db, err := cdp.Call(ctx, s, indexeddb.RequestDatabase,
				indexeddb.RequestDatabaseParams{StorageKey: string(key), DatabaseName: name})
			if err != nil {
				return fmt.Errorf("database %q: %w", name, err)
			}
			for _, o := range db.DatabaseWithObjectStores.ObjectStores {
				meta, err := cdp.Call(ctx, s, indexeddb.GetMetadata,
					indexeddb.GetMetadataParams{StorageKey: string(key), DatabaseName: name, ObjectStoreName: o.Name})
				if err != nil {
					return fmt.Errorf("database %q, store %q: %w", name, o.Name, err)
				}
				out = append(out, Contents{Name: name + "/" + o.Name, Count: int(meta.EntriesCount)})
			}
		}
		return nil
	})
	return out, err
}

// Caches lists the cache storages of the tab's origin.
func Caches(ctx context.Context, t Tab, p power.Storage) ([]Contents, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var out []Contents
	err := withStorageKey(ctx, t, "list caches", func(ctx context.Context, s cdp.Session, key storage.SerializedStorageKey) error {
		caches, err := cdp.Call(ctx, s, cachestorage.RequestCacheNames,
			cachestorage.RequestCacheNamesParams{StorageKey: string(key)})
		if err != nil {
			return err
		}
		for _, c := range caches.Caches {
			entries, err := cdp.Call(ctx, s, cachestorage.RequestEntries,
				cachestorage.RequestEntriesParams{CacheID: c.CacheID, PageSize: 1})
			if err != nil {
				return fmt.Errorf("cache %s: %w", strconv.Quote(c.CacheName), err)
			}
			out = append(out, Contents{Name: c.CacheName, Count: int(entries.ReturnCount)})
		}
		return nil
	})
	return out, err
}

// withStorageKey runs fn under the tab's lock with the storage key of the page's origin.
func withStorageKey(
	ctx context.Context, t Tab, what string, fn func(context.Context, cdp.Session, storage.SerializedStorageKey) error,
) error {
	return withAddress(ctx, t, what, func(ctx context.Context, s cdp.Session, address string) error {
		res, err := cdp.Call(ctx, s, storage.GetStorageKey, storage.GetStorageKeyParams{FrameID: t.MainFrame()})
		var refused *cdproto.Error
		if errors.As(err, &refused) {
			return fmt.Errorf("%s of %s: %w", what, address, ErrOpaqueOrigin)
		}
		if err == nil {
			err = fn(ctx, s, res.StorageKey)
		}
		if err != nil {
			return fmt.Errorf("%s of %s: %w", what, address, err)
		}
		return nil
	})
}

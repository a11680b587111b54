package browser

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cachestorage"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/indexeddb"
	"github.com/chromedp/cdproto/storage"
)

// StorageArea is a named collection of things that a site keeps in the browser.
type StorageArea struct {
	Name  string // "database/store" or the name of a cache
	Count int    // entries in it
}

// Databases lists the object stores of the IndexedDB databases of the tab's origin.
func (t *Tab) Databases(ctx context.Context) ([]StorageArea, error) {
	var out []StorageArea
	err := t.withStorageKey(ctx, "list databases", func(ctx context.Context, key storage.SerializedStorageKey) error {
		names, err := cdp.Call(ctx, t.cdp, indexeddb.RequestDatabaseNames, indexeddb.RequestDatabaseNamesParams{StorageKey: string(key)})
		if err != nil {
			return err
		}
		for _, name := range names.DatabaseNames {
			db, err := cdp.Call(ctx, t.cdp, indexeddb.RequestDatabase, indexeddb.RequestDatabaseParams{StorageKey: string(key), DatabaseName: name})
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
func (t *Tab) Caches(ctx context.Context) ([]StorageArea, error) {
	var out []StorageArea
	err := t.withStorageKey(ctx, "list caches", func(ctx context.Context, key storage.SerializedStorageKey) error {
		caches, err := cdp.Call(ctx, t.cdp, cachestorage.RequestCacheNames, cachestorage.RequestCacheNamesParams{StorageKey: string(key)})
		if err != nil {
			return err
		}
		for _, c := range caches.Caches {
			entries, err := cdp.Call(ctx, t.cdp, cachestorage.RequestEntries, cachestorage.RequestEntriesParams{CacheID: c.CacheID, PageSize: 1})
			if err != nil {
				return fmt.Errorf("cache %s: %w", strconv.Quote(c.CacheName), err)
			}
			out = append(out, StorageArea{Name: c.CacheName, Count: int(entries.ReturnCount)})
		}
		return nil
	})
	return out, err
}

// withStorageKey runs fn under the tab's lock with the key of what its page's origin keeps.
func (t *Tab) withStorageKey(ctx context.Context, what string, fn func(context.Context, storage.SerializedStorageKey) error) error {
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

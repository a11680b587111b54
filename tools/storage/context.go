package storage

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/storageapi"
	"github.com/callsheet/callsheet/internal/session/storagestate"
)

// OcContextExport saves what the tab's origin knows the browser by.
func (t *Tools) OcContextExport(ctx context.Context, call *toolkit.Call, in storageapi.OcContextExportParams, powers storageapi.OcContextExportPowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	now, err := storagestate.Capture(ctx, powers.Storage(), tab, in.IncludeStorage)
	if err != nil {
		return toolkit.Result{}, err
	}
	id, err := t.contexts.Of(ctx).Save(powers.Secret(), now)
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("%s holds %s: cookies %d, storage keys %d", id, now.Origin, len(now.Cookies), len(now.Local)+len(now.Session)), nil
}

// OcContextImport replaces what the tab's origin knows the browser by. When a part of it cannot be
// written, what was there before is put back.
func (t *Tools) OcContextImport(ctx context.Context, call *toolkit.Call, in storageapi.OcContextImportParams, powers storageapi.OcContextImportPowers) (toolkit.Result, error) {
	saved, err := t.contexts.Of(ctx).Load(powers.Secret(), in.ID)
	if err != nil {
		return toolkit.Result{}, err
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := storagestate.Replace(ctx, powers.Storage(), tab, saved); err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Textf("%s: cookies %d, storage keys %d; reload to use them", saved.Origin, len(saved.Cookies), len(saved.Local)+len(saved.Session)), nil
}

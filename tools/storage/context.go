package storage

import (
	"context"
	"errors"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session/storagestate"
	"github.com/callsheet/callsheet/internal/storage/seal"
)

// OcContextExport saves what the tab's origin knows the browser by.
func (t *Tools) OcContextExport(ctx context.Context, call *toolkit.Call, in toolset.OcContextExportParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	now, err := storagestate.Capture(ctx, tab, in.IncludeStorage)
	if err != nil {
		return toolkit.Result{}, result.Refusal(call, err)
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
	if err := storagestate.Replace(ctx, tab, saved); err != nil {
		return toolkit.Result{}, result.Refusal(call, storagestate.Refusal(err))
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

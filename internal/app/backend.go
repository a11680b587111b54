package app

import (
	"cmp"
	"context"

	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// Backend is the part of an App that others in the same process can share: the browser, the
// connections of every session, and the artifacts that downloads become.
type Backend struct {
	Connections *session.Registry
	Artifacts   *artifact.Store
}

// NewBackend returns the backend that the configuration describes. It starts nothing.
func NewBackend(cfg Config) (*Backend, error) {
	dir, err := statedir.New(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	artifacts := artifact.New(dir, 0)
	if cfg.Vault != nil {
		artifacts = artifacts.WithRedaction(cfg.Vault.RedactReader)
	}
	output, _, err := cfg.directories(dir)
	if err != nil {
		return nil, err
	}
	own := cfg.ownBrowser()
	own.Downloads, own.Conceal = session.DownloadStore{Artifacts: artifacts, Output: output}, cfg.Vault.Values()
	connections := session.New(session.Config{
		Browser: own, Endpoints: cfg.Endpoints,
		// Clients of one server never share cookies, except where there is only one.
		Shared: func(id string) bool { return id == cmp.Or(cfg.SharedSession, StdioSession) },
	})
	return &Backend{Connections: connections, Artifacts: artifacts}, nil
}

// Close ends every connection and the browser.
func (b *Backend) Close(ctx context.Context) error { return b.Connections.Close(ctx) }

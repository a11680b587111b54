package app

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/engine/screencast"
	"github.com/callsheet/callsheet/internal/engine/video"
	"github.com/callsheet/callsheet/internal/policy/enforce"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/session/control"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/ui/live"
	"github.com/callsheet/callsheet/internal/webmcp/pagelock"
)

// Backend is the part of an App that others in the same process can share: the browser, the
// connections of every session, and the artifacts that downloads become.
type Backend struct {
	Connections *session.Registry
	Artifacts   *artifact.Store
	Policy      *enforce.Enforcer
	Live        *live.Hub               // calls and questions, for people who watch
	Screencasts *screencast.Screencasts // of the tabs that people watch or record
	Videos      *video.Recorder
	Control     *control.Controls
	PageLock    *pagelock.Lock // of the tools of pages; nil where they are off

	user     *profileUser
	sessions *sessionSaver
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
	user := &profileUser{id: cfg.SharedSession}
	output, _, err := cfg.directories(dir, user)
	if err != nil {
		return nil, err
	}
	guard, err := newEnforcer(cfg, user)
	if err != nil {
		return nil, err
	}
	saver, err := newSessionSaver(cfg, dir, user)
	if err != nil {
		return nil, err
	}
	own := cfg.ownBrowser()
	if saver.isNeeded() {
		own.InitialState = saver.initialState
	}
	own.Guard, own.Conceal = guard, cfg.Vault.Forms()
	own.Downloads = guard.Downloads(session.DownloadStore{Artifacts: artifacts, Output: output})
	pageTools, pageLock := cfg.pageTools(dir)
	connections := session.New(session.Config{
		Browser: own, Endpoints: cfg.Endpoints, Clients: cfg.Clients,
		// Clients of one server never share cookies, except where there is only one.
		Shared: user.is, PageTools: pageTools,
	})
	guard.SetDocument(func(call *toolkit.Call, args []byte) enforce.Document { return documentOf(connections.Set, call, args) })
	hub := live.New()
	hub.Describe = describeForWatcher(cfg.Vault)
	guard.SetReviewer(hub)
	casts := new(screencast.Screencasts)
	return &Backend{
		Connections: connections, Artifacts: artifacts, Policy: guard, Live: hub, Screencasts: casts,
		Videos: video.New(casts, artifacts, video.NewEncoder(own), cfg.logger()), Control: control.New(connections, cfg.Control), PageLock: pageLock, user: user, sessions: saver,
	}, nil
}

// Close saves the sessions that are kept, makes the videos that are being recorded, and ends every connection and the browser.
func (b *Backend) Close(ctx context.Context) error {
	defer b.Policy.Close()
	b.Control.Close()
	b.sessions.endAll(ctx, b.Connections)
	b.Videos.Close(ctx)
	return b.Connections.Close(ctx)
}

// profileUser is the one session that works with the cookies of the browser's profile.
type profileUser struct {
	mu sync.Mutex
	id string // "" until the first client on standard input and output has called
}

// is reports whether this is the session.
func (p *profileUser) is(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.id == "" && strings.HasPrefix(id, mcpserver.LinePrefix) {
		p.id = id
	}
	return id == p.id || id == StdioSession && (p.id == "" || strings.HasPrefix(p.id, mcpserver.LinePrefix))
}

// name returns the session, or that of the command line while no client has called.
func (p *profileUser) name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.id, StdioSession)
}

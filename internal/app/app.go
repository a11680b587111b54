package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app/metrics"
	"github.com/callsheet/callsheet/internal/app/server"
	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/totp"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/site/host"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/tools"
)

// sessionEndTime bounds the end of one session whose client has gone.
const sessionEndTime = 5 * time.Second

// App is a surface of tools with everything behind its handlers.
type App struct {
	*Backend

	Surface   *toolkit.Surface
	Store     *database.Store
	Workflows *workflow.Set    // nil without workflows
	Metrics   *metrics.Metrics // nil without Config.Metrics

	version      string
	maxSessions  int
	sessionLimit mcpserver.SessionLimit // of every server of the App
	optIn        []string               // capabilities that every surface has beside those that are on
	layers       []toolkit.Middleware
	recorder     *recorder.Recorder
	journal      *journal.Journal // nil where none is kept
	site         host.Site        // nil without a site
	jobs         *JobRunner
	subject      doctor.Subject
	ownsBackend  bool
	redact       func(string) string // takes the vault's secrets out of a text
	ending       context.Context     // done when Close begins
	end          context.CancelFunc
	log          *slog.Logger

	watched  sync.Once
	mu       sync.Mutex
	surfaces []*toolkit.Surface // besides Surface
}

// New joins tools, sessions, stores and layers. It starts nothing: the first call that needs a
// browser or a database does. Its errors are mistakes in the configuration.
func New(cfg Config) (*App, error) {
	dir, err := statedir.New(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	a := &App{Backend: cfg.Backend, Store: database.New(dir), version: cfg.Version, maxSessions: cfg.MaxSessions, optIn: cfg.Surface.OptIn, redact: cfg.Vault.Redact, log: cfg.logger()}
	a.ending, a.end = context.WithCancel(context.Background())
	if a.Backend == nil {
		if a.Backend, err = NewBackend(cfg); err != nil {
			return nil, err
		}
		a.ownsBackend = true
	}
	a.jobs = newJobRunner(cfg, dir, a.Connections.Pool(), a.Policy)
	a.recorder = newRecorder(cfg, a.Store, a.Backend)
	needs, err := a.needs(cfg, dir)
	if err != nil {
		return nil, err
	}
	registry, err := a.withWorkflows(cfg, a.Policy.Wrap(a.Connections.RefreshAfterCalls(tools.Registry(needs))))
	if err == nil {
		registry, err = a.withSite(cfg, registry)
	}
	if err != nil {
		return nil, errors.Join(err, a.Workflows.Close(context.Background()))
	}
	if cfg.Metrics {
		a.Metrics = metrics.New(cfg.Version, a.state)
	}
	a.layers = a.newLayers(cfg, dir)
	cfg.Surface.Visibility = cmp.Or(cfg.Surface.Visibility, toolkit.Core)
	if a.Surface, err = toolkit.NewSurface(registry, cfg.Surface, a.layers...); err != nil {
		return nil, errors.Join(err, a.Workflows.Close(context.Background()))
	}
	return a, nil
}

// needs collects the dependencies of the handlers.
func (a *App) needs(cfg Config, dir statedir.Dir) (tools.Needs, error) {
	output, roots, err := cfg.directories(dir, a.user)
	if err != nil {
		return tools.Needs{}, err
	}
	own, sealer := a.Connections.OwnBrowser(), cfg.sealer()
	a.subject = doctor.Subject{Browser: cfg.ownBrowser(), State: dir, Store: a.Store, UnboundSecrets: cfg.Vault.Unbound()}
	needs := tools.Needs{
		Browser: own, Sessions: a.Connections.Set, Output: output, Files: roots, Artifacts: a.Artifacts, Store: a.Store,
		Jobs: a.jobs.Jobs, Crawler: a.jobs.crawler,
		Codes: totp.New(totp.NewFile(dir, sealer)), CodeDigits: cfg.CodeDigits, Contexts: identity.New(dir, sealer), Saved: a.sessions.store, Exemplars: live.NewExemplars(dir, a.Artifacts.Baselines()),
		Subject: a.subject, Reach: cfg.Reach,
		Vault: cfg.Vault, Redact: cfg.Vault.Redact, Videos: a.Videos, Recorder: a.recorder,
	}
	if a.PageLock != nil {
		needs.PageLock = a.PageLock
	}
	return needs, nil
}

// ScopeSurface returns the surface of one frozen scope, with the registry and the layers of the
// App's own.
func (a *App) ScopeSurface(scope string) (*toolkit.Surface, error) {
	return a.newSurface(toolkit.Options{Scope: scope, OptIn: a.optIn, Visibility: a.Surface.Options().Visibility})
}

// PowerSurface returns the App's own surface for calls that have these powers alone; nil stands for every power.
func (a *App) PowerSurface(powers []string) (*toolkit.Surface, error) {
	if powers == nil {
		return a.Surface, nil
	}
	opt := a.Surface.Options()
	opt.Powers = powers
	return a.newSurface(opt)
}

// newSurface returns a surface of the App's registry and layers, which gets other rows when that of the App does.
func (a *App) newSurface(opt toolkit.Options) (*toolkit.Surface, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, err := toolkit.NewSurface(a.Surface.Registry(), opt, a.layers...)
	if err == nil {
		a.surfaces = append(a.surfaces, s)
	}
	return s, err
}

// Server returns a protocol server of a surface. From the first server on, the files of workflows are watched.
func (a *App) Server(surface *toolkit.Surface) *mcpserver.Server {
	a.watched.Do(a.watchWorkflows)
	return mcpserver.New(surface, mcpserver.Options{
		Name: "callsheet", Title: "Callsheet", Version: a.version, Instructions: server.Instructions(surface),
		SessionEnded: a.EndSession, SessionOf: server.SessionOf, MaxSessions: a.maxSessions, Limit: &a.sessionLimit, Resources: server.Resources{Store: a.Artifacts}, Logger: a.log,
		StateHeader: "Callsheet-Session", StateMeta: "callsheet/session",
	})
}

// Session returns the connections of a client.
func (a *App) Session(id string) *session.Set { return a.Connections.Set(id) }

// Recorder returns the recorder of the sessions.
func (a *App) Recorder() *recorder.Recorder { return a.recorder }

// EndSession stops the recording of a client that has gone, and closes its connections.
func (a *App) EndSession(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), sessionEndTime)
	defer cancel()
	a.Workflows.EndSession(id)
	a.recorder.End(id)
	a.Policy.EndSession(id)
	a.Control.EndSession(id)
	if a.site != nil {
		a.site.EndSession(id)
	}
	a.sessions.end(ctx, a.Connections, id)
	if err := a.Connections.End(ctx, id); err != nil {
		a.log.Warn("end the connections of a client that has gone", "session", id, "error", err)
	}
	a.sessions.forget(id)
}

// Busy reports whether this process works on jobs.
func (a *App) Busy() bool { return a.jobs.Jobs.Working() }

// Close ends everything that New and the calls started. A backend of the configuration stays.
func (a *App) Close(ctx context.Context) error {
	a.end()
	errs := []error{a.Workflows.Close(ctx), a.jobs.Close(ctx)}
	a.recorder.Close()
	if a.ownsBackend {
		errs = append(errs, a.Backend.Close(ctx))
	}
	return errors.Join(append(errs, a.Store.Close())...)
}

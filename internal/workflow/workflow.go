// Package workflow turns YAML workflows into tools. Each workflow of a directory becomes one row of
// the tool table, with an input schema compiled from its parameters. The tools that its steps call
// stay hidden from clients.
//
// It combines definition (parsing and checking), runner (execution), summary (reports) and external
// (other MCP servers) with the toolkit's dispatcher. It must not know the MCP protocol or the
// command line.
package workflow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/summary"
)

// Scope names the tool scope that holds only workflows.
const Scope = "workflows"

// area is the area of every workflow in the tool table.
const area = "workflows"

// Config configures Open. Only Path is required.
type Config struct {
	Path      string          // a directory or one file
	State     statedir.Dir    // keeps the catalogs of servers
	Locked    bool            // refuse a server whose tools differ from servers.lock.json
	Artifacts *artifact.Store // stores content that is too large for a result; nil sends it inline
	Output    *files.Dir      // where saveTo writes; nil refuses it
	Model     *summary.Endpoint
	Log       *slog.Logger
	Version   string
	Browse    func(address string) error // opens a URL in the user's browser during a login
	Transport http.RoundTripper          // sends the requests to servers over HTTP; nil means http.DefaultTransport
	Guard     Guard                      // holds calls to what the operator allows; nil allows all
}

// Guard decides about calls of workflows and of the servers behind them.
type Guard interface {
	// WrapWorkflow puts the decisions about calls of a workflow around its handler. It changes t.
	WrapWorkflow(t *toolkit.Tool)
	// CheckServerTool returns the refusal of a step's call of a tool of a server, or nil. name is
	// SERVER:TOOL, and call is that of the workflow.
	CheckServerTool(ctx context.Context, call *toolkit.Call, name string, args []byte) error
}

// Set holds the workflows of one directory and the external servers that they call.
type Set struct {
	cfg            Config
	builtinCatalog external.Catalog
	builtin        *toolkit.Registry // without workflows; nil until Compose

	now              atomic.Pointer[generation]
	sessionLocks     sync.Map // session ID → chan struct{}: one run at a time with the browser of a session
	pendingSummaries pendingSummaries
	schemas          definition.SchemaCache

	relist chan struct{} // rows of the tool table have changed; of size 1

	mu      sync.Mutex
	retired []*servers // replaced ones whose runs have not ended

	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
}

// Open reads the workflow files and servers.json. It starts no process and opens no connection.
func Open(cfg Config) (*Set, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Set{cfg: cfg, relist: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	found, err := findFiles(cfg.Path)
	if err != nil {
		return nil, err
	}
	first := &generation{set: s, found: found}
	if first.definitions, err = found.load(); err != nil {
		return nil, err
	}
	if first.servers, err = s.openServers(found.servers); err != nil {
		return nil, err
	}
	s.now.Store(first)
	return s, nil
}

// openServers reads servers.json at a path; nil when that is "".
func (s *Set) openServers(path string) (*servers, error) {
	if path == "" {
		return nil, nil
	}
	reg, err := external.Open(external.Config{
		Files: []string{path}, State: s.cfg.State, Locked: s.cfg.Locked, Logger: s.cfg.Log, Version: s.cfg.Version,
		Changed: s.rebind, Browse: s.cfg.Browse, Transport: s.cfg.Transport,
	})
	if err != nil {
		return nil, err
	}
	return &servers{Registry: reg, log: s.cfg.Log}, nil
}

// Diagnostics returns the problems of the workflow files and of servers.json, sorted.
func (s *Set) Diagnostics() diag.List {
	return s.generation().diagnostics()
}

// Source returns the reader of source lines that prints diagnostics.
func (s *Set) Source() diag.Source { return s.generation().definitions.Source }

// Registry returns the external servers, or nil without servers.json.
func (s *Set) Registry() *external.Registry { return s.generation().registry() }

// Workflows returns the workflows without errors, sorted by name.
func (s *Set) Workflows() []*definition.Workflow { return s.generation().definitions.Workflows }

// Close stops all external servers and waits for them. It accepts a nil Set.
func (s *Set) Close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.cancel()
	s.tasks.Wait() // after it, nothing is reloaded
	s.mu.Lock()
	open := append(slices.Clone(s.retired), s.generation().servers)
	s.mu.Unlock()
	var errs []error
	for _, o := range open {
		if o != nil {
			errs = append(errs, o.Close(ctx))
		}
	}
	return errors.Join(errs...)
}

// Compose returns the registry with a row for each workflow. It logs and omits a workflow with an
// error. It returns an error if a workflow has the name of a built-in tool or if no workflow is
// left.
func (s *Set) Compose(reg *toolkit.Registry) (*toolkit.Registry, error) {
	s.builtin, s.builtinCatalog = reg, builtinCatalog(reg)
	g := s.generation()
	all := append(g.diagnostics(), g.compose()...)
	s.logDiagnostics(all)
	if len(g.tools) == 0 {
		return nil, fmt.Errorf("no workflow in %s is usable; see callsheet workflow validate:\n%s", s.cfg.Path,
			all.Text(s.Source()))
	}
	out, err := reg.With(toolkit.Capability{Name: "workflow", Title: "Workflows",
		Description: "Steps over several tools as one."}, Scope, g.rows())
	if err != nil {
		return nil, fmt.Errorf("add the workflows of %s: %w", s.cfg.Path, err)
	}
	s.tasks.Go(s.refreshStaleServers)
	return out, nil
}

// logDiagnostics logs each diagnostic as one record.
func (s *Set) logDiagnostics(list diag.List) {
	for _, d := range list.Sorted() {
		level := slog.LevelWarn
		if d.Severity == diag.Error {
			level = slog.LevelError
		}
		s.cfg.Log.Log(s.ctx, level, "workflows: "+d.Message, "at", d.Pos.String(), "hint", d.Hint, "rule", d.Rule)
	}
}

// refreshStaleServers fetches the catalogs of servers that workflows need and that are unknown, or
// whose stored catalog does not fit.
func (s *Set) refreshStaleServers() {
	g := s.generation()
	if g.servers == nil {
		return
	}
	var stale []string
	for _, e := range g.tools {
		for _, alias := range e.staleServers() {
			if !slices.Contains(stale, alias) {
				stale = append(stale, alias)
			}
		}
	}
	if len(stale) == 0 {
		return
	}
	failed := g.servers.Discover(s.ctx, stale...)
	for alias, err := range failed {
		if s.ctx.Err() == nil {
			s.cfg.Log.Error("workflows: list the tools of a server", "server", alias, "error", err)
		}
	}
	for _, e := range g.tools {
		needed := e.staleServers()
		if len(needed) == 0 {
			continue
		}
		s.logDiagnostics(e.bind())
		if !slices.ContainsFunc(needed, func(alias string) bool { return failed[alias] != nil }) && e.confirm() {
			s.relistSoon()
		}
	}
}

// rebind binds the workflows that call a server again, because its tools changed.
func (s *Set) rebind(alias string) {
	for _, e := range s.generation().tools {
		if slices.Contains(e.definition.Aliases(), alias) {
			s.logDiagnostics(e.bind())
			if e.confirm() {
				s.relistSoon()
			}
		}
	}
}

// relistSoon has Watch bring the tool table up to date, from any goroutine.
func (s *Set) relistSoon() {
	select {
	case s.relist <- struct{}{}:
	default: // it will
	}
}

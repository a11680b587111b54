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
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
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
}

// Set holds the workflows of one directory and the external servers that they call.
type Set struct {
	cfg            Config
	definitions    *definition.Definitions
	registry       *external.Registry // nil without servers.json
	builtinCatalog external.Catalog

	tools            []*tool
	sessionLocks     sync.Map // session ID → chan struct{}: one run at a time with the browser of a session
	pendingSummaries pendingSummaries
	schemas          definition.SchemaCache

	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
}

// Open reads the workflow files and servers.json. It starts no process and opens no connection.
func Open(cfg Config) (*Set, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	files, servers, err := findFiles(cfg.Path)
	if err != nil {
		return nil, err
	}
	s := &Set{cfg: cfg, definitions: definition.Load(files)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if servers != "" {
		s.registry, err = external.Open(external.Config{
			Files: []string{servers}, State: cfg.State, Locked: cfg.Locked, Logger: cfg.Log, Version: cfg.Version,
			Changed: s.rebind, Browse: cfg.Browse,
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// serversFile is the name of the server configuration in the workflow directory.
const serversFile = "servers.json"

// findFiles reads the YAML files at a path, sorted by name. The second result is the path of
// servers.json, or "" if there is none.
func findFiles(path string) (files []spec.File, servers string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("open the workflows: %w", err)
	}
	dir, names := path, []string{}
	if info.IsDir() {
		err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			switch ext := strings.ToLower(filepath.Ext(name)); {
			case err != nil:
				return err
			case d.IsDir() && name != path && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
				return fs.SkipDir
			case !d.IsDir() && (ext == ".yaml" || ext == ".yml"):
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return nil, "", fmt.Errorf("open the workflows: %w", err)
		}
		if len(names) == 0 {
			return nil, "", fmt.Errorf("open the workflows: no .yaml file in %s", path)
		}
	} else {
		dir, names = filepath.Dir(path), []string{path}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, "", fmt.Errorf("open the workflows: %w", err)
		}
		files = append(files, spec.File{Name: filepath.ToSlash(name), Data: data})
	}
	servers = filepath.Join(dir, serversFile)
	if _, err := os.Stat(servers); errors.Is(err, fs.ErrNotExist) {
		servers = ""
	}
	return files, servers, nil
}

// Diagnostics returns the problems of the workflow files and of servers.json, sorted.
func (s *Set) Diagnostics() diag.List {
	out := slices.Clone(s.definitions.Diags)
	if s.registry != nil {
		out = append(out, s.registry.Diagnostics()...)
	}
	return out.Sorted()
}

// Source returns the reader of source lines that prints diagnostics.
func (s *Set) Source() diag.Source { return s.definitions.Source }

// Registry returns the external servers, or nil without servers.json.
func (s *Set) Registry() *external.Registry { return s.registry }

// Workflows returns the workflows without errors, sorted by name.
func (s *Set) Workflows() []*definition.Workflow { return s.definitions.Workflows }

// Close stops all external servers and waits for them. It accepts a nil Set.
func (s *Set) Close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.cancel()
	var err error
	if s.registry != nil {
		err = s.registry.Close(ctx)
	}
	s.tasks.Wait()
	return err
}

// Compose returns the registry with a row for each workflow. It logs and omits a workflow with an
// error. It returns an error if a workflow has the name of a built-in tool or if no workflow is
// left.
func (s *Set) Compose(reg *toolkit.Registry) (*toolkit.Registry, error) {
	s.builtinCatalog = builtinCatalog(reg)
	all := s.Diagnostics()
	var rows []toolkit.Tool
	for _, w := range s.definitions.Workflows {
		e := &tool{set: s, definition: w}
		e.bind()
		all = append(all, e.diags...)
		if e.isUnfixable() {
			continue
		}
		s.tools = append(s.tools, e)
		rows = append(rows, e.row())
	}
	s.logDiagnostics(all)
	if len(rows) == 0 {
		return nil, fmt.Errorf("no workflow in %s is usable; see callsheet workflow validate:\n%s", s.cfg.Path,
			s.formatDiagnostics(all))
	}
	out, err := reg.With(toolkit.Capability{Name: "workflow", Title: "Workflows",
		Description: "Steps over several tools as one."}, Scope, rows)
	if err != nil {
		return nil, fmt.Errorf("add the workflows of %s: %w", s.cfg.Path, err)
	}
	s.tasks.Go(s.refreshStaleServers)
	return out, nil
}

func (s *Set) formatDiagnostics(list diag.List) string {
	var b strings.Builder
	_ = list.Sorted().Fprint(&b, diag.Text, s.Source()) // a strings.Builder never fails
	return strings.TrimRight(b.String(), "\n")
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
	if s.registry == nil {
		return
	}
	var stale []string
	for _, e := range s.tools {
		for _, alias := range e.staleServers() {
			if !slices.Contains(stale, alias) {
				stale = append(stale, alias)
			}
		}
	}
	if len(stale) == 0 {
		return
	}
	for alias, err := range s.registry.Discover(s.ctx, stale...) {
		if s.ctx.Err() == nil {
			s.cfg.Log.Error("workflows: list the tools of a server", "server", alias, "error", err)
		}
	}
	for _, e := range s.tools {
		if len(e.staleServers()) > 0 {
			s.logDiagnostics(e.bind())
		}
	}
}

// rebind binds the workflows that call a server again, because its tools changed.
func (s *Set) rebind(alias string) {
	for _, e := range s.tools {
		if slices.Contains(e.definition.Aliases(), alias) {
			s.logDiagnostics(e.bind())
		}
	}
}

// Package workflow offers workflows as tools: each one in a directory of YAML files is a row of the tool table, with an
// input schema compiled from its parameters, and the tools that its steps call stay hidden behind it.
//
// It joins plan (what is written), run (what is done), digest (what is reported) and internal/workflow/external (whom it is done
// with) to the toolkit's dispatcher. It must not know the protocol, nor how the command line is written.
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
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/summary"
)

// Scope is the scope that holds workflows and nothing else.
const Scope = "workflows"

// area is where the rows of workflows live.
const area = "workflows"

// Config is what a set is opened with. Only Path is required.
type Config struct {
	Path      string          // a directory, of any name, or one file
	State     statedir.Dir    // for catalogues of servers
	Locked    bool            // servers must be what servers.lock.json says
	Artifacts *artifact.Store // for what is too large for an answer; nil sends everything inline
	Model     *summary.Endpoint
	Log       *slog.Logger
	Version   string
	Browse    func(address string) error // shows an address during a login
}

// Set is the workflows of one directory with their servers.
type Set struct {
	cfg            Config
	definitions    *definition.Definitions
	registry       *external.Registry // nil without servers.json
	builtinCatalog external.Catalog

	tools            []*tool
	sessionLocks     sync.Map // session → chan: one run at a time with the session's own browser
	pendingSummaries pendingSummaries
	schemas          definition.SchemaCache

	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
}

// Open reads the files and the list of servers, and starts nothing.
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

// serversFile is the list of servers beside the workflows.
const serversFile = "servers.json"

// findFiles lists the YAML files at a path, sorted, and its servers.json, or "".
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
			return nil, "", fmt.Errorf("open the workflows: there is no .yaml file in %s", path)
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

// Diagnostics are the problems of the files and of servers.json, and Source gives their lines.
func (s *Set) Diagnostics() diag.List {
	out := slices.Clone(s.definitions.Diags)
	if s.registry != nil {
		out = append(out, s.registry.Diagnostics()...)
	}
	return out.Sorted()
}

// Source gives the lines of the files.
func (s *Set) Source() diag.Source { return s.definitions.Source }

// Registry is the external servers; nil without servers.json.
func (s *Set) Registry() *external.Registry { return s.registry }

// Workflows lists what the files define, without what is broken.
func (s *Set) Workflows() []*definition.Workflow { return s.definitions.Workflows }

// Close ends every run's servers. A nil set has none.
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

// Compose returns the registry with a row for each workflow. A workflow that has a mistake is left out, and logged; the
// error is a name that a built-in tool has, or that there is nothing to offer.
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
		return nil, fmt.Errorf("no workflow in %s can be offered; callsheet workflow validate says why:\n%s", s.cfg.Path, s.formatDiagnostics(all))
	}
	out, err := reg.With(toolkit.Capability{Name: "workflow", Title: "Workflows", Description: "Steps over several tools as one."}, Scope, rows)
	if err != nil {
		return nil, fmt.Errorf("offer the workflows of %s: %w", s.cfg.Path, err)
	}
	s.tasks.Go(s.refreshStaleServers)
	return out, nil
}

func (s *Set) formatDiagnostics(list diag.List) string {
	var b strings.Builder
	_ = list.Sorted().Fprint(&b, diag.Text, s.Source()) // a strings.Builder takes everything
	return strings.TrimRight(b.String(), "\n")
}

// logDiagnostics logs problems, each as a line.
func (s *Set) logDiagnostics(list diag.List) {
	for _, d := range list.Sorted() {
		level := slog.LevelWarn
		if d.Severity == diag.Error {
			level = slog.LevelError
		}
		s.cfg.Log.Log(s.ctx, level, "workflows: "+d.Message, "at", d.Pos.String(), "hint", d.Hint, "rule", d.Rule)
	}
}

// refreshStaleServers asks the servers that workflows wait for, and those whose kept catalogue does not fit, what their tools are.
func (s *Set) refreshStaleServers() {
	if s.registry == nil {
		return
	}
	var ask []string
	for _, e := range s.tools {
		for _, alias := range e.staleServers() {
			if !slices.Contains(ask, alias) {
				ask = append(ask, alias)
			}
		}
	}
	if len(ask) == 0 {
		return
	}
	for alias, err := range s.registry.Discover(s.ctx, ask...) {
		if s.ctx.Err() == nil {
			s.cfg.Log.Error("workflows: a server does not tell its tools", "server", alias, "error", err)
		}
	}
	for _, e := range s.tools {
		if len(e.staleServers()) > 0 {
			s.logDiagnostics(e.bind())
		}
	}
}

// rebind binds workflows anew whose server has other tools than before.
func (s *Set) rebind(alias string) {
	for _, e := range s.tools {
		if slices.Contains(e.definition.Aliases(), alias) {
			s.logDiagnostics(e.bind())
		}
	}
}

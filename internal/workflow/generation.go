package workflow

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
)

// generation is one version of the files: their workflows, and the servers that they name. A run
// ends with the generation that it began with. It is the definition.Catalogs of its workflows.
type generation struct {
	set         *Set
	found       foundFiles
	definitions *definition.Definitions
	servers     *servers // nil without servers.json
	tools       []*tool  // sorted by name
	brokenFile  string   // why servers is of an earlier servers.json; "" when it is not
}

func (s *Set) generation() *generation { return s.now.Load() }

// registry returns the external servers, or nil.
func (g *generation) registry() *external.Registry {
	if g.servers == nil {
		return nil
	}
	return g.servers.Registry
}

// diagnostics returns the problems of the files, sorted.
func (g *generation) diagnostics() diag.List {
	out := slices.Clone(g.definitions.Diags)
	if g.servers != nil {
		out = append(out, g.servers.Diagnostics()...)
	}
	return out.Sorted()
}

// compose binds the workflows and keeps those that can be called. It returns the problems.
func (g *generation) compose() diag.List {
	var all diag.List
	for _, w := range g.definitions.Workflows {
		e := &tool{set: g.set, gen: g, definition: w}
		e.bind()
		e.confirm()
		all = append(all, e.diags...)
		if !e.isUnfixable() {
			g.tools = append(g.tools, e)
		}
	}
	return all
}

// rows returns the rows of the tool table.
func (g *generation) rows() []toolkit.Tool {
	rows := make([]toolkit.Tool, len(g.tools))
	for i, e := range g.tools {
		rows[i] = e.row()
		if guard := g.set.cfg.Guard; guard != nil {
			guard.WrapWorkflow(&rows[i])
		}
	}
	return rows
}

// Aliases lists every server alias, the built-in one first.
func (g *generation) Aliases() []string {
	out := []string{definition.Builtin}
	if g.servers != nil {
		out = append(out, g.servers.Aliases()...)
	}
	return out
}

// Catalog returns the known catalog of an alias without waiting for its server. It returns nil and
// true for a server whose tools are unknown.
func (g *generation) Catalog(alias string) (*external.Catalog, bool) {
	if alias == definition.Builtin {
		return &g.set.builtinCatalog, true
	}
	if g.servers == nil || !g.servers.Has(alias) {
		return nil, false
	}
	now, cancel := context.WithCancel(g.set.ctx)
	cancel() // Registry.Catalog still returns a stored catalog
	c, err := g.servers.Catalog(now, alias)
	if err != nil {
		return nil, true
	}
	return &c, true
}

// servers are the external servers of one version of servers.json. After another version has
// replaced them they end with the last run that uses them.
type servers struct {
	*external.Registry
	log *slog.Logger

	mu       sync.Mutex
	runs     int
	replaced func() // called once after the last run; nil until retire
}

// serversEndTime bounds the end of servers that another version has replaced.
const serversEndTime = 30 * time.Second

// hold keeps the servers until release is called. It accepts nil.
func (s *servers) hold() (release func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs++
	return func() {
		s.mu.Lock()
		s.runs--
		s.mu.Unlock()
		s.endIfUnused()
	}
}

// retire ends the servers after the last run that holds them, and calls ended then.
func (s *servers) retire(ended func()) {
	s.mu.Lock()
	s.replaced = ended
	s.mu.Unlock()
	s.endIfUnused()
}

func (s *servers) endIfUnused() {
	s.mu.Lock()
	ended := s.replaced
	if ended == nil || s.runs > 0 {
		s.mu.Unlock()
		return
	}
	s.replaced = nil
	s.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), serversEndTime)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			s.log.Warn("end the servers of an earlier servers.json", "error", err)
		}
		ended()
	}()
}

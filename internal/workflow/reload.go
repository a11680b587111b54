package workflow

import (
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/definition"
)

// watchInterval is the time between two looks at the files. A change counts when the next look
// finds the same, so that a file is not read while it is written.
const watchInterval = 500 * time.Millisecond

// Update serves other rows in place of those of an area, or refuses them by an error.
type Update func(area string, rows []toolkit.Tool) error

// Watch reloads the files when they change, until Close, and passes the rows of the workflows to update. Compose
// comes before.
func (s *Set) Watch(update Update) {
	s.tasks.Go(func() {
		ticks := time.NewTicker(watchInterval)
		defer ticks.Stop()
		last, seen, failure := s.generation().found, foundFiles{}, ""
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-s.relist:
				s.replaceRows(update)
				continue
			case <-ticks.C:
			}
			now, err := findFiles(s.cfg.Path)
			switch {
			case err != nil:
				if err.Error() != failure {
					s.cfg.Log.Error("workflows: the files cannot be read, so those from before stay in use", "error", err)
				}
				failure = err.Error()
			case now.equals(last):
				seen, failure = foundFiles{}, ""
			case !now.equals(seen):
				seen = now
			default:
				last, seen, failure = now, foundFiles{}, ""
				s.reload(now, update)
			}
		}
	})
}

// replaceRows updates the tool table with the lists of the servers that the workflows call.
func (s *Set) replaceRows(update Update) {
	if err := update(area, s.generation().rows()); err != nil {
		s.cfg.Log.Error("workflows: the list stays as it is", "error", err)
	}
}

// reload makes a generation of the files as they are. A workflow whose file has an error stays as
// it was, and so do the servers when servers.json has one.
func (s *Set) reload(found foundFiles, update Update) {
	old := s.generation()
	next := &generation{set: s, found: found, servers: old.servers, brokenFile: old.brokenFile}
	var err error
	if next.definitions, err = found.load(); err != nil {
		s.cfg.Log.Error("workflows: not reloaded", "error", err)
		return
	}
	if !found.sameServers(old.found) {
		s.reloadServers(next)
	}
	all := append(next.diagnostics(), next.composeAfter(old)...)
	s.logDiagnostics(all)
	if err := update(area, next.rows()); err != nil {
		s.cfg.Log.Error("workflows: not reloaded", "error", err)
		if next.servers != nil && next.servers != old.servers {
			s.retire(next.servers)
		}
		return
	}
	s.now.Store(next)
	if old.servers != nil && old.servers != next.servers {
		s.retire(old.servers)
	}
	s.cfg.Log.Info("workflows reloaded", "path", s.cfg.Path, "offered", len(next.tools))
	s.tasks.Go(s.refreshStaleServers)
}

// reloadServers opens the servers of a changed servers.json, unless it has an error.
func (s *Set) reloadServers(next *generation) {
	opened, err := s.openServers(next.found.servers)
	if err == nil && opened != nil {
		if bad := onlyErrors(opened.Diagnostics()); len(bad) > 0 {
			s.logDiagnostics(bad)
			next.brokenFile = quoteErrors(bad)
			s.retire(opened)
			return
		}
	}
	if err != nil {
		next.brokenFile, _, _ = strings.Cut(err.Error(), "\n")
		s.cfg.Log.Error("workflows: the servers from before stay in use", "error", err)
		return
	}
	next.servers, next.brokenFile = opened, ""
}

// retire ends servers when no run uses them.
func (s *Set) retire(old *servers) {
	s.mu.Lock()
	s.retired = append(s.retired, old)
	s.mu.Unlock()
	old.retire(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.retired = slices.DeleteFunc(s.retired, func(o *servers) bool { return o == old })
	})
}

// composeAfter is compose with the earlier generation's version of workflows that have an error
// now.
func (g *generation) composeAfter(old *generation) diag.List {
	all := g.compose()
	g.tools = slices.DeleteFunc(g.tools, func(e *tool) bool {
		err := g.set.builtin.Free(e.definition.Name)
		if err != nil {
			all.Errorf(e.definition.Pos, "duplicate-name", "%v", err)
		}
		return err != nil
	})
	for _, e := range old.tools {
		name := e.definition.Name
		if slices.ContainsFunc(g.tools, func(n *tool) bool { return n.definition.Name == name }) {
			continue
		}
		if why := errorsFrom(append(slices.Clone(g.definitions.Diags), all...), g.mistakenLines(e.definition)); len(why) > 0 {
			kept := &tool{set: g.set, gen: g, definition: e.definition, notice: quoteErrors(why)}
			kept.bind()
			kept.confirm()
			g.tools = append(g.tools, kept)
		}
	}
	slices.SortFunc(g.tools, func(a, b *tool) int { return strings.Compare(a.definition.Name, b.definition.Name) })
	for _, e := range g.tools {
		if e.notice == "" && g.brokenFile != "" && len(e.externalServers()) > 0 {
			e.notice = g.brokenFile
		}
	}
	return all
}

// mistakenLines returns where the new version of a workflow could have its mistake: from its key in
// the file, where that is known, else anywhere in the file of the old version.
func (g *generation) mistakenLines(was *definition.Workflow) diag.Pos {
	for _, list := range [][]*definition.Workflow{g.definitions.Partial, g.definitions.Workflows} {
		for _, w := range list {
			if w.Name == was.Name {
				return w.Pos
			}
		}
	}
	return diag.Pos{File: was.Pos.File}
}

// errorsFrom lists the errors in a file at or after a line.
func errorsFrom(list diag.List, from diag.Pos) diag.List {
	return slices.DeleteFunc(onlyErrors(list.Sorted()), func(d diag.Diagnostic) bool {
		return d.Pos.File != from.File || d.Pos.Line < from.Line
	})
}

// maxQuotedErrors bounds the errors that an answer quotes; the log has all.
const maxQuotedErrors = 3

// quoteErrors is the beginning of a list of errors as an answer says it.
func quoteErrors(list diag.List) string {
	var lines []string
	for _, d := range list[:min(len(list), maxQuotedErrors)] {
		line := d.Pos.String() + ": " + d.Message
		if d.Hint != "" {
			line += "; " + d.Hint
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

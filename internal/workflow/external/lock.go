package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Change is one difference between the lock file and what a server says.
type Change struct {
	Alias string
	Tool  string // "" when the whole server is meant
	What  string // Added, Removed or Changed
}

// What a change is.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// String says it in a few words.
func (c Change) String() string {
	if c.Tool == "" {
		return c.Alias + " " + c.What
	}
	return fmt.Sprintf("%s:%s %s", c.Alias, c.Tool, c.What)
}

// lockFile is servers.lock.json: per server, the hash of each tool by name.
type lockFile struct {
	Version int                          `json:"version"`
	Servers map[string]map[string]string `json:"servers"`
}

const lockVersion = 1

func readLock(path string) (lockFile, error) {
	lock := lockFile{Version: lockVersion}
	data, err := os.ReadFile(path)
	if err != nil {
		return lock, fmt.Errorf("read the lock file: %w", err)
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return lock, fmt.Errorf("read the lock file %s: %w", path, err)
	}
	if lock.Version != lockVersion {
		return lock, fmt.Errorf("read the lock file %s: version %d is not %d", path, lock.Version, lockVersion)
	}
	return lock, nil
}

// Lock asks every enabled server for its tools, at the same time, and compares them with the lock file; with update it then
// writes the file. The changes are sorted by name. With update, a server that cannot be asked keeps its entry and is
// reported in the error; without, it is an error alone.
func (r *Registry) Lock(ctx context.Context, update bool) ([]Change, error) {
	if r.cfg.LockFile == "" {
		return nil, errors.New("lock: there is no servers.json beside which the lock file could be")
	}
	old, err := readLock(r.cfg.LockFile)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && !update:
		return nil, fmt.Errorf("there is no %s; to make it, run: callsheet workflow lock --update", r.cfg.LockFile)
	case err != nil && !missing:
		return nil, err
	}
	failed := r.Discover(ctx)
	next := lockFile{Version: lockVersion, Servers: map[string]map[string]string{}}
	var changes []Change
	var errs []error
	for _, alias := range r.aliases {
		s := r.servers[alias]
		was, had := old.Servers[alias]
		if err := failed[alias]; err != nil && ReasonOf(err) != Drift {
			errs = append(errs, err)
		}
		c, known := s.knownCatalog()
		if s.entry.Disabled || !known || !c.Fresh {
			if had {
				next.Servers[alias] = was
			}
			continue
		}
		next.Servers[alias] = toolHashes(c)
		changes = append(changes, diffTools(alias, was, had, next.Servers[alias])...)
	}
	for _, alias := range slices.Sorted(maps.Keys(old.Servers)) {
		if !r.Has(alias) {
			changes = append(changes, Change{Alias: alias, What: Removed})
		}
	}
	if update {
		if err := writeLock(r.cfg.LockFile, next); err != nil {
			errs = append(errs, err)
		}
	}
	return changes, errors.Join(errs...)
}

func writeLock(path string, lock lockFile) error {
	data, err := json.MarshalIndent(lock, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the lock file: %w", err)
	}
	return writeFile(path, append(data, '\n'), 0o644)
}

func toolHashes(c Catalog) map[string]string {
	out := make(map[string]string, len(c.Tools))
	for _, t := range c.Tools {
		out[t.Name] = t.Hash()
	}
	return out
}

func diffTools(alias string, was map[string]string, had bool, now map[string]string) []Change {
	if !had {
		return []Change{{Alias: alias, What: Added}}
	}
	var out []Change
	for _, tool := range slices.Sorted(maps.Keys(was)) {
		switch hash, ok := now[tool]; {
		case !ok:
			out = append(out, Change{alias, tool, Removed})
		case hash != was[tool]:
			out = append(out, Change{alias, tool, Changed})
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(now)) {
		if _, ok := was[tool]; !ok {
			out = append(out, Change{alias, tool, Added})
		}
	}
	return out
}

// maxListedChanges is how many changes an error lists.
const maxListedChanges = 10

// checkLock refuses, in a locked registry, a server whose newest catalog is not the locked one. Each catalog is compared once.
func (s *server) checkLock() error {
	if !s.reg.cfg.Locked {
		return nil
	}
	c, _ := s.knownCatalog()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.comparedCatalog != s.catalog {
		s.comparedCatalog, s.driftErr = s.catalog, s.reg.checkLock(c)
	}
	return s.driftErr
}

func (r *Registry) checkLock(c Catalog) error {
	r.lockOnce.Do(func() { r.lockedTools, r.lockErr = readLock(r.cfg.LockFile) })
	if errors.Is(r.lockErr, fs.ErrNotExist) {
		return errorf(c.Alias, Drift, "--locked needs %s, which is not there; to make it, run: callsheet workflow lock --update", r.cfg.LockFile)
	}
	if r.lockErr != nil {
		return &Error{Alias: c.Alias, Reason: Drift, Err: r.lockErr}
	}
	was, had := r.lockedTools.Servers[c.Alias]
	changes := diffTools(c.Alias, was, had, toolHashes(c))
	if len(changes) == 0 {
		return nil
	}
	var list []string
	for _, ch := range changes[:min(len(changes), maxListedChanges)] {
		list = append(list, ch.String())
	}
	if more := len(changes) - maxListedChanges; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return errorf(c.Alias, Drift, "its tools are not those of %s: %s; review them and run: callsheet workflow lock --update", r.cfg.LockFile, strings.Join(list, ", "))
}

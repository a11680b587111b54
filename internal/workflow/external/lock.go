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

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Change is one difference between the lock file and a server's tools.
type Change struct {
	Alias string
	Tool  string // "" for the whole server
	What  string // Added, Removed or Changed
}

// The values of Change.What.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// String returns "alias:tool what".
func (c Change) String() string {
	if c.Tool == "" {
		return c.Alias + " " + c.What
	}
	return fmt.Sprintf("%s:%s %s", c.Alias, c.Tool, c.What)
}

// lockFile is servers.lock.json: the hash of each tool, by server and name.
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

// Lock fetches the tools of every enabled server and compares them with the lock file; with update
// it then writes the file. It returns the changes sorted by name. A server that fails is reported
// in the error; with update it keeps its locked tools.
func (r *Registry) Lock(ctx context.Context, update bool) ([]Change, error) {
	if r.cfg.LockFile == "" {
		return nil, errors.New("lock: no servers.json, so the place of the lock file is unknown")
	}
	old, err := readLock(r.cfg.LockFile)
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case missing && !update:
		return nil, fmt.Errorf("%s does not exist; create it with: callsheet workflow lock --update", r.cfg.LockFile)
	case err != nil && !missing:
		return nil, err
	}
	failed := r.Discover(ctx)
	next := lockFile{Version: lockVersion, Servers: map[string]map[string]string{}}
	var changes []Change
	var errs []error
	for _, alias := range r.aliases {
		s := r.servers[alias]
		locked, isLocked := old.Servers[alias]
		if err := failed[alias]; err != nil && ReasonOf(err) != Drift {
			errs = append(errs, err)
		}
		c, known := s.knownCatalog()
		if s.entry.Disabled || !known || !c.Fresh {
			if isLocked {
				next.Servers[alias] = locked
			}
			continue
		}
		next.Servers[alias] = toolHashes(c)
		changes = append(changes, diffTools(alias, locked, isLocked, next.Servers[alias])...)
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

func diffTools(alias string, locked map[string]string, isLocked bool, current map[string]string) []Change {
	if !isLocked {
		return []Change{{Alias: alias, What: Added}}
	}
	var out []Change
	for _, tool := range slices.Sorted(maps.Keys(locked)) {
		switch hash, ok := current[tool]; {
		case !ok:
			out = append(out, Change{alias, tool, Removed})
		case hash != locked[tool]:
			out = append(out, Change{alias, tool, Changed})
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(current)) {
		if _, ok := locked[tool]; !ok {
			out = append(out, Change{alias, tool, Added})
		}
	}
	return out
}

// maxListedChanges bounds the changes that an error lists.
const maxListedChanges = 10

// checkLock returns an error if the registry is locked and the latest catalog differs from the lock
// file. It compares each catalog once.
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
		return errorf(c.Alias, Drift, "--locked needs %s, which does not exist; create it with: callsheet workflow lock --update", r.cfg.LockFile)
	}
	if r.lockErr != nil {
		return &Error{Alias: c.Alias, Reason: Drift, Err: r.lockErr}
	}
	locked, isLocked := r.lockedTools.Servers[c.Alias]
	changes := diffTools(c.Alias, locked, isLocked, toolHashes(c))
	if len(changes) == 0 {
		return nil
	}
	list := slicesx.Map(changes[:min(len(changes), maxListedChanges)], func(ch Change) string { return ch.String() })
	if more := len(changes) - maxListedChanges; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return errorf(c.Alias, Drift, "the tools differ from %s: %s; review them and run: callsheet workflow lock --update",
		r.cfg.LockFile, strings.Join(list, ", "))
}

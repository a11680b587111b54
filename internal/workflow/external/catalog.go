package external

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/storage/atomicfile"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// knownCatalog returns the latest catalog without asking the server.
func (s *server) knownCatalog() (Catalog, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.catalog == nil {
		tools, ok := s.reg.cache.load(s.entry.Hash())
		if !ok {
			return Catalog{}, false
		}
		s.catalog = &Catalog{Alias: s.entry.Alias, Tools: s.allowedTools(tools)}
	}
	return *s.catalog, true
}

// setTools stores the tools that the server listed and reports a change.
func (s *server) setTools(tools []Tool) {
	old, had := s.knownCatalog()
	fresh := Catalog{Alias: s.entry.Alias, Tools: s.allowedTools(tools), Fresh: true}
	s.mu.Lock()
	s.catalog = &fresh
	s.mu.Unlock()
	if err := s.reg.cache.store(s.entry.Hash(), tools); err != nil {
		s.reg.log.Warn("store a catalog", "server", s.entry.Alias, "error", err)
	}
	if had && s.reg.cfg.Changed != nil && toolsHash(old.Tools) != toolsHash(fresh.Tools) {
		s.reg.cfg.Changed(s.entry.Alias)
	}
}

func (s *server) allowedTools(tools []Tool) []Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return !s.entry.Allows(t.Name) })
}

// toolsHash identifies a list of tools.
func toolsHash(tools []Tool) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%q %s\n", t.Name, t.Hash())
	}
	return b.String()
}

// Hash identifies the parts of a tool that callers depend on: the schemas and the annotations, but not the description.
func (t Tool) Hash() string {
	data, err := json.Marshal([]any{canonicalJSON(t.InputSchema), canonicalJSON(t.OutputSchema), t.Annotations})
	if err != nil {
		data = append([]byte(t.InputSchema), t.OutputSchema...)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// canonicalJSON decodes a schema, so that the order of members and white space do not matter.
func canonicalJSON(data json.RawMessage) any {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(data)
	}
	return v
}

// catalogCache stores catalogs in the state directory, one file per entry hash.
type catalogCache struct{ dir statedir.Dir }

func (c catalogCache) load(hash string) ([]Tool, bool) {
	data, err := os.ReadFile(c.dir.Path("external", "catalogs", hash+".json"))
	if err != nil {
		return nil, false
	}
	var tools []Tool
	if json.Unmarshal(data, &tools) != nil { // ignore a damaged file; the server will be asked
		return nil, false
	}
	return tools, true
}

func (c catalogCache) store(hash string, tools []Tool) error {
	data, err := json.Marshal(tools)
	if err != nil {
		return fmt.Errorf("encode a catalog: %w", err)
	}
	dir, err := c.dir.Make("external", "catalogs")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, hash+".json")
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return writeFile(path, data, 0o600)
}

// writeFile replaces a file and names it in the error.
func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := atomicfile.Write(path, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

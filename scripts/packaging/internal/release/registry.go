package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// registryEntry is the generated server.json, with the two names that a release needs.
type registryEntry struct {
	name string // of the server
	npm  string // of the package that people install
	all  map[string]any
}

func (b *builder) entryFile() string { return filepath.Join(b.Out, MetadataDir, "server.json") }

// entry reads the generated server.json.
func (b *builder) entry() (registryEntry, error) {
	text, err := os.ReadFile(b.entryFile())
	if err != nil {
		return registryEntry{}, err
	}
	var e struct {
		Name     string `json:"name"`
		Packages []struct {
			Type       string `json:"registryType"`
			Identifier string `json:"identifier"`
		} `json:"packages"`
	}
	out := registryEntry{}
	if err := json.Unmarshal(text, &e); err != nil {
		return out, fmt.Errorf("read server.json: %w", err)
	}
	if err := json.Unmarshal(text, &out.all); err != nil {
		return out, fmt.Errorf("read server.json: %w", err)
	}
	out.name = e.Name
	for _, p := range e.Packages {
		if p.Type == "npm" {
			out.npm = p.Identifier
		}
	}
	if out.npm == "" {
		return out, fmt.Errorf("server.json names no npm package; manifest/tools.yaml has server.npm")
	}
	return out, nil
}

// registries adds the MCP bundles to server.json: their digests are not known before they are packed.
func (b *builder) registries(context.Context) error {
	e, err := b.entry()
	if err != nil {
		return err
	}
	packages, _ := e.all["packages"].([]any)
	for _, p := range b.programs {
		name := BundleFile(b.Version, p.Target)
		sum, _, err := digest(filepath.Join(b.Out, name))
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{
			"registryType": "mcpb", "identifier": b.info.Repository.URL + "/releases/download/v" + b.Version + "/" + name,
			"version": b.Version, "fileSha256": sum, "transport": map[string]any{"type": "stdio"},
		})
	}
	e.all["packages"] = packages
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e.all); err != nil {
		return err
	}
	return os.WriteFile(b.entryFile(), out.Bytes(), 0o644)
}

// checksums writes the digest of every file, in the format of sha256sum.
func (b *builder) checksums(context.Context) error {
	var lines strings.Builder
	err := filepath.WalkDir(b.Out, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, _, err := digest(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(b.Out, file)
		fmt.Fprintf(&lines, "%s  %s\n", sum, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.Out, ChecksumFile), []byte(lines.String()), 0o644)
}

// digest returns the hexadecimal SHA-256 and the size in bytes of a file.
func digest(file string) (string, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), n, err
}

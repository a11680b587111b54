// Package mcpb packs the program as an MCP bundle, a zip file that desktop clients install. It must
// not know what the generated manifest says beside the fields that depend on the target.
package mcpb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/scripts/packaging/internal/archive"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// Bundle names the contents of the MCP bundle of one target.
type Bundle struct {
	Target    target.Target
	Manifest  []byte // the generated one, which speaks of all systems
	Program   string // a file
	Site      string // the file of the program that compiles sites
	Documents []archive.Entry
}

// Write writes the bundle. Its manifest speaks of its own system alone: a client asks for a system and never for a processor.
func (b Bundle) Write(file string, made time.Time) error {
	t := b.Target
	narrowed, err := narrow(b.Manifest, t)
	if err != nil {
		return err
	}
	entries := []archive.Entry{
		{Name: "manifest.json", Data: narrowed},
		{Name: "server/" + t.Executable(), Source: b.Program, Executable: true},
		{Name: "server/" + t.SiteExecutable(), Source: b.Site, Executable: true},
	}
	return archive.Zip(file, append(entries, b.Documents...), made)
}

// narrow rewrites a manifest for one target, and keeps every field that it does not know.
func narrow(manifest []byte, t target.Target) ([]byte, error) {
	var m map[string]any
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, fmt.Errorf("read the manifest of the bundle: %w", err)
	}
	server, ok := m["server"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the manifest of the bundle has no server")
	}
	config, ok := server["mcp_config"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the manifest of the bundle has no server.mcp_config")
	}
	server["entry_point"] = "server/" + t.Executable()
	config["command"] = "${__dirname}/server/" + t.Executable()
	delete(config, "platform_overrides")
	m["compatibility"] = map[string]any{"platforms": []string{t.NodeOS()}}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return out.Bytes(), err
}

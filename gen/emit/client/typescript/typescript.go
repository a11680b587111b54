// Package typescript emits a typed client in TypeScript: an npm package of scripts with their types,
// which needs no build.
//
// It is pure: model and version in, files out. It must not know the server's code, nor how packages
// are published.
package typescript

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

// sdkVersions are the versions of the official SDK whose types the client uses.
const sdkVersions = "^1.32.0"

//go:embed index.js.tmpl
var script string

//go:embed index.d.ts.tmpl
var types string

// emitter renders one client.
type emitter struct{ set *model.Toolset }

// Emit renders the files of a package at a version, with paths relative to its directory.
func Emit(set *model.Toolset, pkg, version string) ([]output.File, error) {
	e := emitter{set}
	about, err := e.about(pkg, version)
	if err != nil {
		return nil, fmt.Errorf("render the client in TypeScript: %w", err)
	}
	out := []output.File{{Path: "package.json", Data: about}}
	for _, f := range []struct{ name, text string }{{"index.js", script}, {"index.d.ts", types}} {
		t, err := template.New(f.name).Parse(f.text)
		if err != nil {
			return nil, fmt.Errorf("render the client in TypeScript: %w", err)
		}
		var b bytes.Buffer
		if err := t.Execute(&b, e.data()); err != nil {
			return nil, fmt.Errorf("render the client in TypeScript: %w", err)
		}
		out = append(out, output.File{Path: f.name, Data: b.Bytes()})
	}
	return out, nil
}

// data is what the templates show.
func (e emitter) data() map[string]any {
	return map[string]any{
		"Header": client.Header(e.set, "//"), "Class": client.ClassName(e.set), "Program": e.set.Program(), "Calls": e.calls(), "Typed": client.HasOutput(e.set),
		"Classes": e.classes(), "Values": e.values(), "Methods": e.methods(), "Types": e.declarations(), "Refusals": e.refusals(),
	}
}

// about is the manifest of the npm package.
func (e emitter) about(pkg, version string) ([]byte, error) {
	about := struct {
		Name             string            `json:"name"`
		Version          string            `json:"version"`
		Description      string            `json:"description"`
		License          string            `json:"license,omitempty"`
		Repository       string            `json:"repository,omitempty"`
		Type             string            `json:"type"`
		Main             string            `json:"main"`
		Types            string            `json:"types"`
		Exports          map[string]any    `json:"exports"`
		Files            []string          `json:"files"`
		PeerDependencies map[string]string `json:"peerDependencies"`
	}{
		Name: pkg, Version: version, Description: "Typed client of the tools of " + e.set.Program() + ".",
		Type: "module", Main: "index.js", Types: "index.d.ts",
		Exports:          map[string]any{".": map[string]string{"types": "./index.d.ts", "default": "./index.js"}},
		Files:            []string{"index.js", "index.d.ts"},
		PeerDependencies: map[string]string{"@modelcontextprotocol/sdk": sdkVersions},
	}
	if e.set.Server != nil {
		about.License, about.Repository = e.set.Server.License, e.set.Server.Repository
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(about)
	return b.Bytes(), err
}

// comment writes paragraphs as a comment of documentation; nothing when all are empty.
func comment(b *strings.Builder, indent string, paragraphs ...string) {
	var lines []string
	for _, p := range paragraphs {
		if p == "" {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, golit.Wrap(strings.ReplaceAll(p, "*/", "*\\/"))...)
	}
	switch len(lines) {
	case 0:
	case 1:
		b.WriteString(indent + "/** " + lines[0] + " */\n")
	default:
		b.WriteString(indent + "/**\n")
		for _, line := range lines {
			b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
		}
		b.WriteString(indent + " */\n")
	}
}

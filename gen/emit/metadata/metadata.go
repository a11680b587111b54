// Package metadata emits how a server is described to others: the entry of the protocol's registry, the
// manifest of an MCP bundle, plugins of clients, their configuration, and a skill that drives the
// server by its command line.
//
// It is pure: model and version in, files out. It must not know how the files are published, nor what
// packages hold.
package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

// dir is the directory of the files, below generated/.
const dir = "metadata"

// Emit renders the files for a version of the server; none where the manifest has no section server.
func Emit(set *model.Toolset, version string) ([]output.File, error) {
	if set.Server == nil {
		return nil, nil
	}
	e := emitter{set, set.Server, version}
	documents := []struct {
		path  string
		value any
	}{
		{"server.json", e.registryEntry()},
		{"mcpb/manifest.json", e.bundle()},
		{"claude/.claude-plugin/plugin.json", e.claudePlugin()},
		{"claude/.mcp.json", e.clientConfig("mcpServers")},
		{"gemini/gemini-extension.json", e.geminiExtension()},
		{"cursor/mcp.json", e.clientConfig("mcpServers")},
		{"vscode/mcp.json", e.vscodeConfig()},
	}
	var out []output.File
	for _, d := range documents {
		data, err := encode(d.value)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", d.path, err)
		}
		out = append(out, output.File{Path: dir + "/" + d.path, Data: data})
	}
	if set.CLI != nil {
		embedded, err := e.embedded()
		if err != nil {
			return nil, err
		}
		out = append(out, embedded)
	}
	install, err := e.install()
	if err != nil {
		return nil, err
	}
	out = append(out, output.File{Path: dir + "/INSTALL.md", Data: install})
	if set.CLI != nil {
		skill, err := e.skill()
		if err != nil {
			return nil, err
		}
		out = append(out, output.File{Path: dir + "/" + e.skillPath(), Data: skill})
	}
	return out, nil
}

// emitter renders the files of one server.
type emitter struct {
	set     *model.Toolset
	server  *model.Server
	version string
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// launch is how a client starts the server.
type launch struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// launch runs the npm package at this version, or the program where there is none.
func (e emitter) launch() launch {
	s := launch{Command: e.server.Program, Env: e.required("${%s}")}
	if e.server.NPM != "" {
		s.Command, s.Args = "npx", []string{"-y", e.server.NPM + "@" + e.version}
	}
	return s
}

// required lists the variables that the server does not start without, each with the form in which a
// client puts a value.
func (e emitter) required(form string) map[string]string {
	var out map[string]string
	for _, v := range e.server.Environment {
		if v.Required {
			if out == nil {
				out = map[string]string{}
			}
			out[v.Name] = fmt.Sprintf(form, v.Name)
		}
	}
	return out
}

// configName is the server's name in clients' configuration.
func (e emitter) configName() string { return e.server.Program }

func (e emitter) clientConfig(key string) map[string]map[string]launch {
	return map[string]map[string]launch{key: {e.configName(): e.launch()}}
}

func (e emitter) vscodeConfig() map[string]map[string]launch {
	s := e.launch()
	s.Type = "stdio"
	s.Env = e.required("${env:%s}")
	return map[string]map[string]launch{"servers": {e.configName(): s}}
}

type person struct {
	Name string `json:"name"`
}

type claudePlugin struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Author      person   `json:"author"`
	Homepage    string   `json:"homepage,omitempty"`
	Repository  string   `json:"repository,omitempty"`
	License     string   `json:"license,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
}

// claudePlugin is the manifest of a plugin for Claude Code; the servers and skills beside it are found
// by their places.
func (e emitter) claudePlugin() claudePlugin {
	return claudePlugin{
		Name: e.server.Program, Version: e.version, Description: e.server.Description, Author: person{e.server.Author},
		Homepage: e.server.Website, Repository: e.server.Repository, License: e.server.License, Keywords: e.server.Keywords,
	}
}

type geminiExtension struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Servers     map[string]launch `json:"mcpServers"`
}

func (e emitter) geminiExtension() geminiExtension {
	s := e.launch()
	s.Env = e.required("$%s")
	return geminiExtension{
		Name: e.server.Program, Version: e.version, Description: e.server.Description,
		Servers: map[string]launch{e.configName(): s},
	}
}

// sentence ends a description as a sentence does.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

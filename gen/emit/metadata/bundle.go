package metadata

import (
	"github.com/callsheet/callsheet/gen/model"
	"slices"
)

// bundleVersion is the version of the bundle's manifest. Source:
// https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md.
const bundleVersion = "0.3"

type bundle struct {
	Version     string                `json:"manifest_version"`
	Name        string                `json:"name"`
	DisplayName string                `json:"display_name"`
	Release     string                `json:"version"`
	Description string                `json:"description"`
	Author      person                `json:"author"`
	Repository  *bundleSource         `json:"repository,omitempty"`
	Homepage    string                `json:"homepage,omitempty"`
	Server      bundleServer          `json:"server"`
	Tools       []bundleTool          `json:"tools"`
	Generated   bool                  `json:"tools_generated"`
	Keywords    []string              `json:"keywords,omitempty"`
	License     string                `json:"license,omitempty"`
	Platforms   bundlePlatforms       `json:"compatibility"`
	UserConfig  map[string]bundleUser `json:"user_config,omitempty"`
}

type bundleSource struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type bundleServer struct {
	Type       string       `json:"type"`
	EntryPoint string       `json:"entry_point"`
	Config     bundleConfig `json:"mcp_config"`
}

type bundleConfig struct {
	launch
	Overrides map[string]launch `json:"platform_overrides,omitempty"`
}

type bundleTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type bundlePlatforms struct {
	Platforms []string `json:"platforms"`
}

type bundleUser struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Sensitive   bool   `json:"sensitive,omitempty"`
}

// bundle is the manifest of an MCP bundle, which holds the program of each system in its directory
// server. Clients that follow the state show more tools than are listed here; tools_generated says so.
func (e emitter) bundle() bundle {
	entry := "server/" + e.server.Program
	run := launch{Command: "${__dirname}/" + entry, Args: []string{}, Env: e.userValues()}
	windows := run
	windows.Command += ".exe"
	b := bundle{
		Version: bundleVersion, Name: e.server.Program, DisplayName: e.server.Title, Release: e.version, Description: e.server.Description,
		Author: person{e.server.Author}, Homepage: e.server.Website, Keywords: e.server.Keywords, License: e.server.License,
		Server: bundleServer{
			Type: "binary", EntryPoint: entry,
			Config: bundleConfig{launch: run, Overrides: map[string]launch{"win32": windows}},
		},
		Tools: e.listed(), Generated: true,
		Platforms:  bundlePlatforms{[]string{"darwin", "linux", "win32"}},
		UserConfig: e.userConfig(),
	}
	if e.server.Repository != "" {
		b.Repository = &bundleSource{Type: "git", URL: e.server.Repository}
	}
	return b
}

// listed names the tools of the first scope that a client is shown without asking for more.
func (e emitter) listed() []bundleTool {
	out := []bundleTool{}
	for _, t := range e.set.Tools {
		if e.inFirstScope(t) && t.Tier <= 1 && (t.Capability == nil || !t.Capability.OptIn) {
			out = append(out, bundleTool{t.Name, t.Description})
		}
	}
	return out
}

func (e emitter) inFirstScope(t *model.Tool) bool {
	return slices.ContainsFunc(t.Scopes, func(s *model.Scope) bool { return len(e.set.Scopes) > 0 && s == e.set.Scopes[0] })
}

func (e emitter) userConfig() map[string]bundleUser {
	if len(e.server.Environment) == 0 {
		return nil
	}
	out := map[string]bundleUser{}
	for _, v := range e.server.Environment {
		out[v.Name] = bundleUser{Type: "string", Title: v.Name, Description: v.Description, Required: v.Required, Sensitive: v.Secret}
	}
	return out
}

func (e emitter) userValues() map[string]string {
	if len(e.server.Environment) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, v := range e.server.Environment {
		out[v.Name] = "${user_config." + v.Name + "}"
	}
	return out
}

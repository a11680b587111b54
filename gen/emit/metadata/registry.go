package metadata

import (
	"net/url"
	"strings"
)

// registrySchema is the version of server.json that is written. Source:
// https://modelcontextprotocol.io/registry/package-types.
const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

type registryEntry struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	Website     string            `json:"websiteUrl,omitempty"`
	Repository  *registrySource   `json:"repository,omitempty"`
	Packages    []registryPackage `json:"packages,omitempty"`
}

type registrySource struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

type registryPackage struct {
	Type        string             `json:"registryType"`
	Identifier  string             `json:"identifier"`
	Version     string             `json:"version"`
	Transport   registryTransport  `json:"transport"`
	Environment []registryVariable `json:"environmentVariables,omitempty"`
}

type registryTransport struct {
	Type string `json:"type"`
}

type registryVariable struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"isRequired,omitempty"`
	Secret      bool   `json:"isSecret,omitempty"`
}

// registryEntry is the server.json of the protocol's registry.
func (e emitter) registryEntry() registryEntry {
	entry := registryEntry{
		Schema: registrySchema, Name: e.server.Name, Title: e.server.Title, Description: e.server.Description, Version: e.version,
		Website: e.server.Website,
	}
	if e.server.Repository != "" {
		entry.Repository = &registrySource{URL: e.server.Repository, Source: forge(e.server.Repository)}
	}
	if e.server.NPM == "" {
		return entry
	}
	p := registryPackage{Type: "npm", Identifier: e.server.NPM, Version: e.version, Transport: registryTransport{"stdio"}}
	for _, v := range e.server.Environment {
		p.Environment = append(p.Environment, registryVariable{v.Name, v.Description, v.Required, v.Secret})
	}
	entry.Packages = []registryPackage{p}
	return entry
}

// forge names the service that hosts a repository, as the registry does: github for github.com.
func forge(repository string) string {
	u, err := url.Parse(repository)
	if err != nil { // the model has parsed it
		return ""
	}
	name, _, _ := strings.Cut(u.Hostname(), ".")
	return name
}

// Package npm packs the program for npm: one package with a shim, and one package per system and
// processor with the program, of which npm installs the one that fits. It must not know registries.
package npm

import (
	"bytes"
	"embed"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/callsheet/callsheet/scripts/packaging/internal/archive"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

//go:embed files
var files embed.FS

// Scope holds the packages of the systems, so that no other publisher can take their names.
const Scope = "@callsheet"

// oldestNode is the oldest version of Node.js that the shim is written for.
const oldestNode = ">=18"

// Program is the compiled programs of one target.
type Program struct {
	Target   target.Target
	File     string
	SHA256   string // hexadecimal
	SiteFile string // the program that compiles sites
	SiteSum  string // its SHA-256, hexadecimal
}

// Package says what the packages are called and who made them.
type Package struct {
	Name        string   // of the package that people install
	MCPName     string   // of the server in the protocol's registry, which looks for it in the package
	Version     string   // the same in every package
	Description string   // one sentence
	Repository  string   // URL
	Licence     string   // SPDX identifier
	Author      string   // name
	Keywords    []string // for the search of the registry
	Documents   []archive.Entry
	Readme      []byte
}

type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	MCPName      string            `json:"mcpName,omitempty"`
	Description  string            `json:"description"`
	Keywords     []string          `json:"keywords,omitempty"`
	License      string            `json:"license"`
	Author       string            `json:"author"`
	Repository   map[string]string `json:"repository"`
	Engines      map[string]string `json:"engines,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Scripts      map[string]string `json:"scripts,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Unplugged    bool              `json:"preferUnplugged,omitempty"`
	Files        []string          `json:"files"`
	Dependencies map[string]string `json:"optionalDependencies,omitempty"`
	Programs     map[string]entry  `json:"callsheet,omitempty"`
}

// entry says where the shim finds the program of one system, and which bytes the installation accepts.
type entry struct {
	Package  string `json:"package"`
	File     string `json:"file"`
	SHA256   string `json:"sha256"`
	SiteFile string `json:"siteFile"`
	SiteSum  string `json:"siteSha256"`
}

// Write writes the packages into a directory and returns the names of the files.
func (p Package) Write(dir string, programs []Program, made time.Time) ([]string, error) {
	var out []string
	for _, program := range programs {
		file, err := p.writePlatform(dir, program, made)
		if err != nil {
			return nil, err
		}
		out = append(out, file)
	}
	file, err := p.writeMain(dir, programs, made)
	return append(out, file), err
}

func (p Package) writePlatform(dir string, program Program, made time.Time) (string, error) {
	t := program.Target
	m := p.base(platformName(t))
	m.Description = "The program of " + p.Name + " for " + t.NodeOS() + " on " + t.NodeArch() + ". Install " + p.Name + " instead."
	m.OS, m.CPU, m.Unplugged = []string{t.NodeOS()}, []string{t.NodeArch()}, true
	m.Files = []string{"bin", "THIRD_PARTY_NOTICES"}
	entries := []archive.Entry{
		{Name: "bin/" + t.Executable(), Source: program.File, Executable: true},
		{Name: "bin/" + t.SiteExecutable(), Source: program.SiteFile, Executable: true},
		{Name: "README.md", Data: []byte("# " + m.Name + "\n\n" + m.Description + "\n")},
	}
	return p.write(dir, m, append(entries, p.Documents...), made)
}

func (p Package) writeMain(dir string, programs []Program, made time.Time) (string, error) {
	m := p.base(p.Name)
	m.MCPName, m.Keywords = p.MCPName, p.Keywords
	m.Engines = map[string]string{"node": oldestNode}
	m.Bin = map[string]string{target.Program: "bin/" + target.Program}
	m.Scripts = map[string]string{"postinstall": "node install.js"}
	m.Files = []string{"bin", "lib", "install.js", "THIRD_PARTY_NOTICES"}
	m.Dependencies, m.Programs = map[string]string{}, map[string]entry{}
	for _, program := range programs {
		t := program.Target
		m.Dependencies[platformName(t)] = p.Version
		m.Programs[t.NodeOS()+"-"+t.NodeArch()] = entry{platformName(t), "bin/" + t.Executable(), program.SHA256, "bin/" + t.SiteExecutable(), program.SiteSum}
	}
	var entries []archive.Entry
	for _, f := range []struct{ source, name string }{
		{"shim.js", "bin/" + target.Program}, {"install.js", "install.js"}, {"program.js", "lib/program.js"},
	} {
		data, err := files.ReadFile("files/" + f.source)
		if err != nil {
			return "", err
		}
		entries = append(entries, archive.Entry{Name: f.name, Data: data, Executable: f.source == "shim.js"})
	}
	entries = append(entries, archive.Entry{Name: "README.md", Data: p.Readme})
	return p.write(dir, m, append(entries, p.Documents...), made)
}

func (p Package) base(name string) manifest {
	return manifest{
		Name: name, Version: p.Version, Description: p.Description, License: p.Licence, Author: p.Author,
		Repository: map[string]string{"type": "git", "url": "git+" + p.Repository + ".git"},
	}
}

// write packs one package as npm pack does: everything is below package/.
func (p Package) write(dir string, m manifest, entries []archive.Entry, made time.Time) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return "", err
	}
	entries = append([]archive.Entry{{Name: "package.json", Data: text.Bytes()}}, entries...)
	file := filepath.Join(dir, FileName(m.Name, p.Version))
	return file, archive.Tar(file, archive.Below("package", entries), made)
}

// FileName returns the name that npm pack gives the file of a package.
func FileName(name, version string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}

func platformName(t target.Target) string { return Scope + "/" + t.NodeOS() + "-" + t.NodeArch() }

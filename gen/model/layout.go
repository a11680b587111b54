package model

import (
	"path"
	"slices"
	"strings"
)

// Layout says where a module keeps a manifest and its handlers, and where the generated files go. Paths
// are slash-separated and relative to the root of the module. The zero Layout is DefaultLayout.
type Layout struct {
	Manifest string   // the root file
	Output   string   // directory of the generated files, which holds nothing else
	Handlers string   // directory with a package of handlers for each area
	Docs     []string // documents that are checked: files, and directories whose files are documents
	Packages Packages
	// WithReferences adds the files that are the same for every manifest: docs/RULES.md and
	// schema/manifest.schema.json.
	WithReferences bool
	Joined         bool // one file for each package, one page, and one file of schemas and lists
}

// Packages names the generated packages that do not belong to an area.
type Packages struct{ Toolset, Registry, Codes, Power, CLI string }

// DefaultLayout is the layout of a module without settings.
func DefaultLayout() Layout {
	return Layout{
		Manifest: "manifest/tools.yaml", Output: "generated", Handlers: "tools",
		Docs:     []string{"docs", "README.md", "CONTRIBUTING.md"},
		Packages: Packages{Toolset: "toolset", Registry: "registry", Codes: "codes", Power: "power", CLI: "cli"},
	}
}

// OrDefault returns the default for the zero Layout.
func (l Layout) OrDefault() Layout {
	if l.Manifest == "" {
		return DefaultLayout()
	}
	return l
}

// Dir returns the directory of the manifest, which holds the lock and the other files about it.
func (l Layout) Dir() string { return path.Dir(l.Manifest) }

// Beside returns the path of a file in the directory of the manifest.
func (l Layout) Beside(name string) string { return path.Join(l.Dir(), name) }

// IsManifest reports whether a file is the root file, or one that it may include.
func (l Layout) IsManifest(name string) bool { return Within(name, l.Dir()) }

// IsDocument reports whether a file is a document that is checked: one of Docs, or one below a directory of
// them. Decisions, below a directory adr, describe the state of their date and are not checked.
func (l Layout) IsDocument(name string) bool {
	if path.Ext(name) != ".md" || strings.Contains("/"+name, "/adr/") {
		return false
	}
	return slices.ContainsFunc(l.Docs, func(at string) bool { return name == at || Within(name, at) })
}

// Within reports whether a path lies below a directory.
func Within(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }

package settings

import (
	"go/token"
	"path"
	"regexp"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

const rulePath = "settings-path"

// Input is the input of the rules: the manifests of a module.
type Input struct{ manifests []placed }

// placed is an entry of the settings and the layout that it makes.
type placed struct {
	written spec.Settings
	layout  model.Layout
}

// Rules is the table of what this package reports.
func Rules() []diag.Rule[*Input] {
	return []diag.Rule[*Input]{
		{ID: rulePath, Severity: diag.Error, Doc: "A path in " + File + " is absolute, is not written plainly, or leaves the module; or a manifest stands at the root of the module, or " +
			"there is none. A manifest, its output and its handlers each have a directory, because the compiler takes all of it for theirs.", Check: checkPaths},
		{ID: "settings-collision", Severity: diag.Error, Doc: "Two directories of " + File + " are one, or one lies in the other: the manifests, outputs and handlers of all " +
			"entries are kept apart. A run deletes what it has not generated from its output, so a shared one would lose the other's files.", Check: checkCollisions},
		{ID: "settings-package", Severity: diag.Error, Doc: "A name under packages in " + File + " is no name for a Go package, is that of another generated directory, or two " +
			"are the same.", Check: checkPackages},
	}
}

// named is a path or a name of the settings with its place.
type named struct {
	what, value string
	at          diag.Pos
	usual       bool // it is not written
}

// directories lists the directories that a manifest takes.
func (m placed) directories() []named {
	name := func(what, value string, written spec.Text) named {
		if written.Set() {
			return named{what, value, written.Pos, false}
		}
		return named{what, value, m.written.Manifest.Pos, true}
	}
	return []named{
		{"manifest", m.layout.Dir(), m.written.Manifest.Pos, false},
		name("output", m.layout.Output, m.written.Output),
		name("handlers", m.layout.Handlers, m.written.Handlers),
	}
}

func checkPaths(in *Input, report diag.Report) {
	for _, m := range in.manifests {
		paths := []spec.Text{m.written.Manifest, m.written.Output, m.written.Handlers}
		for _, p := range append(paths, m.written.Docs...) {
			if why := badPath(p.Value); p.Set() && why != "" {
				report(p.Pos, "the path %q %s", p.Value, why).Hint = "write a path below the root of the module, with slashes, such as " + model.DefaultLayout().Manifest
			}
		}
		if m.layout.Dir() == "." && m.layout.Manifest != "" {
			report(m.written.Manifest.Pos, "the manifest %q stands at the root of the module", m.layout.Manifest).Hint =
				"move it into a directory, as in " + path.Join("manifest", m.layout.Manifest)
		}
		if ext := path.Ext(m.layout.Manifest); ext != ".yaml" {
			report(m.written.Manifest.Pos, "the manifest %q does not end in .yaml", m.layout.Manifest)
		}
	}
}

// badPath says what is wrong with a path; "" for a good one.
func badPath(p string) string {
	switch {
	case p == "":
		return "is empty"
	case strings.Contains(p, `\`):
		return "has a backslash"
	case path.IsAbs(p) || len(p) > 1 && p[1] == ':':
		return "is absolute"
	case p == ".." || strings.HasPrefix(path.Clean(p), "../"):
		return "leaves the module"
	case p == ".":
		return "is the root of the module"
	case path.Clean(p) != p:
		return "is not written plainly; it is " + path.Clean(p)
	}
	return ""
}

func checkCollisions(in *Input, report diag.Report) {
	var seen []named
	for _, m := range in.manifests {
		for _, d := range m.directories() {
			for _, other := range seen {
				if d.value != other.value && !model.Within(d.value, other.value) && !model.Within(other.value, d.value) {
					continue
				}
				found := report(d.at, "%s %q overlaps with %s %q", d.what, d.value, other.what, other.value)
				found.Related = &diag.Related{Pos: other.at, Message: "the other one"}
				found.Hint = "give it a directory of its own"
				if d.usual {
					found.Hint = "write " + d.what + ": and a directory of its own; " + d.value + " is what it is without"
				}
				break
			}
			seen = append(seen, d)
		}
		for _, doc := range m.written.Docs {
			if doc.Value == m.layout.Output || model.Within(doc.Value, m.layout.Output) {
				report(doc.Pos, "the document %q lies in the output %q", doc.Value, m.layout.Output).Hint = "generated documents need no check; delete the entry"
			}
		}
	}
}

// packageName matches the names that a generated package may have.
var packageName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// reserved are the directories below an output that hold no package of the settings.
var reserved = map[string]bool{"docs": true, "schema": true, "snapshot": true, "metadata": true}

func checkPackages(in *Input, report diag.Report) {
	for _, m := range in.manifests {
		w, l := m.written.Packages, m.layout.Packages
		first := map[string]string{}
		for _, p := range []struct {
			key, name string
			written   spec.Text
		}{{"toolset", l.Toolset, w.Toolset}, {"registry", l.Registry, w.Registry}, {"codes", l.Codes, w.Codes}, {"power", l.Power, w.Power}, {"cli", l.CLI, w.CLI}} {
			at := p.written.Pos
			if !p.written.Set() {
				at = m.written.Pos
			}
			switch other, twice := first[p.name]; {
			case !packageName.MatchString(p.name) || token.IsKeyword(p.name):
				report(at, "%q is no name for a Go package", p.name).Hint = "use lower-case letters and digits"
			case reserved[p.name]:
				report(at, "the package %q would be in the directory of generated %s", p.name, p.name)
			case twice:
				report(at, "the packages %s and %s are both called %q", other, p.key, p.name)
			default:
				first[p.name] = p.key
			}
		}
	}
}

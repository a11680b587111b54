package gen

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/forward"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/promote"
	"github.com/callsheet/callsheet/gen/settings"
	"github.com/callsheet/callsheet/gen/spec"
)

// Where things are in a module without settings, slash-separated and relative to its root.
const (
	RootFile        = "manifest/tools.yaml"
	LockFile        = "manifest/" + lockName
	CompetitorsFile = "manifest/" + competitorsName
	AllowancesFile  = "manifest/" + allowancesName
	ReleasedFile    = "manifest/" + releasedName
	ClaimsFile      = "manifest/" + claimsName
	ResultsFile     = "results.json" // by this name only for tests; commands take any
	Generated       = output.Dir
)

// Names of the files beside a root file.
const (
	lockName        = "scope.lock.yaml"
	competitorsName = "competitors.yaml"
	allowancesName  = "allowances.yaml"
	releasedName    = "released.json"
	claimsName      = "claims.yaml"
)

// commentDirs are the directories beside that of the handlers whose package comments are read.
var commentDirs = []string{"cmd", "gen", "internal", "bench", "scripts"}

// Source is everything a run depends on. Load makes one from a directory.
type Source struct {
	Module string      // import path of the module
	Files  []spec.File // the root file and its neighbours, named relative to the module root
	Parsed *Parsed     // what Files say, where the caller has read them by a grammar of its own; nil: they are a manifest

	Layout   model.Layout // of the manifest; zero without settings
	Settings *spec.File   // settings of the module; nil when there are none
	Others   []string     // names of the tools of the module's other manifests, which documents may speak of

	// Each of these is nil when there is none.
	Lock        *spec.File // the lock of frozen scopes
	Competitors *spec.File // the tools of other products
	Allowances  *spec.File // breaking changes that are meant
	Released    *spec.File // the surface of the last release
	Claims      *spec.File // what the project says about itself
	Upstream    *spec.File // the record of the server that forwarded tools pass their calls to
	Results     *spec.File // a log of go test -json; Load has none, for it is not part of a module

	Models []spec.File // threat models
	Docs   []spec.File // what people read
	Code   []spec.File // handlers and their tests
	Tests  []spec.File // other tests that import the package of the tools' constants
	Heads  []spec.File // other Go files down to their package clause
	Serves []spec.File // Go files that import the package of servers, and are no tests

	// Constants are those of the generated package codes that Go files which are no tests name. It is nil without Go files.
	Constants map[string]bool
}

// Parsed is a manifest that a caller has read.
type Parsed struct {
	Tree  *spec.Tree // nil where nothing could be read
	Diags diag.List
}

// tree returns the parsed files of the manifest.
func (s *Source) tree() (*spec.Tree, diag.List) {
	if s.Parsed != nil {
		return s.Parsed.Tree, slices.Clone(s.Parsed.Diags)
	}
	return spec.Parse(s.layout().Manifest, s.Files)
}

// layout returns where things are in the module.
func (s *Source) layout() model.Layout { return s.Layout.OrDefault() }

// LockFile returns where this file belongs, whether it is there or not.
func (s *Source) LockFile() string { return s.layout().Beside(lockName) }

// ReleasedFile returns where this file belongs, whether it is there or not.
func (s *Source) ReleasedFile() string { return s.layout().Beside(releasedName) }

// AllowancesFile returns where this file belongs, whether it is there or not.
func (s *Source) AllowancesFile() string { return s.layout().Beside(allowancesName) }

// RootFile returns the file that the manifest begins in.
func (s *Source) RootFile() string { return s.layout().Manifest }

// Output returns the directory of the generated files.
func (s *Source) Output() string { return s.layout().Output }

// ThreatModel returns the file of a tool's threat model.
func (s *Source) ThreatModel(tool string) string {
	return promote.Path(s.layout().Beside(promote.Dir), tool)
}

// evidence reads the handlers and their tests.
func (s *Source) evidence() evidence.Code { return s.evidenceIn(s.Code) }

func (s *Source) evidenceIn(code []spec.File) evidence.Code {
	layout := s.layout()
	return evidence.Read(code, evidence.Packages{
		Toolset: layout.Packages.Toolset, Codes: layout.Packages.Codes, Registry: layout.Output + "/" + layout.Packages.Registry,
	})
}

// Add takes a file for what it is by its name, and reports whether it is anything that a run
// depends on.
func (s *Source) Add(f spec.File) bool {
	if slot := s.slot(f.Name); slot != nil {
		*slot = &f
		return true
	}
	layout := s.layout()
	dir, ext := path.Dir(f.Name), path.Ext(f.Name)
	if ext == ".go" && !strings.HasSuffix(f.Name, "_test.go") && bytes.Contains(f.Data, []byte(evidence.ServerPath)) {
		s.Serves = append(s.Serves, f)
	}
	switch {
	case dir == layout.Beside(promote.Dir) && ext == ".md":
		s.Models = append(s.Models, f)
	case layout.IsManifest(f.Name) && ext == ".yaml":
		s.Files = append(s.Files, f)
	case ext == ".go" && model.Within(f.Name, layout.Handlers):
		s.Code = append(s.Code, f)
		s.noteConstants(f)
	case ext == ".go" && !strings.HasSuffix(f.Name, "_test.go") && slices.Contains(commentDirs, topOf(f.Name)):
		s.noteConstants(f)
		f.Data = head(f.Data)
		s.Heads = append(s.Heads, f)
	case layout.IsDocument(f.Name):
		s.Docs = append(s.Docs, f) // decisions and the changelog speak of what was
	default:
		return false
	}
	return true
}

// noteConstants remembers which constants of package codes a Go file names.
func (s *Source) noteConstants(f spec.File) {
	if strings.HasSuffix(f.Name, "_test.go") {
		return
	}
	if s.Constants == nil {
		s.Constants = map[string]bool{}
	}
	for _, name := range evidence.CodeConstants(f.Data, s.layout().Packages.Codes) {
		s.Constants[name] = true
	}
}

func topOf(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

// head is a Go file up to its package clause.
func head(code []byte) []byte {
	if bytes.HasPrefix(code, []byte("package ")) {
		return nil
	}
	before, _, _ := bytes.Cut(code, []byte("\npackage "))
	return append(bytes.Clone(before), '\n')
}

// slot is where a file of a fixed name belongs; nil for any other.
func (s *Source) slot(name string) **spec.File {
	layout := s.layout()
	switch name {
	case layout.Beside(lockName):
		return &s.Lock
	case layout.Beside(competitorsName):
		return &s.Competitors
	case layout.Beside(allowancesName):
		return &s.Allowances
	case layout.Beside(releasedName):
		return &s.Released
	case layout.Beside(claimsName):
		return &s.Claims
	case layout.Beside(forward.RecordName):
		return &s.Upstream
	case ResultsFile:
		return &s.Results
	case settings.File:
		return &s.Settings
	}
	return nil
}

// manifest returns the files of the manifest but threat models, by name.
func (s Source) manifest() map[string][]byte {
	out := map[string][]byte{}
	for _, f := range s.All() {
		if s.layout().IsManifest(f.Name) && !strings.HasSuffix(f.Name, ".md") && !strings.HasSuffix(f.Name, ".go") {
			out[f.Name] = f.Data
		}
	}
	return out
}

// Line is one line of a source file, counted from 1; it serves the text form of diagnostics.
func (s Source) Line(file string, line int) (string, bool) {
	for _, f := range s.All() {
		if f.Name != file {
			continue
		}
		lines := bytes.Split(f.Data, []byte("\n"))
		if line < 1 || line > len(lines) {
			return "", false
		}
		return string(lines[line-1]), true
	}
	return "", false
}

// All lists every file of the source but the log of tests.
func (s Source) All() []spec.File {
	var out []spec.File
	for _, group := range [][]spec.File{s.Files, s.Models, s.Docs, s.Code, s.Heads} {
		out = append(out, group...)
	}
	for _, f := range []*spec.File{s.Settings, s.Lock, s.Competitors, s.Allowances, s.Released, s.Claims, s.Upstream} {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

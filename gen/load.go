package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/settings"
	"github.com/callsheet/callsheet/gen/spec"
)

// ErrNoModule says that neither the directory nor one above it holds a go.mod or a manifest.
var ErrNoModule = errors.New("no go.mod in this directory or above, and no manifest/tools.yaml")

// FindModule is the root of the module that dir lies in: the nearest directory, upwards, with a
// go.mod or a manifest. A manifest whose tools are all forwarded needs no module of Go. Below a
// module with settings, the module is the root, because its settings name the manifests.
func FindModule(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	manifest := ""
	for {
		if manifest == "" && isFile(dir, RootFile) {
			manifest = dir
		}
		if isFile(dir, "go.mod") {
			if manifest == "" || isFile(dir, settings.File) {
				return dir, nil
			}
			return manifest, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	if manifest == "" {
		return "", ErrNoModule
	}
	return manifest, nil
}

func isFile(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// ReadSettings returns the layout of each manifest of the module at root, and the file that says so; nil
// when there is none. There is no layout where the diagnostics hold an error.
func ReadSettings(root string) ([]model.Layout, *spec.File, diag.List, error) {
	data, err := os.ReadFile(filepath.Join(root, settings.File))
	var file *spec.File
	switch {
	case err == nil:
		file = &spec.File{Name: settings.File, Data: data}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil, fmt.Errorf("read the settings of the module: %w", err)
	}
	layouts, diags := settings.Read(file)
	return layouts, file, diags.Sorted(), nil
}

// Load reads what a run needs from the module that dir lies in, which has one manifest.
func Load(dir string) (Source, error) {
	root, err := FindModule(dir)
	if err != nil {
		return Source{}, err
	}
	sources, diags, err := LoadAll(root)
	switch {
	case err != nil:
		return Source{}, err
	case diags.HasErrors():
		return Source{}, fmt.Errorf("%s: %s", diags[0].Pos, diags[0].Message)
	case len(sources) > 1:
		return Source{}, fmt.Errorf("%s lists %d manifests, and one is expected here", settings.File, len(sources))
	}
	return sources[0], nil
}

// LoadAll reads what a run needs of each manifest of the module at root: the module's path, the files of
// the manifest, the handlers with their tests, package comments and the documents. Mistakes in the files
// are for Run to report, but for those of the settings, which leave no source; an error means that
// something could not be read.
func LoadAll(root string) ([]Source, diag.List, error) {
	module, err := modulePathAt(root)
	if err != nil {
		return nil, nil, err
	}
	layouts, file, diags, err := ReadSettings(root)
	if err != nil {
		return nil, nil, err
	}
	var out []Source
	for _, l := range layouts {
		src := Source{Module: module, Settings: file}
		if file != nil {
			src.Layout = l
		}
		if err := src.load(root, layouts); err != nil {
			return nil, nil, fmt.Errorf("read the manifest and what speaks of it: %w", err)
		}
		out = append(out, src)
	}
	return out, diags, nil
}

// LoadManifest is LoadAll of one manifest, by its root file.
func LoadManifest(root, manifest string) (Source, error) {
	module, err := modulePathAt(root)
	if err != nil {
		return Source{}, err
	}
	layouts, file, diags, err := ReadSettings(root)
	if err != nil {
		return Source{}, err
	}
	if diags.HasErrors() {
		return Source{}, fmt.Errorf("%s: %s", diags[0].Pos, diags[0].Message)
	}
	i := slices.IndexFunc(layouts, func(l model.Layout) bool { return l.Manifest == manifest })
	if i < 0 {
		return Source{}, fmt.Errorf("the module has no manifest %s", manifest)
	}
	src := Source{Module: module, Layout: layouts[i], Settings: file}
	return src, src.load(root, layouts)
}

func modulePathAt(root string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // of forwarded tools alone; what compiles to Go refuses it
	}
	if err != nil {
		return "", fmt.Errorf("read the module's path: %w", err)
	}
	module := ModulePath(mod)
	if module == "" {
		return "", fmt.Errorf("read the module's path: %s has no module line", filepath.Join(root, "go.mod"))
	}
	return module, nil
}

// load adds the files of the module at root that a run of this manifest depends on, and the names of the
// tools of the other manifests. Generated files, of this manifest or of another, are not among them.
func (s *Source) load(root string, layouts []model.Layout) error {
	layout := s.layout()
	read := map[string]bool{}
	for _, l := range layouts {
		read[l.Output] = true
	}
	for _, at := range slices.Concat([]string{layout.Dir(), layout.Handlers}, layout.Docs, commentDirs) {
		if err := s.read(root, at, read); err != nil {
			return err
		}
	}
	if err := s.readTests(root, read); err != nil {
		return err
	}
	for _, l := range layouts {
		if l.Manifest == layout.Manifest {
			continue
		}
		other := Source{Layout: l}
		if err := other.read(root, l.Dir(), map[string]bool{}); err != nil {
			return err
		}
		s.Others = append(s.Others, other.toolNames()...)
	}
	return nil
}

// toolNames lists the tools of the manifest as far as it can be read.
func (s *Source) toolNames() []string {
	tree, _ := spec.Parse(s.RootFile(), s.Files)
	if tree == nil {
		return nil
	}
	var out []string
	for _, a := range tree.Areas {
		for _, t := range a.Tools {
			out = append(out, t.Name.Value)
		}
	}
	return out
}

// read adds a file, or those of a directory, as far as a run depends on them and they are not read yet.
// Test data of packages is not the module's.
func (s *Source) read(root, at string, read map[string]bool) error {
	return filepath.WalkDir(filepath.Join(root, filepath.FromSlash(at)), func(full string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // Run says that the root file is missing; nothing else must be there
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || read[name]):
			return fs.SkipDir
		case d.IsDir() || read[name]:
			return nil
		}
		read[name] = true
		if !(&Source{Layout: s.Layout}).Add(spec.File{Name: name}) {
			return nil // not worth reading
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		s.Add(spec.File{Name: name, Data: data})
		return nil
	})
}

// readTests adds the tests of the module, wherever they are, that are not read yet and import the package of the constants, and
// the files that serve.
func (s *Source) readTests(root string, read map[string]bool) error {
	constants := []byte("/" + s.layout().Packages.Toolset + `"`)
	return EachGoFile(root, slices.Collect(maps.Keys(read)), func(name string) error {
		isTest := strings.HasSuffix(name, "_test.go")
		if isTest && model.Within(name, s.layout().Handlers) {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		switch {
		case !isTest && !read[name] && bytes.Contains(data, []byte(evidence.ServerPath)):
			s.Serves = append(s.Serves, spec.File{Name: name, Data: data})
		case isTest && bytes.Contains(data, constants):
			s.Tests = append(s.Tests, spec.File{Name: name, Data: data})
		}
		return err
	})
}

// EachGoFile visits the Go files of the module at root, named relative to it, but for those of skipped directories, of
// modules inside, of test data and of other projects' code.
func EachGoFile(root string, skip []string, visit func(name string) error) error {
	return filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, full)
		name := filepath.ToSlash(rel)
		switch {
		case err != nil || full == root:
			return err
		case d.IsDir() && (strings.Trim(d.Name(), "._") != d.Name() || slices.Contains([]string{"testdata", "node_modules", "vendor"}, d.Name()) ||
			slices.Contains(skip, name) || isFile(full, "go.mod")):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		return visit(name)
	})
}

// ModulePath returns the import path of a go.mod; "" when it has no module line. The line is the whole grammar needed here; a parser
// of go.mod would be a dependency for it.
func ModulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module"); ok && strings.TrimLeft(rest, " \t") != rest {
			return strings.Trim(strings.TrimSpace(rest), "\"`")
		}
	}
	return ""
}

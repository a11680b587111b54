package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/gen/spec"
)

// ErrNoModule says that neither the directory nor one above it holds a go.mod.
var ErrNoModule = errors.New("no go.mod in this directory or above")

// FindModule is the root of the module that dir lies in: the nearest directory, upwards, with a
// go.mod.
func FindModule(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && info.Mode().IsRegular() {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ErrNoModule
		}
		dir = up
	}
}

// Load reads what a run needs from the module that dir lies in: the module's path, the files of
// manifest/, the handlers with their tests, package comments and the documents. Mistakes in the files are for Run to
// report; an error here means they could not be read.
func Load(dir string) (Source, error) {
	root, err := FindModule(dir)
	if err != nil {
		return Source{}, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return Source{}, fmt.Errorf("read the module's path: %w", err)
	}
	src := Source{Module: ModulePath(mod)}
	if src.Module == "" {
		return Source{}, fmt.Errorf("read the module's path: %s has no module line", filepath.Join(root, "go.mod"))
	}
	for _, at := range append([]string{"manifest", codeDir, docsDir, "README.md", "CONTRIBUTING.md"}, commentDirs...) {
		if err := src.read(root, at); err != nil {
			return Source{}, fmt.Errorf("read the manifest and what speaks of it: %w", err)
		}
	}
	return src, nil
}

// read adds a file, or those of a directory, as far as a run depends on them. Test data of packages
// is not the module's.
func (s *Source) read(root, at string) error {
	return filepath.WalkDir(filepath.Join(root, at), func(full string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // Run says that the root file is missing; nothing else must be there
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if !new(Source).Add(spec.File{Name: name}) {
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

// Package repotest reads the repository as a tree of Go packages, documents and files, for the tests that hold its rules
// and for scripts/verify/size. It must not test the behaviour of a package, and no program that ships imports it.
package repotest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Module is the path of the module at the root.
const Module = "github.com/callsheet/callsheet"

// Package is a package of the repository.
type Package struct {
	ImportPath string
	Imports    []string // of the files that are no tests
	Dir        string
}

// Path returns the import path below Module.
func (p Package) Path() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, Module), "/")
}

// Tree is the repository. It lists its packages once and parses each file once; all of its methods may be called in parallel.
type Tree struct {
	Packages []Package // of the modules of the root, gen and scripts/packaging
	Fset     *token.FileSet

	mu    sync.Mutex
	files map[string]func() (*ast.File, error) // by path
}

// Load lists the packages of the checkout in root.
func Load(ctx context.Context, root string) (*Tree, error) {
	t := &Tree{Fset: token.NewFileSet(), files: map[string]func() (*ast.File, error){}}
	for dir, patterns := range map[string][]string{".": {"./...", Module + "/gen/..."}, "scripts/packaging": {"./..."}} {
		listed, err := list(ctx, filepath.Join(root, dir), patterns)
		if err != nil {
			return nil, err
		}
		t.Packages = append(t.Packages, listed...)
	}
	return t, nil
}

// list lists the packages that patterns name in the module of a directory.
func list(ctx context.Context, dir string, patterns []string) ([]Package, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-json=ImportPath,Imports,Dir"}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", dir, err)
	}
	var all []Package
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", dir, err)
		}
		all = append(all, p)
	}
}

// Parse returns the syntax of a Go file with its comments.
func (t *Tree) Parse(file string) (*ast.File, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	parse := t.files[file]
	if parse == nil {
		parse = sync.OnceValues(func() (*ast.File, error) {
			return parser.ParseFile(t.Fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		})
		t.files[file] = parse
	}
	t.mu.Unlock()
	return parse()
}

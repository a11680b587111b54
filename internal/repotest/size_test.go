package repotest

import (
	"go/ast"
	"path/filepath"
	"strings"
	"testing"
)

// The sizes up to which code is read in one go. Generated code and, but for the length of files,
// tests are exempt.
const (
	maxFileLines     = 400
	maxFunctionLines = 50
	maxParameters    = 5
	maxPackageFiles  = 25
)

// largePackageReason begins the sentence of a package comment that says why the package has more
// than maxPackageFiles.
const largePackageReason = "It is one package because"

// TestCodeStaysReadable holds files, functions, parameter lists and packages to their sizes.
func TestCodeStaysReadable(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if strings.HasPrefix(p.ImportPath, Module+"/generated") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		sources := 0
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				sources++
			}
			checkSizes(t, file)
		}
		if sources > maxPackageFiles && !strings.Contains(oneLine(packageComment(t, p.Dir)), largePackageReason) {
			t.Errorf("%s has %d files; split it along an idea, or say in its comment: %q …", p.ImportPath, sources, largePackageReason)
		}
	}
}

// checkSizes reports what of a file is too large.
func checkSizes(t *testing.T, file string) {
	t.Helper()
	parsed, fset := parse(t, file)
	if n := fset.Position(parsed.End()).Line; n > maxFileLines {
		t.Errorf("%s has %d lines, more than %d; split it along an idea", file, n, maxFileLines)
	}
	if strings.HasSuffix(file, "_test.go") {
		return
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncDecl)
		if !ok {
			return true
		}
		at := fset.Position(f.Pos())
		if lines := fset.Position(f.End()).Line - at.Line + 1; lines > maxFunctionLines {
			t.Errorf("%s: %s has %d lines, more than %d", at, f.Name.Name, lines, maxFunctionLines)
		}
		if count := f.Type.Params.NumFields(); count > maxParameters {
			t.Errorf("%s: %s has %d parameters, more than %d; give them a type", at, f.Name.Name, count, maxParameters)
		}
		return true
	})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

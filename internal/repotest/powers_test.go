package repotest

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen"
)

// mayGrant are the packages that grant powers to work which no call dispatches.
var mayGrant = []string{"internal/app", "internal/cli/doctor", "internal/powertest", "cmd/callsheet", "cmd/callsheet-site"}

// testSupport are the packages for tests alone that use every power.
var testSupport = []string{"internal/engine/browser/browsertest"}

// TestOnlyOperatorsGrantPowers holds the packages that make grants, and that use every power for
// tests, against the list.
func TestOnlyOperatorsGrantPowers(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, Module+"/")
		if slices.Contains(p.Imports, Module+"/gen/toolkit/grant/operator") && !slices.Contains(mayGrant, from) {
			t.Errorf("%s grants itself powers: a handler is handed those of its manifest entry", from)
		}
		if slices.Contains(p.Imports, Module+"/internal/powertest") && !slices.Contains(testSupport, from) {
			t.Errorf("%s imports internal/powertest, which is for tests", from)
		}
	}
}

// TestDemandedPowersAreListed compares the functions that take a power with those that the manifest
// lists for it, in both directions.
func TestDemandedPowersAreListed(t *testing.T) {
	t.Parallel()
	src, err := gen.Load(".")
	if err != nil {
		t.Fatal(err)
	}
	set, _ := gen.Check(src)
	listed := map[string]bool{}
	for _, p := range set.Powers {
		for _, f := range p.DemandedBy {
			listed[p.GoName+" "+f] = true
		}
	}
	found := demands(t)
	for f := range found {
		if !listed[f] {
			t.Errorf("the manifest does not list under demanded_by: %s", f)
		}
	}
	for f := range listed {
		if !found[f] {
			t.Errorf("the manifest lists a function that does not take the power: %s", f)
		}
	}
}

// demands lists the exported functions of internal/ with a parameter of a power's type. A power that is
// only handed on, as by a constructor, is none.
func demands(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, Module+"/")
		if !strings.HasPrefix(from, "internal/") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, _ := parse(t, file)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() && fn.Name.Name != "New" {
					for _, power := range powersOf(fn) {
						out[power+" "+from+"."+receiver(fn)+fn.Name.Name] = true
					}
				}
			}
		}
	}
	return out
}

// powersOf lists the types of package power among the parameters of a function.
func powersOf(fn *ast.FuncDecl) []string {
	var out []string
	for _, param := range fn.Type.Params.List {
		sel, ok := param.Type.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "power" {
			out = append(out, sel.Sel.Name)
		}
	}
	return out
}

// receiver names the type of a method, with a dot; "" for a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}

// TestHandlersMakeNoPowers looks for values of powers that no dispatcher made: composite literals, new,
// and variables without a value. They would fail their check when the call runs; here they fail before.
func TestHandlersMakeNoPowers(t *testing.T) {
	t.Parallel()
	for file := range goSources(t, "tools/*/*.go") {
		f, _ := parse(t, file)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if isPower(n.Type) {
					t.Errorf("%s makes a power, which only the dispatcher may", file)
				}
			case *ast.ValueSpec:
				if len(n.Values) == 0 && isPower(n.Type) {
					t.Errorf("%s has a variable of a power that no dispatcher made", file)
				}
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "New") && isPower(sel) {
					t.Errorf("%s makes a power of a grant, which is for generated code", file)
				}
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "new" && len(n.Args) == 1 && isPower(n.Args[0]) {
					t.Errorf("%s makes a power, which only the dispatcher may", file)
				}
			}
			return true
		})
	}
}

// isPower reports whether an expression names something of package power, or powers of another tool.
func isPower(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && (x.Name == "power" || strings.HasSuffix(x.Name, "api") && strings.HasSuffix(sel.Sel.Name, "Powers"))
}

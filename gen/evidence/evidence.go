// Package evidence reads Go source and test logs for what they prove about tools: which handlers
// there are, which tests call which tool and expect which refusal, which of them may be skipped,
// and which have passed.
//
// It parses and never type-checks, so that it works while generated code is missing. It must not
// know what the proof is for; packages deferral and promote decide that.
package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Code is the parts of a module's handlers and their tests by which the compiler's rules judge.
type Code struct {
	Handlers []Handler
	Rows     []diag.Pos // where code makes a row of the table of tools, or replaces the table
	Codes    []Literal  // codes of refusals that are written as texts
	Tests    []Test     // in the order of files and of declarations
}

// Handler is a method that takes a call.
type Handler struct {
	Method string
	Pos    diag.Pos
	Asks   Asks

	dir string // the package's directory
}

// Literal is a text where a constant of package codes is expected.
type Literal struct {
	Text string
	Pos  diag.Pos
}

// Test is a test function.
type Test struct {
	Name  string
	Dir   string // the package's directory, relative to the module
	Pos   diag.Pos
	Calls []string // X of each toolset.ToolX that is passed to a call, itself or as a field
	Names []string // X of each toolset.ToolX in it
	Words []string // texts in it, and the names selected from package toolkit
	// Skip says why the test might not run: a call to Skip in it or in a function of its package
	// that it reaches, or a build constraint. "" means that it always does.
	Skip string
	// Digest sums the text of the function.
	Digest string
}

// Says reports whether the test has the text or names toolkit's identifier.
func (t *Test) Says(word string) bool { return slices.Contains(t.Words, word) }

// Packages names generated packages: what code calls them, and the end of the registry's import path.
type Packages struct{ Toolset, Codes, Registry string }

// Read parses the files. Those that do not parse are passed over: the compiler of Go has more to
// say about them.
func Read(files []spec.File, generated Packages) Code {
	var out Code
	packages := make(map[string]*pkg)
	asking := askingPackages{}
	for _, f := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f.Name, f.Data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		at := func(n ast.Node) diag.Pos {
			p := fset.Position(n.Pos())
			return diag.Pos{File: f.Name, Line: p.Line, Col: p.Column, Len: 1}
		}
		if !strings.HasSuffix(f.Name, "_test.go") {
			asking.of(path.Dir(f.Name)).add(file)
			out.Handlers = append(out.Handlers, handlers(file, path.Dir(f.Name), at)...)
			out.Rows = append(out.Rows, rows(file, generated.Registry, at)...)
			out.Codes = append(out.Codes, codeLiterals(file, generated.Codes, at)...)
			continue
		}
		dir := path.Dir(f.Name)
		if packages[dir] == nil {
			packages[dir] = &pkg{calls: map[string][]string{}, skips: map[string]bool{}}
		}
		packages[dir].add(file)
		found := tests(file, dir, generated.Toolset, at)
		for i := range found {
			found[i].Digest = digestOf(fset, file, found[i].Name, f.Data)
		}
		out.Tests = append(out.Tests, found...)
	}
	for i, h := range out.Handlers {
		out.Handlers[i].Asks = asking.of(h.dir).of(h.Method)
	}
	for i := range out.Tests {
		t := &out.Tests[i]
		if by := packages[t.Dir].findSkip(t.Name); t.Skip == "" && by != "" {
			t.Skip = "a call to Skip in " + by
		}
	}
	return out
}

// digestOf sums the text of a function, by name.
func digestOf(fset *token.FileSet, file *ast.File, name string, text []byte) string {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
			sum := sha256.Sum256(text[fset.Position(f.Pos()).Offset:fset.Position(f.End()).Offset])
			return hex.EncodeToString(sum[:8])
		}
	}
	return ""
}

func handlers(file *ast.File, dir string, at func(ast.Node) diag.Pos) []Handler {
	var out []Handler
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || !f.Name.IsExported() {
			continue
		}
		for _, p := range f.Type.Params.List {
			if star, ok := p.Type.(*ast.StarExpr); ok && selects(star.X, "toolkit", "Call") {
				out = append(out, Handler{Method: f.Name.Name, Pos: at(f.Name), dir: dir})
			}
		}
	}
	return out
}

// rows finds literals of toolkit.Tool, alone or in a list, and, in files that name a registry,
// assignments to a member called Tools.
func rows(file *ast.File, generated string, at func(ast.Node) diag.Pos) []diag.Pos {
	var out []diag.Pos
	registry := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return strings.HasSuffix(i.Path.Value, "/"+generated+"\"") })
	ast.Inspect(file, func(n ast.Node) bool {
		registry = registry || n != nil && selects(n, "toolkit", "Registry")
		return !registry
	})
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			kind := n.Type
			if list, ok := kind.(*ast.ArrayType); ok {
				kind = list.Elt
			}
			if kind != nil && selects(kind, "toolkit", "Tool") {
				out = append(out, at(n))
				return false
			}
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if index, ok := to.(*ast.IndexExpr); ok {
					to = index.X
				}
				if s, ok := to.(*ast.SelectorExpr); ok && registry && s.Sel.Name == "Tools" {
					out = append(out, at(s))
				}
			}
		}
		return true
	})
	return out
}

func selects(n ast.Node, from, name string) bool {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == from && s.Sel.Name == name
}

func tests(file *ast.File, dir, toolset string, at func(ast.Node) diag.Pos) []Test {
	skip := ""
	if hasBuildConstraint(file) {
		skip = "a build constraint"
	}
	for _, i := range file.Imports {
		if strings.HasSuffix(i.Path.Value, "/"+toolset+"\"") {
			toolset = importName(i)
			break
		}
	}
	var out []Test
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Body == nil || !strings.HasPrefix(f.Name.Name, "Test") || len(f.Type.Params.List) != 1 {
			continue
		}
		t := Test{Name: f.Name.Name, Dir: dir, Pos: at(f.Name), Skip: skip}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for _, arg := range n.Args {
					t.Calls = append(t.Calls, toolOf(arg, toolset)...)
				}
			case *ast.KeyValueExpr:
				t.Calls = append(t.Calls, toolOf(n.Value, toolset)...) // a request's field
			case *ast.SelectorExpr:
				if isIdent(n.X, "toolkit") {
					t.Words = append(t.Words, n.Sel.Name)
				}
				t.Names = append(t.Names, toolOf(n, toolset)...)
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					t.Words = append(t.Words, text)
				}
			}
			return true
		})
		out = append(out, t)
	}
	return out
}

// toolOf is the tool that an expression names by its generated constant, if it names one.
func toolOf(n ast.Expr, toolset string) []string {
	if s, ok := n.(*ast.SelectorExpr); ok && isIdent(s.X, toolset) && strings.HasPrefix(s.Sel.Name, "Tool") {
		return []string{strings.TrimPrefix(s.Sel.Name, "Tool")}
	}
	return nil
}

func isIdent(n ast.Node, name string) bool {
	x, ok := n.(*ast.Ident)
	return ok && x.Name == name
}

// hasBuildConstraint reports a build constraint above the package clause.
func hasBuildConstraint(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < file.Package && (strings.HasPrefix(c.Text, "//go:build ") || strings.HasPrefix(c.Text, "// +build ")) {
				return true
			}
		}
	}
	return false
}

// pkg is the functions of one directory's tests, by name alone: methods of the same name count as
// one, which errs on the side of "may be skipped".
type pkg struct {
	calls map[string][]string
	skips map[string]bool
}

func (p *pkg) add(file *ast.File) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		name := f.Name.Name
		ast.Inspect(f.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				p.calls[name] = append(p.calls[name], fun.Name)
			case *ast.SelectorExpr:
				p.calls[name] = append(p.calls[name], fun.Sel.Name)
				if s := fun.Sel.Name; s == "Skip" || s == "Skipf" || s == "SkipNow" {
					p.skips[name] = true
				}
			}
			return true
		})
	}
}

// findSkip finds a function that name reaches and that skips; "" when there is none.
func (p *pkg) findSkip(name string) string {
	seen := map[string]bool{name: true}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		if p.skips[queue[0]] {
			return queue[0]
		}
		for _, next := range p.calls[queue[0]] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return ""
}

package swap_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"strings"

	"golang.org/x/tools/go/packages"
)

// area is the package of an area's handlers.
type area struct {
	name     string
	dir      string // from the root of the repository
	pkg      *packages.Package
	handlers []*handler
	texts    map[string][]byte // of its files, by name
}

// handler is the method that runs a tool.
type handler struct {
	tool, name, file string
	decl             *ast.FuncDecl
}

// exchange is a handler that runs the body of another, and that other one, which runs the body of the first where both compile.
type exchange struct {
	h, body *handler
	both    bool
}

// String is the value of the variable that chooses the exchange.
func (x exchange) String() string {
	if x.both {
		return x.h.name + "=" + x.body.name + "," + x.body.name + "=" + x.h.name
	}
	return x.h.name + "=" + x.body.name
}

// title names the tools.
func (x exchange) title() string {
	if x.both {
		return x.h.tool + " / " + x.body.tool
	}
	return x.h.tool + " <- " + x.body.tool
}

// tools lists the tools that do another thing.
func (x exchange) tools() []string {
	if x.both {
		return []string{x.h.tool, x.body.tool}
	}
	return []string{x.h.tool}
}

// loadAreas reads the handlers of areas.
func loadAreas(names []string) ([]*area, error) {
	dirs := make([]string, len(names))
	for i, name := range names {
		dirs[i] = "./tools/" + name
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, dirs...)
	if err != nil {
		return nil, err
	}
	out := make([]*area, len(loaded))
	for i, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return nil, pkg.Errors[0]
		}
		if out[i], err = newArea(pkg); err != nil {
			return nil, fmt.Errorf("%s: %w", pkg.PkgPath, err)
		}
	}
	return out, nil
}

// newArea reads the handlers of a package, and the interface that lists them.
func newArea(pkg *packages.Package) (*area, error) {
	name := path.Base(pkg.PkgPath)
	a := &area{name: name, dir: "./tools/" + name, pkg: pkg, texts: map[string][]byte{}}
	tools, err := handlerTools("generated/toolset/" + name + "api/" + name + "api.go")
	if err != nil {
		return nil, err
	}
	for _, file := range a.pkg.Syntax {
		at := a.pkg.Fset.File(file.FileStart).Name()
		if a.texts[at], err = os.ReadFile(at); err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && tools[f.Name.Name] != "" {
				a.handlers = append(a.handlers, &handler{tool: tools[f.Name.Name], name: f.Name.Name, file: at, decl: f})
				delete(tools, f.Name.Name)
			}
		}
	}
	if len(tools) > 0 {
		return nil, fmt.Errorf("no method of the package runs %v", tools)
	}
	return a, nil
}

// handlerTools reads the tool of each method of the interface of an area from its comment.
func handlerTools(file string) (map[string]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	handlers, ok := parsed.Scope.Lookup("Handlers").Decl.(*ast.TypeSpec)
	if !ok {
		return nil, errors.New("no type Handlers")
	}
	tools := map[string]string{}
	for _, m := range handlers.Type.(*ast.InterfaceType).Methods.List {
		if words := strings.Fields(m.Doc.Text()); len(m.Names) == 1 && len(words) > 2 {
			tools[m.Names[0].Name] = strings.TrimSuffix(words[2], ":")
		}
	}
	return tools, nil
}

// compilable lists the exchanges that type-check.
func (a *area) compilable() ([]exchange, error) {
	broken := map[string]bool{}
	for _, h := range a.handlers {
		for _, other := range a.handlers {
			if h != other && h.decl.Type.Results.NumFields() != other.decl.Type.Results.NumFields() {
				broken[exchangedName(h, other)] = true
			}
		}
	}
	files, err := a.withExchanged(func(h, body *handler) bool { return h != body && !broken[exchangedName(h, body)] }, nil)
	if err != nil {
		return nil, err
	}
	syntax, wrong, err := a.typeCheck(files)
	if err != nil {
		return nil, err
	}
	for _, e := range wrong {
		name := enclosing(syntax, e.Pos)
		if name == "" {
			return nil, fmt.Errorf("type-check: %w", e)
		}
		broken[name] = true
	}
	var out []exchange
	for i, h := range a.handlers {
		for _, other := range a.handlers[i+1:] {
			there, back := !broken[exchangedName(h, other)], !broken[exchangedName(other, h)]
			switch {
			case there:
				out = append(out, exchange{h, other, back})
			case back:
				out = append(out, exchange{other, h, false})
			}
		}
	}
	return out, nil
}

// typeCheck parses the files of the area and returns every error of their types.
func (a *area) typeCheck(files map[string][]byte) (syntax []*ast.File, wrong []types.Error, err error) {
	fset := token.NewFileSet()
	for _, file := range a.pkg.Syntax {
		at := a.pkg.Fset.File(file.FileStart).Name()
		parsed, err := parser.ParseFile(fset, at, files[at], parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		syntax = append(syntax, parsed)
	}
	check := types.Config{Importer: importer(a.pkg.Types.Imports()), Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			wrong = append(wrong, e)
		}
	}}
	_, _ = check.Check(a.pkg.PkgPath, fset, syntax, nil)
	return syntax, wrong, nil
}

// enclosing returns the name of the added function at a position, or "".
func enclosing(files []*ast.File, pos token.Pos) string {
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Pos() <= pos && pos < f.End() && strings.HasPrefix(f.Name.Name, exchangedPrefix) {
				return f.Name.Name
			}
		}
	}
	return ""
}

// importer has the types of the packages that an area imports.
type importer []*types.Package

func (list importer) Import(name string) (*types.Package, error) {
	for _, p := range list {
		if p.Path() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s is not imported", name)
}

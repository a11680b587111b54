package evidence

import (
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
)

// Asks lists the inputs that a handler asks its client for with Call.Ask, as far as its package shows.
type Asks struct {
	Kinds []string // names of capabilities, sorted; of the inputs that it and the functions it calls make
	Maybe []string // those of functions that are only named as well
	Open  bool     // it may ask for others too: it hands the call, or the making of an input, to another package
}

// asking has the functions of one package by name. Methods of one name count as one function.
type asking struct{ functions map[string]*function }

// askingPackages are packages by directory.
type askingPackages map[string]*asking

func (p askingPackages) of(dir string) *asking {
	if p[dir] == nil {
		p[dir] = &asking{functions: map[string]*function{}}
	}
	return p[dir]
}

type function struct {
	kinds map[string]bool // of the inputs that it makes
	calls map[string]bool // names of what it calls
	names map[string]bool // other names in it: those of functions may be called elsewhere
	asks  bool
	open  bool
}

// add notes the functions of a file.
func (p *asking) add(file *ast.File) {
	imported := map[string]bool{}
	for _, i := range file.Imports {
		imported[importName(i)] = true
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		fn := p.functions[f.Name.Name]
		if fn == nil {
			fn = &function{kinds: map[string]bool{}, calls: map[string]bool{}, names: map[string]bool{}}
			p.functions[f.Name.Name] = fn
		}
		r := reading{fn, imported, callParams(f)}
		ast.Inspect(f.Body, r.node)
	}
}

// importName returns the name by which a file uses an import; "" where its path is not readable.
func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	text, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		return ""
	}
	return path.Base(text)
}

// callParams names the parameters that are calls.
func callParams(f *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	for _, p := range f.Type.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok && selects(star.X, "toolkit", "Call") {
			for _, n := range p.Names {
				out[n.Name] = true
			}
		}
	}
	return out
}

// reading is a function while it is read.
type reading struct {
	fn       *function
	imported map[string]bool
	calls    map[string]bool // names of its calls
}

func (r reading) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if n.Type != nil && selects(n.Type, "toolkit", "Input") {
			r.input(n)
		}
	case *ast.CallExpr:
		r.call(n)
	case *ast.Ident:
		r.fn.names[n.Name] = true
	case *ast.AssignStmt:
		for _, to := range n.Lhs {
			if s, ok := to.(*ast.SelectorExpr); ok && slices.Contains([]string{"Question", "Sampling", "Roots", "URL"}, s.Sel.Name) {
				r.fn.open = true
			}
		}
	}
	return true
}

// input notes the kind of an input that is written out. One that is copied from elsewhere can be of any kind.
func (r reading) input(lit *ast.CompositeLit) {
	found := false
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch {
		case isIdent(pair.Key, "Sampling"):
			r.fn.kinds["sampling"], found = true, true
		case isIdent(pair.Key, "Roots"):
			r.fn.kinds["roots"], found = true, true
		case isIdent(pair.Key, "Question"):
			found = true
			kind, ok := questionKind(pair.Value)
			if r.fn.open = r.fn.open || !ok; ok {
				r.fn.kinds[kind] = true
			}
		}
	}
	r.fn.open = r.fn.open || !found
}

// questionKind tells a form from a page by a literal of toolkit.Question; false for any other value.
func questionKind(value ast.Expr) (string, bool) {
	if ref, ok := value.(*ast.UnaryExpr); ok && ref.Op == token.AND {
		value = ref.X
	}
	lit, ok := value.(*ast.CompositeLit)
	if !ok || !selects(lit.Type, "toolkit", "Question") {
		return "", false
	}
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && isIdent(pair.Key, "URL") {
			return "elicitation.url", true
		}
	}
	return "elicitation", true
}

// call notes whether a call asks, and whether it leaves the package with what the asking depends on.
func (r reading) call(n *ast.CallExpr) {
	if f, ok := n.Fun.(*ast.Ident); ok {
		r.fn.calls[f.Name] = true
	}
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	x, isName := s.X.(*ast.Ident)
	outside := isName && r.imported[x.Name]
	if !outside {
		r.fn.calls[s.Sel.Name] = true
	}
	for _, arg := range n.Args {
		if id, ok := arg.(*ast.Ident); ok && r.calls[id.Name] && (outside || !isName) {
			r.fn.open = true
		}
	}
	if s.Sel.Name != "Ask" || outside || len(n.Args) < 2 {
		return
	}
	r.fn.asks = true
	for _, arg := range n.Args[1:] {
		if made, ok := arg.(*ast.CallExpr); ok {
			if by, ok := made.Fun.(*ast.SelectorExpr); ok {
				from, isName := by.X.(*ast.Ident)
				r.fn.open = r.fn.open || !isName || r.imported[from.Name]
			}
		}
	}
}

// of returns what a function asks for, with the functions of its package that it reaches.
func (p *asking) of(name string) Asks {
	sure, maybe := p.reach(name, false), p.reach(name, true)
	out := Asks{Open: maybe.open}
	if sure.asks {
		out.Kinds = slices.Sorted(maps.Keys(sure.kinds))
	}
	if maybe.asks {
		out.Maybe = slices.Sorted(maps.Keys(maybe.kinds))
	}
	return out
}

// reach joins what a function does with what those do that it calls, and with named those that it names.
func (p *asking) reach(name string, named bool) *function {
	out, seen := &function{kinds: map[string]bool{}}, map[string]bool{}
	next := []string{name}
	for len(next) > 0 {
		name, next = next[0], next[1:]
		fn := p.functions[name]
		if fn == nil || seen[name] {
			continue
		}
		seen[name] = true
		maps.Copy(out.kinds, fn.kinds)
		out.asks, out.open = out.asks || fn.asks, out.open || fn.open
		next = slices.AppendSeq(next, maps.Keys(fn.calls))
		if named {
			next = slices.AppendSeq(next, maps.Keys(fn.names))
		}
	}
	return out
}

package evidence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// ServerPath is the end of the import path of the package that serves a registry, with its quotation mark.
const ServerPath = `/toolkit/mcpserver"`

// Serving is how a module serves its registry over HTTP.
type Serving struct {
	HTTP       []diag.Pos // calls of mcpserver.Server.HTTPHandler
	KeepsState bool       // an option says which stateless calls are of one session
}

// stateOptions are the options of a server that say which stateless calls are of one session.
var stateOptions = []string{"Authenticate", "SessionOf", "StateHeader", "StateMeta"}

// ReadServing reads the Go files of a module that import the package of servers. Those that do not parse are passed over.
func ReadServing(files []spec.File) (out Serving) {
	for _, f := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "HTTPHandler" && len(n.Args) == 1 {
					p := fset.Position(s.Sel.Pos())
					out.HTTP = append(out.HTTP, diag.Pos{File: f.Name, Line: p.Line, Col: p.Column, Len: len(s.Sel.Name)})
				}
			case *ast.KeyValueExpr:
				key, ok := n.Key.(*ast.Ident)
				out.KeepsState = out.KeepsState || ok && slices.Contains(stateOptions, key.Name)
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					s, ok := to.(*ast.SelectorExpr)
					out.KeepsState = out.KeepsState || ok && slices.Contains(stateOptions, s.Sel.Name)
				}
			}
			return true
		})
	}
	return out
}

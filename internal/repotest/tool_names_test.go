package repotest

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ownNames are the packages that may write a tool's name, each with the reason.
var ownNames = map[string]string{
	"gen/emit/emittest":                 "its sample tool set has tools of its own, two of which are called like tools of the manifest",
	"internal/tooltest":                 "it serves tests only, which call tools by name",
	"bench/scale":                       "it is a client of several servers, and calls their tools by name",
	"scripts/packaging/internal/client": "it is a client of what a release installs, and calls tools by name",
	"scripts/verify/callpath":           "it is a client of a server, and calls its tools by name",
	"scripts/verify/mutate":             "it edits the entries of tools, and finds them by name",
}

// TestToolNamesAreWrittenInTheManifestAlone keeps decisions by a tool's name out of Go: traits of
// the manifest decide. Outside of generated code and tests, and of the packages that implement the
// tool's own area, no Go file
//
//   - has a string literal that equals the name of a live or deferred tool of two words or more (read_page);
//   - compares anything with such a literal of one word (find, crawl) where the other side, or the tag of the switch, is
//     the name of a tool: a selector or variable called Tool, or Name of one called t, tool or Tool. Elsewhere one word is
//     an ordinary word, such as the name of a permission;
//   - compares anything with a generated constant (toolset.ToolFind), has it as a case, as a key of a map, or as an element
//     of a list of plain names. Constants are for calls that are dispatched and for advice: a list inside of a literal
//     of a type called advice is one that a text names.
func TestToolNamesAreWrittenInTheManifestAlone(t *testing.T) {
	t.Parallel()
	areas := map[string]string{} // by name and by constant of a tool
	set := manifestSet(t)
	for _, tool := range set.Tools {
		areas[tool.Name], areas["toolset.Tool"+tool.GoName] = tool.Area.Name, tool.Area.Name
	}
	for _, d := range set.Deferrals {
		areas[d.Name], areas["toolset.Deferred"+d.GoName] = d.Area, d.Area
	}
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, Module+"/")
		if _, excepted := ownNames[path]; excepted || strings.HasPrefix(path, "generated") {
			continue
		}
		sources, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		for _, file := range sources {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, fset := parse(t, file)
			n := toolNames{areas: areas, advice: map[ast.Node]bool{}, own: strings.TrimPrefix(path, "tools/"), report: func(at ast.Node, what string) {
				t.Errorf("%s: %s; let a trait of the manifest decide", fset.Position(at.Pos()), what)
			}}
			ast.Inspect(parsed, n.visit)
		}
	}
}

// toolNames finds names of tools in one file. Own is the area that the file's package implements,
// if it is one.
type toolNames struct {
	areas  map[string]string
	own    string
	report func(at ast.Node, what string)
	advice map[ast.Node]bool // lists inside of advice
}

func (n toolNames) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.BasicLit:
		if name := n.literal(node); strings.Contains(name, "_") {
			n.report(node, strconv.Quote(name)+" is the name of a tool")
		}
	case *ast.BinaryExpr:
		if node.Op == token.EQL || node.Op == token.NEQ {
			n.compared(node.X, node.Y)
			n.compared(node.Y, node.X)
		}
	case *ast.SwitchStmt:
		for _, clause := range node.Body.List {
			for _, value := range clause.(*ast.CaseClause).List {
				n.compared(value, node.Tag)
			}
		}
	case *ast.CompositeLit:
		n.listed(node)
	}
	return true
}

// compared reports a value that names a tool and is held against another.
func (n toolNames) compared(value, with ast.Expr) {
	if name := n.constant(value); name != "" {
		n.report(value, name+" decides something")
	}
	if name := n.literal(value); name != "" && !strings.Contains(name, "_") && namesTool(with) {
		n.report(value, strconv.Quote(name)+" decides something")
	}
}

// listed reports constants in lists and maps of plain names. A struct that holds one, such as
// advice, is no list.
func (n toolNames) listed(list *ast.CompositeLit) {
	plain := false
	switch typ := list.Type.(type) {
	case *ast.Ident:
		n.adviceIn(list, typ)
	case *ast.ArrayType:
		id, ok := typ.Elt.(*ast.Ident)
		n.adviceIn(list, id)
		plain = ok && id.Name == "string"
	case *ast.MapType:
		plain = true
	}
	if !plain || n.advice[list] {
		return
	}
	for _, e := range list.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Key
		}
		if name := n.constant(e); name != "" {
			n.report(e, name+" is in a list of tools")
		}
	}
}

// adviceIn notes the literals inside of a literal whose type, or whose elements' type, is called
// advice.
func (n toolNames) adviceIn(list *ast.CompositeLit, typ *ast.Ident) {
	if typ == nil || typ.Name != "advice" {
		return
	}
	ast.Inspect(list, func(inner ast.Node) bool {
		n.advice[inner] = true
		return true
	})
}

// literal returns the name of a tool of another area that an expression writes, or "".
func (n toolNames) literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	name, err := strconv.Unquote(lit.Value)
	if area, known := n.areas[name]; err != nil || !known || area == n.own {
		return ""
	}
	return name
}

// constant returns the generated constant that an expression is, or "".
func (n toolNames) constant(e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || pkg.Name != "toolset" {
		return ""
	}
	name := "toolset." + sel.Sel.Name
	if area, known := n.areas[name]; !known || area == n.own {
		return ""
	}
	return name
}

// namesTool reports whether an expression is the name of a tool: call.Tool.Name, step.Tool, tool.
func namesTool(e ast.Expr) bool {
	isTool := func(name string) bool { return slices.Contains([]string{"t", "tool", "Tool"}, name) }
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "tool"
	case *ast.SelectorExpr:
		if e.Sel.Name != "Name" {
			return e.Sel.Name == "Tool" || e.Sel.Name == "tool"
		}
		switch x := e.X.(type) {
		case *ast.Ident:
			return isTool(x.Name)
		case *ast.SelectorExpr:
			return isTool(x.Sel.Name)
		}
	}
	return false
}

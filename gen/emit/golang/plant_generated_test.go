package golang_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// generated plants bugs in one file.
type generated struct {
	*Planter
	set     *token.FileSet
	failure error
}

// visit plants the bugs of a node, whose parts have theirs already.
func (g *generated) visit(c *astutil.Cursor) {
	switch n := c.Node().(type) {
	case *ast.CompositeLit:
		g.rule(n)
	case *ast.ValueSpec:
		if list, ok := onlyList(n); ok && strings.HasSuffix(n.Names[0].Name, "Keys") {
			n.Values[0] = g.choices(list, "offered names", `"surplus"`)
		} else if ok && strings.HasSuffix(n.Names[0].Name, "Variants") {
			n.Values[0] = g.choices(list, "union", `"surplus"`)
		}
	case *ast.IfStmt:
		if call := onlyCall(n.Body); call != nil && method(call) == "Needs" {
			n.Cond = g.demand(n.Cond)
		}
		if call := onlyCall(n.Body); call != nil && (method(call) == "Missing" || method(call) == "Needs") && !g.isTag(call) {
			kind := map[string]string{"Missing": "required", "Needs": "requirement"}[method(call)]
			n.Cond = g.expr("!toolkit.Planted(%v) && (%v)", g.add(kind, "not checked: %s", g.text(call)), n.Cond)
		}
	case *ast.SwitchStmt:
		g.names(n)
	case *ast.CallExpr:
		if method(n) == "ReadNull" {
			number := g.add("null", "refused: %s", g.text(n))
			c.Replace(g.expr("toolkit.ReadNullPlanted("+number+", %v, %v)", n.Args[0], n.Args[1]))
		}
	}
}

// names plants bugs in the switch over the names of an object's members.
func (g *generated) names(s *ast.SwitchStmt) {
	for _, clause := range s.Body.List {
		clause := clause.(*ast.CaseClause)
		for i, name := range clause.List {
			if lit, ok := name.(*ast.BasicLit); ok && strings.Contains(g.text(s.Tag), "Key()") {
				clause.List[i] = g.expr("toolkit.PlantedValue(%v, %v, \"\\x00\")", g.add("name", "not known: %s", lit.Value), lit)
			}
		}
		if call := onlyCall(&ast.BlockStmt{List: clause.Body}); clause.List == nil && call != nil && method(call) == "Unknown" {
			number := g.add("unknown name", "taken: %s", g.text(call))
			clause.Body = []ast.Stmt{&ast.IfStmt{
				Cond: g.expr("toolkit.Planted(%v)", number),
				Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: g.expr("a.Any()")}}},
				Else: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call}}},
			}}
		}
	}
}

// rule plants bugs in the limits of a value.
func (g *generated) rule(lit *ast.CompositeLit) {
	typ := ""
	if selector, ok := lit.Type.(*ast.SelectorExpr); ok {
		typ = selector.Sel.Name
	}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, value := g.text(kv.Key), g.text(kv.Value)
		wrong := func(kind, what string) {
			kv.Value = g.expr("toolkit.PlantedValue(%v, %v, "+what+")", g.add(kind, "%s of %s: %s instead of %s", key, typ, what, value), kv.Value)
		}
		switch typ + "." + key {
		case "StringRule.Enum":
			kv.Value = g.choices(kv.Value.(*ast.CompositeLit), "enum", `"surplus"`)
		case "NumberRule.Enum":
			kv.Value = g.choices(kv.Value.(*ast.CompositeLit), "integer enum", `{Name: "surplus", Value: 77}`)
		case "StringRule.Format":
			wrong("format", `""`)
		case "StringRule.Pattern":
			wrong("pattern", "nil")
		case "MapRule.Names":
			wrong("member names", "nil")
		case "NumberRule.HasMin":
			wrong("minimum", "false")
		case "NumberRule.HasMax":
			wrong("maximum", "false")
		case "Form.Was":
			wrong("old name", "nil")
		case "Form.Object":
			wrong("old name", `toolkit.ObjectForm("")`)
		case "StringRule.MinLen", "StringRule.MaxLen":
			offByOne(value, "length", wrong)
		case "CountRule.Min", "CountRule.Max":
			offByOne(value, "items", wrong)
		case "MapRule.Min", "MapRule.Max":
			offByOne(value, "members", wrong)
		case "NumberRule.Min":
			offByOne("float64("+value+")", "minimum", wrong)
		case "NumberRule.Max":
			offByOne("float64("+value+")", "maximum", wrong)
		}
	}
}

// offByOne plants a limit that is too high, and one that is too low.
func offByOne(value, kind string, wrong func(kind, what string)) {
	wrong(kind, value+"+1")
	wrong(kind, value+"-1")
}

// isTag reports whether a call says that the tag of a union is missing. Variant has said so before.
func (g *generated) isTag(call *ast.CallExpr) bool {
	return method(call) == "Missing" && g.text(call.Args[0]) == strconv.Quote(g.Tag)
}

// demand plants bugs in the condition under which a requirement is not met: it does not apply with each of the values that it
// applies with, and two names are taken where one is required, or none is.
func (g *generated) demand(cond ast.Expr) ast.Expr {
	return astutil.Apply(cond, nil, func(c *astutil.Cursor) bool {
		compare, ok := c.Node().(*ast.BinaryExpr)
		if !ok {
			return true
		}
		what := g.text(compare)
		if lit, ok := compare.Y.(*ast.BasicLit); ok && lit.Kind == token.STRING && compare.Op == token.EQL {
			c.Replace(g.expr("!toolkit.Planted(%v) && (%v)", g.add("requirement", "not for a value: %s", what), compare))
		}
		if strings.Contains(what, "OnesCount64") && compare.Op == token.NEQ {
			none, two := g.add("requirement", "none is taken: %s", what), g.add("requirement", "two are taken: %s", what)
			c.Replace(g.expr("toolkit.PlantedValue(%v, toolkit.PlantedValue(%v, %v, %v > 1), %v < 1)", two, none, compare, compare.X, compare.X))
		}
		return true
	}).(ast.Expr)
}

// onlyList returns the list that a variable is made with.
func onlyList(v *ast.ValueSpec) (*ast.CompositeLit, bool) {
	if len(v.Values) != 1 {
		return nil, false
	}
	list, ok := v.Values[0].(*ast.CompositeLit)
	return list, ok
}

// choices plants a list without each of its values, or the first of offered names, and one with another. An enum of one value
// is that of a tag, which Variant has looked at before.
func (g *generated) choices(all *ast.CompositeLit, kind, extra string) (out ast.Expr) {
	out = all
	if len(all.Elts) == 1 && kind == "enum" {
		return out
	}
	whole := g.text(all)
	typ := g.text(all.Type)
	wrong := func(what string, values ...string) {
		number := g.add(kind, "%s: %s", what, whole)
		out = g.expr("toolkit.PlantedValue(%v, %v, "+typ+"{"+strings.Join(values, ", ")+"})", number, out)
	}
	values := make([]string, len(all.Elts))
	for i, e := range all.Elts {
		values[i] = g.text(e)
	}
	for i := range values {
		if i > 0 && kind == "offered names" {
			break // one tells as much as all
		}
		rest := append(append([]string{}, values[:i]...), values[i+1:]...)
		wrong("without "+values[i], rest...)
	}
	wrong("with another value", append(values, extra)...)
	if kind == "enum" {
		number := g.add(kind, "any value: %s", whole)
		out = g.expr("toolkit.PlantedValue(%v, %v, nil)", number, out)
	}
	return out
}

// onlyCall returns the call that a block consists of; nil for other blocks.
func onlyCall(b *ast.BlockStmt) *ast.CallExpr {
	if len(b.List) != 1 {
		return nil
	}
	if s, ok := b.List[0].(*ast.ExprStmt); ok {
		call, _ := s.X.(*ast.CallExpr)
		return call
	}
	return nil
}

// method is the name of the method or the function that a call is of, without its package.
func method(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// text is a node as Go code.
func (g *generated) text(n ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, g.set, n); err != nil {
		g.failure = err
	}
	return b.String()
}

// expr parses an expression in which each %v stands for a text or for a node.
func (g *generated) expr(code string, parts ...any) ast.Expr {
	nodes := map[string]ast.Expr{}
	for i, part := range parts {
		if node, ok := part.(ast.Expr); ok {
			name := "planted" + strconv.Itoa(i)
			nodes[name], parts[i] = node, name
		}
	}
	out, err := parser.ParseExpr(fmt.Sprintf(code, parts...))
	if err != nil {
		g.failure = err
		return &ast.BadExpr{}
	}
	return astutil.Apply(out, func(c *astutil.Cursor) bool {
		id, ok := c.Node().(*ast.Ident)
		if ok && nodes[id.Name] != nil {
			c.Replace(nodes[id.Name])
			return false
		}
		return true
	}, nil).(ast.Expr)
}

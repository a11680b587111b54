package evidence

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// codeLiterals finds codes of refusals that are written as texts: the first argument of
// toolkit.Refuse, and what is converted to a Code of package toolkit, code or the generated one.
func codeLiterals(file *ast.File, codes string, at func(ast.Node) diag.Pos) []Literal {
	var out []Literal
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		lit, ok := call.Args[0].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || !takesCode(call.Fun, codes) {
			return true
		}
		if text, err := strconv.Unquote(lit.Value); err == nil {
			out = append(out, Literal{text, at(lit)})
		}
		return true
	})
	return out
}

// takesCode reports whether the first argument of a call is a code.
func takesCode(fun ast.Expr, codes string) bool {
	return selects(fun, "toolkit", "Refuse") || selects(fun, "toolkit", "Code") || selects(fun, codes, "Code") || selects(fun, "code", "Code")
}

// CodeConstants lists the constants of the generated package of codes that Go source names. It looks at
// the text alone: a comment counts too.
func CodeConstants(source []byte, codes string) []string {
	constant := regexp.MustCompile(`\b` + regexp.QuoteMeta(codes) + `\.([A-Z][A-Za-z0-9]*)`)
	return slicesx.Map(constant.FindAllSubmatch(source, -1), func(m [][]byte) string { return string(m[1]) })
}

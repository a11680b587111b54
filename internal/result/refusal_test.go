package result_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/callsheet/callsheet/internal/fault"
)

// TestFaultCodesAreToolkitCodes compares the codes of internal/fault with the closed list of
// gen/toolkit.
func TestFaultCodesAreToolkitCodes(t *testing.T) {
	t.Parallel()
	closed := toolkitCodes(t)
	for _, code := range fault.Codes() {
		if !closed[string(code)] {
			t.Errorf("gen/toolkit has no code %s", code)
		}
	}
}

// toolkitCodes returns the values of the constants of type toolkit.Code.
func toolkitCodes(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../gen/toolkit/refusal.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	codes := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return true
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				codes[value] = true
			}
		}
		return true
	})
	if len(codes) == 0 {
		t.Fatal("gen/toolkit declares no codes where this test looks for them")
	}
	return codes
}

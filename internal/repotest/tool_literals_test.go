package repotest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/model"
)

// toolWord is how the names of tools of two words or more are spelt.
var toolWord = regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`)

// callers are the methods and functions of internal/tooltest that call a tool, with the index of its name.
var callers = map[string]int{"Call": 0, "Do": 0, "Expect": 0, "Params": 0, "ExpectRefusal": 1, "PlanStep": 1}

// refusedNames are the codes of answers to names that are no tools'.
var refusedNames = []string{"UNKNOWN_TOOL", "UNKNOWN_CAPABILITY"}

// TestTestsNameRealTools reads which tools the tests of tools call: by a call of internal/tooltest, or
// from a list in which another text is a tool's name. A test that calls a tool which does not exist
// sees a refusal for the wrong reason.
func TestTestsNameRealTools(t *testing.T) {
	t.Parallel()
	known := toolWords(manifestSet(t))
	seen := 0
	err := filepath.WalkDir("tools", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, fset := parse(t, file)
		ast.Inspect(parsed, func(n ast.Node) bool {
			for _, lit := range calledTools(n, known) {
				seen++
				if name, _ := strconv.Unquote(lit.Value); toolWord.MatchString(name) && !known[name] {
					t.Errorf("%s: there is no tool %q", fset.Position(lit.Pos()), name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no test calls a tool")
	}
}

// calledTools lists the texts of a call or of a list that stand for tools.
func calledTools(n ast.Node, known map[string]bool) []*ast.BasicLit {
	switch n := n.(type) {
	case *ast.CallExpr:
		s, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		at, calls := callers[s.Sel.Name]
		texts := literals(n.Args)
		if !calls || at >= len(n.Args) || slices.ContainsFunc(texts, func(l *ast.BasicLit) bool { return slices.Contains(refusedNames, unquoted(l)) }) {
			return nil
		}
		return literals(n.Args[at : at+1])
	case *ast.CompositeLit:
		texts := literals(n.Elts)
		if slices.ContainsFunc(texts, func(l *ast.BasicLit) bool { return toolWord.MatchString(unquoted(l)) && known[unquoted(l)] }) {
			return texts
		}
	}
	return nil
}

// literals lists the string literals among expressions.
func literals(in []ast.Expr) []*ast.BasicLit {
	var out []*ast.BasicLit
	for _, e := range in {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			out = append(out, lit)
		}
	}
	return out
}

func unquoted(l *ast.BasicLit) string {
	text, _ := strconv.Unquote(l.Value)
	return text
}

// toolWords are the names that calls may have: of live and deferred tools, and old ones.
func toolWords(set *model.Toolset) map[string]bool {
	known := map[string]bool{}
	for _, tool := range set.Tools {
		for _, name := range append(tool.Was, tool.Name) {
			known[name] = true
		}
	}
	for _, d := range set.Deferrals {
		known[d.Name] = true
	}
	return known
}

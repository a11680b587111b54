package repotest

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/callsheet/callsheet/generated/toolset"
)

// handlerComment is the doc comment of a method in a generated interface of handlers.
var handlerComment = regexp.MustCompile(`(?m)^\t// (\w+) runs (\w+): `)

// TestPageTextIsFenced holds the trait shows of each tool against its handler: handlers of tools that show
// the page or what changed in it, and no others, put text of the page between <page> tags.
func TestPageTextIsFenced(t *testing.T) {
	t.Parallel()
	contracts, err := filepath.Glob("generated/toolset/*api/*api.go")
	if err != nil || len(contracts) == 0 {
		t.Fatal(contracts, err)
	}
	fenced := 0
	for _, contract := range contracts {
		source, err := os.ReadFile(contract)
		if err != nil {
			t.Fatal(err)
		}
		area := filepath.Base(filepath.Dir(contract))
		quoting := quotingFunctions(t, filepath.Join("tools", area[:len(area)-len("api")]))
		for _, m := range handlerComment.FindAllStringSubmatch(string(source), -1) {
			method, tool := m[1], m[2]
			trait := toolset.TraitsOf(tool).Shows
			if shows := trait == toolset.ShowsPage || trait == toolset.ShowsChanges; shows != quoting[method] {
				t.Errorf("%s: the manifest says that it shows the page: %v; its handler %s quotes the page: %v", tool, shows, method, quoting[method])
			} else if shows {
				fenced++
			}
		}
	}
	if fenced == 0 {
		t.Error("no tool shows the page; the test looks in the wrong place")
	}
}

// quoters are the functions of package result that put text of a page between tags.
var quoters = []string{"Quote", "QuoteReading", "Then", "FileText"}

// quotingFunctions returns the functions and methods of a package, by name, that call a quoter or a
// function of the package that does.
func quotingFunctions(t *testing.T, dir string) map[string]bool {
	t.Helper()
	calls := map[string][]string{} // by name of the caller
	quoting := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, _ := parse(t, file)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				switch called := call.Fun.(type) {
				case *ast.SelectorExpr:
					if x, ok := called.X.(*ast.Ident); ok && x.Name == "result" && slices.Contains(quoters, called.Sel.Name) {
						quoting[f.Name.Name] = true
					}
					calls[f.Name.Name] = append(calls[f.Name.Name], called.Sel.Name)
				case *ast.Ident:
					calls[f.Name.Name] = append(calls[f.Name.Name], called.Name)
				}
				return true
			})
		}
	}
	for changed := true; changed; {
		changed = false
		for caller, called := range calls {
			for _, name := range called {
				if quoting[name] && !quoting[caller] {
					quoting[caller], changed = true, true
				}
			}
		}
	}
	return quoting
}

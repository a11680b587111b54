package swap_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// testFuncs has the words in the texts of each declaration of the test files of a package, and the names that it uses.
type testFuncs map[string]*testFunc

type testFunc struct {
	words map[string]bool
	uses  []string
}

var word = regexp.MustCompile(`[a-z0-9_]+`)

// readTests reads the test files of a directory.
func readTests(dir string) (testFuncs, error) {
	out := testFuncs{}
	for _, file := range glob(filepath.Join(dir, "*_test.go")) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				out.add(d.Name.Name, d)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						for _, id := range v.Names {
							out.add(id.Name, v)
						}
					}
				}
			}
		}
	}
	return out, nil
}

// add reads a declaration. Methods of several types that have one name count as one.
func (t testFuncs) add(name string, decl ast.Node) {
	f := t[name]
	if f == nil {
		f = &testFunc{words: map[string]bool{}}
		t[name] = f
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			f.uses = append(f.uses, n.Name)
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				for _, w := range word.FindAllString(text, -1) {
					f.words[w] = true
				}
			}
		}
		return true
	})
}

// naming lists the tests that name one of the tools, themselves or in what they use. Those with few words of their own come
// first: they are about these tools.
func (t testFuncs) naming(tools ...string) []string {
	var out []string
	for name := range t {
		if isTest(name) && slices.ContainsFunc(tools, func(tool string) bool { return t.reaches(name, tool, map[string]bool{}) }) {
			out = append(out, name)
		}
	}
	rank := func(name string) int {
		direct := 0
		for _, tool := range tools {
			if t[name].words[tool] {
				direct++
			}
		}
		return len(t[name].words) - 10_000*direct
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return out
}

func isTest(name string) bool { return strings.HasPrefix(name, "Test") && name != "TestMain" }

// reaches reports whether a declaration or one that it uses has a word.
func (t testFuncs) reaches(name, word string, seen map[string]bool) bool {
	f := t[name]
	if f == nil || seen[name] {
		return false
	}
	seen[name] = true
	return f.words[word] || slices.ContainsFunc(f.uses, func(used string) bool { return !isTest(used) && t.reaches(used, word, seen) })
}

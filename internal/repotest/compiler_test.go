package repotest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestServerLinksNoCompiler follows every import of the server: of gen it links the toolkit and what the toolkit needs.
func TestServerLinksNoCompiler(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	var toolkit []string
	for _, p := range packages(t) {
		imports[p.ImportPath] = p.Imports
		if covers(Module+"/gen/toolkit/...", p.ImportPath) {
			toolkit = append(toolkit, p.ImportPath)
		}
	}
	needed, linked := reach(imports, toolkit...), reach(imports, Module+"/cmd/callsheet")
	for _, path := range slices.Sorted(maps.Keys(linked)) {
		name := strings.TrimPrefix(path, Module+"/")
		if covers("gen/...", name) && !needed[path] {
			t.Errorf("the server links %s: what it shares with the compiler belongs to gen/toolkit", name)
		}
	}
}

// reach returns the packages of the repository that some of them import, themselves included.
func reach(imports map[string][]string, from ...string) map[string]bool {
	seen := map[string]bool{}
	for len(from) > 0 {
		path := from[0]
		from = from[1:]
		if next, ours := imports[path]; ours && !seen[path] {
			seen[path] = true
			from = append(from, next...)
		}
	}
	return seen
}

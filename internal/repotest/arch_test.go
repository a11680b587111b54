package repotest

import (
	"context"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/spec"
)

// The tests name files from the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// bans are the import rules. A path ending in /... covers the packages below it; except lists what
// a ban does not hit.
var bans = []struct {
	from, to string
	except   []string
	why      string
}{
	{from: "gen/...", to: "generated/...", why: "go generate must work with generated/ missing, broken or full of conflict markers"},
	{from: "gen/...", to: "tools/...", why: "the compiler knows the manifest, not who implements it"},
	{from: "gen/...", to: "internal/...", why: "third parties use the compiler and the toolkit, and cannot import internal packages"},
	{from: "generated/...", to: "tools/...", why: "the contract points one way: handlers depend on it"},
	{from: "generated/...", to: "internal/...", why: "a generated registry needs nothing but the toolkit"},
	{from: "generated/...", to: "gen/...", except: []string{"gen/spelling", "gen/toolkit", "gen/toolkit/builtin", "gen/toolkit/code", "gen/toolkit/command", "gen/toolkit/grant"}, why: "a server must not link the compiler"},
	{from: "generated/power", to: "generated/...", why: "any package can demand a power, and learns nothing of tools by it"},
	{from: "generated/codes", to: "generated/...", why: "any package can return a code, and learns nothing of tools by it"},
	{from: "gen/toolkit/code", to: "gen/...", why: "any package can return a code, and learns nothing of tools by it"},
	{from: "internal/fault", to: "internal/...", why: "fault is a leaf"},
	{from: "gen/diag", to: "gen/...", except: []string{"gen/spelling", "gen/toolkit/invisible"}, why: "a diagnostic knows no stage and no run time"},
	{from: "gen/toolkit/...", to: "gen/...", except: []string{"gen/diag", "gen/spelling", "gen/toolkit/offered", "gen/toolkit/param", "gen/toolkit/subschema", "gen/toolkit", "gen/toolkit/command", "gen/toolkit/httpserver", "gen/toolkit/mcpserver", "gen/toolkit/code", "gen/toolkit/explore", "gen/toolkit/format", "gen/toolkit/grant", "gen/toolkit/internal/key", "gen/toolkit/invisible", "gen/toolkit/uritemplate", "gen/toolkit/yamltree", "gen/toolkit/yamltree/yamlslip"}, why: "a server must not link the compiler"},
	{from: "gen/remote", to: "gen/...", except: []string{"gen/processgroup", "gen/toolkit/command", "gen/toolkit/offered", "gen/toolkit/rawclient"}, why: "a reader of lists knows neither manifests nor rules, so that any command can use it"},
	{from: "gen/toolkit/yamltree/...", to: "gen/...", except: []string{"gen/diag", "gen/spelling", "gen/toolkit/invisible", "gen/toolkit/yamltree/yamlslip"}, why: "a reader of YAML knows no grammar"},
	{from: "gen/toolkit/paramschema", to: "gen/...", except: []string{"gen/toolkit/param"}, why: "a schema says what a type says, not how it was written"},
	{from: "gen/toolkit/subschema", to: "gen/...", why: "which schema covers which depends on nothing but schemas"},
	{from: "gen/toolkit/compat", to: "gen/...", except: []string{"gen/diag", "gen/toolkit/offered", "gen/toolkit/subschema"}, why: "the rules about lists know no manifest"},
	{from: "gen/reference", to: "gen/...", except: []string{"gen/emit/schema"}, why: "the page knows which keys there are, not how they are compiled"},
	{from: "gen/toolkit", to: "!github.com/modelcontextprotocol/go-sdk/...", why: "the toolkit is protocol-free; mcpserver adapts it"},
	{from: "tools/...", to: "!github.com/modelcontextprotocol/go-sdk/...", why: "handlers are not protocol code"},
	{from: "internal/ui/...", to: "tools/...", why: "a page shows calls and knows no handler"},
	{from: "internal/ui/...", to: "!github.com/modelcontextprotocol/go-sdk/...", why: "the ui is no client and no server of the protocol"},
	{from: "internal/engine/...", to: "gen/...", except: []string{"gen/spelling"}, why: "the engine knows one Chromium, not how tools are declared"},
	{from: "internal/engine/...", to: "generated/...", except: []string{"generated/power", "generated/codes"}, why: "the engine knows one Chromium, not how tools are declared"},
	{from: "internal/engine/...", to: "internal/jsbundle", why: "go generate builds bundles; no program links a bundler"},
	{from: "internal/record/...", to: "internal/jsbundle", why: "go generate builds bundles; no program links a bundler"},
	{from: "internal/storage/...", to: "gen/...", why: "storage knows files and databases, not how tools are declared"},
	{from: "internal/storage/...", to: "generated/...", except: []string{"generated/power", "generated/codes"}, why: "storage knows files and databases, not how tools are declared"},
	{from: "internal/app/...", to: "gen", why: "the compiler of sites alone links the whole compiler"},
	{from: "internal/workflow/...", to: "gen", why: "the compiler of sites alone links the whole compiler"},
	{from: "internal/site/serve", to: "internal/site/compile", why: "a server loads a compiled site, and its compiler is a program of its own"},
	{from: "internal/site/compiled", to: "internal/site/source", why: "a server does not read the source of a site"},
	{from: "internal/app/...", to: "internal/site/compile", why: "a server loads a compiled site, and its compiler is a program of its own"},
	{from: "internal/site/source", to: "gen", why: "reading a site needs the manifest's parser, not the compiler"},
	{from: "internal/site/har", to: "internal/...", why: "an archive is read without knowledge of sites"},
	{from: "tools/...", to: "internal/site/...", why: "tools do not know sites, whose tools call them"},
	{from: "cmd/callsheet", to: "gen/...", except: []string{"gen/spelling", "gen/toolkit", "gen/toolkit/command", "gen/toolkit/httpserver", "gen/toolkit/mcpserver", "gen/toolkit/runner", "gen/toolkit/grant/operator"}, why: "the server does not link the compiler"},
}

// TestImportsPointOneWay holds every direct import of the module against the bans, and areas
// against each other.
func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		from := p.Path()
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, Module+"/")
			if !ours {
				to = "!" + imp
			}
			for _, b := range bans {
				if covers(b.from, from) && covers(b.to, to) && !slices.Contains(b.except, to) && to != "gen/slicesx" { // which is a leaf
					t.Errorf("%s imports %s: %s", from, strings.TrimPrefix(to, "!"), b.why)
				}
			}
			if area(from) != "" && area(to) != "" && area(from) != area(to) {
				t.Errorf("%s imports %s: areas are independent; what two share belongs below them, in internal/", from, to)
			}
		}
	}
}

// importHandlers are the layers that import handlers.
var importHandlers = []string{"internal/app", "internal/tooltest"}

// TestLayersImportDownwards compares the imports inside internal/ with the order of the layers. Only
// the composition root and the kit for tests of tools may import handlers.
func TestLayersImportDownwards(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, Module+"/")
		if !strings.HasPrefix(from, "internal/") {
			continue
		}
		layer, row := layerOf(from)
		if row < 0 {
			t.Errorf("%s is in no layer; add it to one, or add a layer with its place in the order", from)
		}
		for _, imp := range p.Imports {
			to := strings.TrimPrefix(imp, Module+"/")
			if covers("tools/...", to) && !slices.Contains(importHandlers, layer) {
				t.Errorf("%s imports %s: only the composition root may import handlers", from, to)
			}
			if other, below := layerOf(to); below >= 0 && other != layer && below <= row {
				t.Errorf("%s imports %s: layers import only layers of later rows (%s is in row %d, %s in row %d)",
					from, to, layer, row+1, other, below+1)
			}
		}
	}
}

// layerOf returns the layer that a package is in and its row, or -1.
func layerOf(path string) (layer string, row int) {
	for i, names := range Layers {
		for _, name := range names {
			if covers(name+"/...", path) {
				return name, i
			}
		}
	}
	return "", -1
}

// TestEngineLayersImportDownwards compares the imports inside internal/engine with EngineLayers.
func TestEngineLayersImportDownwards(t *testing.T) {
	t.Parallel()
	upward, unlisted := UpwardImports(packages(t))
	for _, arrow := range upward {
		t.Errorf("internal/engine: %s, which is no lower layer; see EngineLayers", arrow)
	}
	for _, path := range unlisted {
		t.Errorf("internal/engine/%s is in no layer; add it to EngineLayers", path)
	}
}

// TestBansNameRealPackages keeps a renamed package from silently ending its ban.
func TestBansNameRealPackages(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for _, layer := range slices.Concat(Layers...) {
		if !slices.ContainsFunc(all, func(p Package) bool { return covers(Module+"/"+layer+"/...", p.ImportPath) }) {
			t.Errorf("no package is in layer %s", layer)
		}
	}
	for _, b := range bans {
		for _, pattern := range append([]string{b.from, b.to}, b.except...) {
			if strings.HasPrefix(pattern, "!") {
				continue
			}
			if !slices.ContainsFunc(all, func(p Package) bool { return covers(pattern, strings.TrimPrefix(p.ImportPath, Module+"/")) }) {
				t.Errorf("no package matches %q", pattern)
			}
		}
	}
}

// TestEveryPackageSaysWhatItIsFor asks for a package comment of more than a line's worth, once per
// package.
func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		text := packageComment(t, p.Dir)
		if !strings.HasPrefix(text, "Package ") && !strings.HasPrefix(text, "Command ") || len(text) < 80 {
			t.Errorf("%s: its package comment is %q; say what it is for and what it must not know", p.ImportPath, text)
		}
	}
}

// tree returns the repository, which all tests share.
var tree = sync.OnceValues(func() (*Tree, error) { return Load(context.Background(), ".") })

func packages(t *testing.T) []Package {
	t.Helper()
	repository, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	return repository.Packages
}

// parse returns the syntax of a Go file, and the positions of all files.
func parse(t *testing.T, file string) (*ast.File, *token.FileSet) {
	t.Helper()
	repository, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := repository.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return parsed, repository.Fset
}

// packageComment returns the longest doc comment among a package's files; tests count only where
// nothing else is.
func packageComment(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	best := ""
	for _, file := range files {
		f, _ := parse(t, file)
		if text := f.Doc.Text(); len(text) > len(best) {
			best = text
		}
	}
	return best
}

// area is the handler package a path is in, or "".
func area(path string) string {
	rest, ok := strings.CutPrefix(path, "tools/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// rowMakers are the packages that make rows of the table of tools in code, each with the reason.
// toolgen reads the packages of handlers, and this test the others.
var rowMakers = map[string]string{
	"internal/policy/enforce": "the tool of an external server stands in for one that has no row",
	"internal/workflow":       "workflows are tools that a person defines in files",
	"internal/login/secret":   "the tool of an external server stands in for one that has no row",
	"internal/site/compiled":  "the tools of a site are rows of the file that was compiled from its source",
	"internal/site/serve":     "the tool for repairs is there only where a site is served, whose tools have no rows in the manifest",
}

// goSources reads the Go files of a pattern that are no tests, by path.
func goSources(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]byte)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if out[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestToolsAreMadeByTheManifest finds literals of toolkit.Tool and assignments to a registry's table.
func TestToolsAreMadeByTheManifest(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, Module+"/")
		if !strings.HasPrefix(path, "internal/") && !strings.HasPrefix(path, "cmd/") {
			continue
		}
		for file, text := range goSources(t, filepath.Join(p.Dir, "*.go")) {
			// Read as a file of handlers, so that the compiler's own rule looks at it.
			rows := evidence.Read([]spec.File{{Name: "tools/" + filepath.Base(file), Data: text}}, evidence.Packages{Registry: "generated/registry"}).Rows
			if found[path] = found[path] || len(rows) > 0; len(rows) > 0 && rowMakers[path] == "" {
				t.Errorf("%s:%d: a tool is made in code, which the manifest does not know", file, rows[0].Line)
			}
		}
	}
	for path := range rowMakers {
		if !found[path] {
			t.Errorf("%s makes no tool; take it out of the list", path)
		}
	}
}

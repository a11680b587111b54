package gen

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/promote"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/compat"
)

// Every rule has an archive testdata/rules/ID.txtar with files under bad/, which trigger it, and
// files under good/, which come close and do not. Both replace files of testdata/rules.txtar, a
// manifest without a problem. The rules about lists of servers have theirs in compat. The rules about output, and the one that only "toolgen promote" asks,
// have no manifest to show them and are tested beside what reports them.
func TestEveryRuleHasFixtures(t *testing.T) {
	base, err := txtar.ParseFile("testdata/rules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, diags := Check(overlay(base, nil, ""))
	if len(diags) > 0 {
		t.Fatalf("the plain manifest has problems: %v", diags)
	}
	known := map[string]diag.Description{}
	for _, r := range Rules() {
		if _, twice := known[r.ID]; twice || r.Doc == "" || r.Severity == "" {
			t.Errorf("rule %q is listed twice or says too little", r.ID)
		}
		known[r.ID] = r
	}
	for id, rule := range known {
		if isOfLists(id) || id == ruleStale || id == RuleInternal || id == ruleForwardedCode || id == promote.RuleNotReady {
			continue
		}
		t.Run(id, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join("testdata", "rules", id+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			bad, good := problems(overlay(base, archive, "bad/")), problems(overlay(base, archive, "good/"))
			if !slices.ContainsFunc(bad, func(d diag.Diagnostic) bool { return d.Rule == id && d.Severity == rule.Severity }) {
				t.Errorf("bad/ does not trigger it as %s: %v", rule.Severity, bad)
			}
			if slices.ContainsFunc(good, func(d diag.Diagnostic) bool { return d.Rule == id }) {
				t.Errorf("good/ triggers it: %v", good)
			}
			for _, d := range append(bad, good...) {
				if _, ok := known[d.Rule]; !ok {
					t.Errorf("rule %q is not in the table", d.Rule)
				}
			}
		})
	}
	fixtures, err := os.ReadDir("testdata/rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fixtures {
		if _, ok := known[strings.TrimSuffix(f.Name(), ".txtar")]; !ok {
			t.Errorf("%s belongs to no rule", f.Name())
		}
	}
}

func problems(src Source) diag.List {
	_, diags := Check(src)
	return diags
}

// overlay is the base manifest with the archive's files under prefix put over it.
func overlay(base, over *txtar.Archive, prefix string) Source {
	files := map[string][]byte{}
	for _, f := range base.Files {
		files[f.Name] = f.Data
	}
	if over != nil {
		for _, f := range over.Files {
			if name, ok := strings.CutPrefix(f.Name, prefix); ok {
				files[name] = f.Data
			}
		}
	}
	src := Source{Module: "example.com/m"}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		src.Add(spec.File{Name: name, Data: files[name]})
	}
	return src
}

func TestStale(t *testing.T) {
	diags := Stale("generated", []output.Change{{Path: "a.go", Kind: output.Stale, Line: 3}, {Path: "b.md", Kind: output.Missing}, {Path: "c", Kind: output.Extra}})
	if len(diags) != 1 || diags[0].Pos.String() != "generated/a.go:3:1" || len(diags[0].Also) != 2 || diags[0].Also[1].String() != "generated/c" {
		t.Errorf("%+v", diags)
	}
	list := output.Change{Path: "snapshot/tools_list.cold.json", Kind: output.Stale, Line: 1, Have: []byte("[1]\n"), Want: []byte("[2]\n")}
	diags = Stale("generated", []output.Change{{Path: "a.go", Kind: output.Stale, Line: 3}, list})
	if len(diags) != 1 || diags[0].Pos.File != "generated/"+list.Path || !strings.Contains(diags[0].Detail, "-[1]\n+[2]") {
		t.Errorf("%+v", diags)
	}
}

// The report does not depend on chance: the worst manifest there is reads the same twenty times.
func TestDeterministic(t *testing.T) {
	archive, err := txtar.ParseFile("model/testdata/properties.txtar")
	if err != nil {
		t.Fatal(err)
	}
	base, err := txtar.ParseFile("testdata/rules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	print := func() string {
		var b strings.Builder
		src := overlay(base, archive, "")
		_, diags := Check(src)
		if err := diags.Fprint(&b, diag.JSON, src.Line); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := print()
	for range 20 {
		if again := print(); again != first {
			t.Fatal("two runs differ")
		}
	}
}

// The real manifest, read from a directory below its module's root, has no problem of its own.
func TestRealManifest(t *testing.T) {
	src, err := Load("../manifest")
	if err != nil {
		t.Fatal(err)
	}
	if src.Module != "github.com/callsheet/callsheet" || len(src.Files) < 2 {
		t.Fatalf("module %q, %d files", src.Module, len(src.Files))
	}
	if set, diags := Lint(src); set == nil || len(diags) > 0 {
		t.Errorf("%v", diags)
	}
}

func TestModulePath(t *testing.T) {
	for mod, want := range map[string]string{
		"module example.com/a\n\ngo 1.26\n":             "example.com/a",
		"// module no\nmodule \"example.com/b\" // yes": "example.com/b",
		"modulex y\n": "",
		"":            "",
	} {
		if got := ModulePath([]byte(mod)); got != want {
			t.Errorf("%q: %q, want %q", mod, got, want)
		}
	}
}

// isOfLists reports a rule about lists of servers, which no manifest can break.
func isOfLists(id string) bool {
	return slices.ContainsFunc(compat.OwnRules(), func(r diag.Description) bool { return r.ID == id })
}

package prove_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/prove"
)

var update = flag.Bool("update", false, "rewrite the expected diagnostics in testdata/rules")

// TestRules holds every rule against its file in testdata/rules: a script it refuses, with every
// word of the diagnostics, and the same script mended, which passes all rules.
func TestRules(t *testing.T) {
	for _, r := range prove.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			file := filepath.Join("testdata", "rules", r.ID+".txtar")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatalf("every rule needs a fixture: %v", err)
			}
			if len(archive.Files) != 3 {
				t.Fatalf("%s has %d sections, want bad, diagnostics, mended", file, len(archive.Files))
			}
			bad, want, mended := &archive.Files[0], &archive.Files[1], &archive.Files[2]
			got := prove.Check(parse(t, string(bad.Data)))
			if *update {
				want.Data = []byte(render(got))
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), render(got)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if !strings.Contains(render(got), "["+r.ID+"]") {
				t.Errorf("the fixture does not trigger the rule")
			}
			if got := prove.Check(parse(t, string(mended.Data))); len(got) > 0 {
				t.Errorf("the mended script is refused:\n%s", render(got))
			}
		})
	}
}

func TestRulesAreExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range prove.Rules() {
		if seen[r.ID] || r.ID != strings.ToLower(r.ID) || !strings.HasSuffix(r.Doc, ".") {
			t.Errorf("rule %q: want a unique lower-case ID and a paragraph", r.ID)
		}
		seen[r.ID] = true
	}
	files, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(files) != len(seen) {
		t.Errorf("%d fixtures for %d rules (%v)", len(files), len(seen), err)
	}
}

// TestEveryDiagnosticIsAnErrorOfARule keeps reports explainable: no rule ID without a row, no
// severity but error.
func TestEveryDiagnosticIsAnErrorOfARule(t *testing.T) {
	known := map[string]bool{}
	for _, r := range prove.Rules() {
		known[r.ID] = true
	}
	files, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range prove.Check(parse(t, string(archive.Files[0].Data))) {
			if !known[d.Rule] || d.Severity != diag.Error || d.Pos.Line == 0 {
				t.Errorf("%s: %+v", file, d)
			}
		}
	}
}

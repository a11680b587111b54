package compat

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/diag"
)

// The page about releases lists the rules that are no errors, by severity.
func TestDocumentedRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/how-to/toolgen-releases.md")
	if os.IsNotExist(err) {
		t.Skip("the module is alone, without the repository's documents")
	}
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	for severity, heading := range map[diag.Severity]string{diag.Warning: "Warnings", diag.Info: "Infos"} {
		var ids []string
		for _, r := range Rules() {
			if r.Severity == severity {
				ids = append(ids, "`"+r.ID+"`")
			}
		}
		slices.Sort(ids)
		if want := heading + ": " + strings.Join(ids, ", ") + "."; !strings.Contains(page, want) {
			t.Errorf("the page lacks: %s", want)
		}
	}
}

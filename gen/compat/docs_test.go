package compat

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The table of docs/how-to/toolgen-breaking.md is the table of rules; UPDATE_GOLDEN writes it.
func TestDocumentedRules(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../docs/how-to/toolgen-breaking.md", "| rule | severity | a client that cached the old list |\n|---|---|---|\n", "\n\nThe text"
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		t.Skip("the module is alone, without the repository's documents")
	}
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	table, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the table is not found")
	}
	var rows []string
	for _, r := range Rules() {
		doc, _, _ := strings.Cut(r.Doc, " If it is meant, allow it in")
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |", r.ID, r.Severity, doc))
	}
	want := strings.Join(rows, "\n")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want {
		t.Errorf("the table is stale; run this test with UPDATE_GOLDEN=1\n%s", want)
	}
}

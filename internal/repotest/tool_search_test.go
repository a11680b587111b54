package repotest

import (
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/tools"
)

// TestEachToolIsFoundFirst ranks the tools of the first scope by BM25, as clients do that hide tools behind a search: each one
// comes first for three queries of its own, and the first five words of its description are no other's.
func TestEachToolIsFoundFirst(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE VIRTUAL TABLE tools USING fts5(name, description, tokenize = 'porter unicode61')")
	queries := toolQueries(t)
	registry, begins := tools.Registry(tools.Needs{}), map[string]string{}
	for i := range registry.Tools {
		tool := &registry.Tools[i]
		if !slices.Contains(tool.Scopes, registry.Scopes[0]) || optIn(registry, tool.Capability) {
			continue
		}
		exec("INSERT INTO tools VALUES (?, ?)", tool.Name, tool.Description)
		words := strings.Fields(tool.Description)
		begin := strings.ToLower(strings.Join(words[:min(5, len(words))], " "))
		if other, ok := begins[begin]; ok {
			t.Errorf("%s and %s begin with the same words: %s", other, tool.Name, begin)
		}
		begins[begin] = tool.Name
		if len(queries[tool.Name]) != 3 {
			t.Errorf("testdata/tool_queries.txt has %d queries for %s, want 3", len(queries[tool.Name]), tool.Name)
		}
	}
	for tool, all := range queries {
		for _, query := range all {
			if got := first(t, db, query); len(got) == 0 || got[0] != tool {
				t.Errorf("%q finds %v, want %s first", query, got, tool)
			}
		}
	}
}

func optIn(registry *toolkit.Registry, capability string) bool {
	return slices.ContainsFunc(registry.Capabilities, func(c toolkit.Capability) bool { return c.Name == capability && c.OptIn })
}

// toolQueries reads the queries by tool.
func toolQueries(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("internal/repotest/testdata/tool_queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			out[name] = strings.Split(rest, " | ")
		}
	}
	return out
}

// first returns the three tools that match a query best.
func first(t *testing.T, db *sql.DB, query string) (names []string) {
	t.Helper()
	words := strings.FieldsFunc(query, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r)
	})
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM tools WHERE tools MATCH ? ORDER BY bm25(tools), name LIMIT 3", strings.Join(words, " OR "))
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// TestState shows the sizes of a state directory by kind, and removes what is old of two kinds.
func TestState(t *testing.T) {
	t.Parallel()
	s, _ := atHome(t)
	dir := t.TempDir()
	matches := func(want, got string) bool { return regexp.MustCompile(want).MatchString(got) }
	run := func(words string) string { return s.does(words + " --state-dir " + dir) }
	if got := run("state du"); !strings.Contains(got, "0 B in "+dir) {
		t.Errorf("an empty one: %s", got)
	}
	old := time.Now().Add(-100 * time.Hour)
	for name, size := range map[string]int{
		"output/a/old.txt": 300, "output/b/new.txt": 40, "callsheet.db": 1000, "callsheet.db-wal": 500, "jobs.db": 7,
		"sessions/x/work": 5, "totp.sealed": 6, "artifacts/baselines/home": 90, "exemplars/a.json": 3,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		write(t, path, strings.Repeat("x", size))
		if name != "output/b/new.txt" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	store := artifact.New(kept, 0)
	made, err := store.Put(t.Context(), artifact.Meta{Name: "made.txt"}, strings.NewReader("made"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(made.Path(), old, old); err != nil { // a moved file keeps its time
		t.Fatal(err)
	}
	table := run("state du")
	for _, want := range []string{"output +2 +340 B +none", "journal and recordings +2 +1.5 kB", "jobs +1 +7 B", "logins +2 +11 B", "other +1 +3 B", "artifacts +3 .*2147.5 MB"} {
		if !matches(want, table) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	if got := run("state prune --older-than 72h --dry-run"); !strings.Contains(got, "would remove 1 files, 300 B") {
		t.Errorf("a dry run: %s", got)
	}
	if got := run("state prune --older-than 72h"); !strings.Contains(got, "removed 1 files, 300 B") {
		t.Errorf("prune: %s", got)
	}
	if got := run("state prune --older-than 0s"); !strings.Contains(got, "removed 2 files, 44 B") {
		t.Errorf("prune of everything: %s", got)
	}
	if all, err := store.List(""); err != nil || len(all) != 0 {
		t.Errorf("artifacts %v stay, %v", all, err)
	}
	if after := run("state du"); !matches("output +0 +0 B", after) || !matches("artifacts +1 +90 B", after) || !matches("logins +2 +11 B", after) {
		t.Errorf("what stays is\n%s", after)
	}
	s.fails(exit.Usage, "state prune --older-than 3days", "older-than")
	s.fails(exit.Usage, "state dv", "du")
}

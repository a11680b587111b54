package journal_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func openStore(t testing.TB) *database.Store {
	t.Helper()
	d, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := database.New(d)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func checkIntegrity(t *testing.T, s *database.Store) {
	t.Helper()
	err := s.Do(t.Context(), func(db *sql.DB) error {
		var verdict string
		if err := db.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			t.Errorf("integrity check: %s", verdict)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecentFiltersBeforeLimit(t *testing.T) {
	j := journal.NewJournal(openStore(t), nil)
	for i := range 30 {
		e := journal.Entry{Session: "a", Tool: "navigate", StartedAt: time.Now(), Outcome: "ok", Args: "{}"}
		if i%10 == 0 {
			e.Tool = "find"
		}
		if i%2 == 1 {
			e.Session = "b"
		}
		j.Add(e)
	}
	got, err := j.Recent(t.Context(), journal.Query{Session: "a", Tool: "find", Limit: 2})
	if err != nil || len(got) != 2 {
		t.Errorf("two of three matching entries were asked for, got %d, %v", len(got), err)
	}
	if got, err = j.Recent(t.Context(), journal.Query{Since: time.Now().Add(time.Hour)}); err != nil || len(got) != 0 {
		t.Errorf("entries of the future: %v, %v", got, err)
	}
}

// TestJournalHoldsNoValues writes secrets into every kind of argument and looks for them.
func TestJournalHoldsNoValues(t *testing.T) {
	j := journal.NewJournal(openStore(t), nil)
	layer := j.Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
		return toolkit.Unstructured(toolkit.Text("done"), nil)
	})
	args := `{"ref":"e5","value":"hunter2","url":"https://ann:hunter2@example.com/a?token=hunter2#hunter2",
		"list":["hunter2"],"deep":{"x":"hunter2"},"code":"hunter2","n":3,"ok":true}`
	if _, err := layer(t.Context(), &toolkit.Session{ID: "s"}, toolkit.Request{Tool: "form_input", Args: []byte(args)}); err != nil {
		t.Fatal(err)
	}
	got, err := j.Recent(t.Context(), journal.Query{Session: "s"})
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	for _, want := range []string{`"ref":"e5"`, `"url":"https://example.com/a"`, `"n":3`, `"ok":true`, `7 bytes`} {
		if !strings.Contains(got[0].Args, want) {
			t.Errorf("args lack %s: %s", want, got[0].Args)
		}
	}
	if strings.Contains(got[0].Args, "hunter2") {
		t.Errorf("a value was kept: %s", got[0].Args)
	}
}

func TestConfidenceFallsFasterThanItRises(t *testing.T) {
	m := journal.NewMemory(openStore(t))
	n, err := m.Record(t.Context(), "Example.com", "selector:login", "#go")
	if err != nil || n.Confidence != 0.5 || n.Domain != "example.com" {
		t.Fatal(n, err)
	}
	if n, _, err = m.Validate(t.Context(), n.ID, true); err != nil || n.Confidence != 0.6 {
		t.Errorf("confirmed: %+v, %v", n, err)
	}
	if n, err = m.Record(t.Context(), "example.com", "selector:login", "#go"); err != nil || n.Confidence != 0.6 {
		t.Errorf("the same note again keeps its confidence: %+v, %v", n, err)
	}
	if n, err = m.Record(t.Context(), "example.com", "selector:login", "#other"); err != nil || n.Confidence != 0.5 {
		t.Errorf("another value starts anew: %+v, %v", n, err)
	}
	var dropped bool
	for range 2 {
		if n, dropped, err = m.Validate(t.Context(), n.ID, false); err != nil {
			t.Fatal(err)
		}
	}
	if !dropped {
		t.Errorf("a note with confidence %v stays", n.Confidence)
	}
	if _, _, err = m.Validate(t.Context(), n.ID, true); !errors.Is(err, journal.ErrNoteNotFound) {
		t.Errorf("validating a dropped note: %v", err)
	}
}

func TestPrefixIsNoPattern(t *testing.T) {
	m := journal.NewMemory(openStore(t))
	for _, key := range []string{"tip:a", "tip:b", "t%p:c"} {
		if _, err := m.Record(t.Context(), "x.org", key, "v"); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, want := range map[string]int{"tip:": 2, "t%p:": 1, "": 3, "T": 0, "_": 0} {
		if got, err := m.Query(t.Context(), "x.org", prefix, 100); err != nil || len(got) != want {
			t.Errorf("prefix %q: %d notes, %v; want %d", prefix, len(got), err, want)
		}
	}
}

func TestMemosBelongToTheirSession(t *testing.T) {
	m := journal.NewMemos(openStore(t))
	id, err := m.Save(t.Context(), journal.Checkpoint, "a", journal.Memo{Task: "one", Tabs: []journal.Tab{{URL: "https://x.org/"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Load(t.Context(), journal.Checkpoint, "b", ""); !errors.Is(err, journal.ErrMemoNotFound) {
		t.Errorf("another session reads it without its id: %v", err)
	}
	got, err := m.Load(t.Context(), journal.Checkpoint, "b", id)
	if err != nil || got.Task != "one" || len(got.Tabs) != 1 || got.ID != id {
		t.Errorf("by its id: %+v, %v", got, err)
	}
	if _, err = m.Load(t.Context(), journal.Snapshot, "a", id); !errors.Is(err, journal.ErrMemoNotFound) {
		t.Errorf("a checkpoint was loaded as a snapshot: %v", err)
	}
	for i := range 12 {
		if _, err := m.Save(t.Context(), journal.Snapshot, "a", journal.Memo{Task: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err = m.Load(t.Context(), journal.Snapshot, "a", ""); err != nil || got.Task != "11" {
		t.Errorf("the latest: %+v, %v", got, err)
	}
	if n, err := m.Delete(t.Context(), journal.Snapshot, "a", ""); err != nil || n != 10 {
		t.Errorf("%d snapshots were kept, %v; want 10", n, err)
	}
}

func BenchmarkJournal(b *testing.B) {
	j := journal.NewJournal(openStore(b), nil)
	layer := j.Middleware(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
		return toolkit.CallResult{}, nil
	})
	v, req := &toolkit.Session{ID: "s"}, toolkit.Request{Tool: "interact", Args: []byte(`{"ref":"e5","action":"click"}`)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := layer(b.Context(), v, req); err != nil {
			b.Fatal(err)
		}
	}
}

package database_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func at(t *testing.T) statedir.Dir {
	t.Helper()
	d, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func touch(db *sql.DB) error {
	_, err := db.Exec("INSERT INTO journal (session, tool, at, took, outcome, args) VALUES ('s', 't', 1, 1, 'ok', '{}')")
	return err
}

func TestOpensLazilyAndPrivately(t *testing.T) {
	d := at(t)
	s := database.New(d)
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("New created the database: %v", err)
	}
	if err := s.Do(t.Context(), touch); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.Path(), s.Path() + "-wal", filepath.Dir(s.Path())} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may use %s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCloseIsFinal uses a database after Close, as what is still running at the end of a server does.
// The use makes no file: nothing would close it again.
func TestCloseIsFinal(t *testing.T) {
	s := database.New(at(t))
	must(t, s.Close())
	if err := s.Do(t.Context(), touch); err == nil || !strings.Contains(err.Error(), "the database is closed") {
		t.Errorf("a use after Close: %v", err)
	}
	if s.Queue().Add(insert) {
		t.Error("the queue takes a write after Close")
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the database is there after Close: %v", err)
	}
	must(t, s.Close())
}

func TestConcurrentProcessesMigrateOnce(t *testing.T) {
	d := at(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s := database.New(d) // a database handle of its own, as another process has
			defer func() { _ = s.Close() }()
			if err := s.Do(t.Context(), touch); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := database.New(d)
	defer func() { _ = s.Close() }()
	err := s.Do(t.Context(), func(db *sql.DB) error {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM journal").Scan(&n); err != nil || n != 8 {
			t.Errorf("%d rows, %v", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFailedChangeIsRolledBack(t *testing.T) {
	s := database.New(at(t))
	defer func() { _ = s.Close() }()
	stop := errors.New("stop")
	err := s.Change(t.Context(), func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO memory (domain, key, value, confidence, updated) VALUES ('d', 'k', 'v', 1, 1)"); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	err = s.Do(t.Context(), func(db *sql.DB) error {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM memory").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows, %v", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestErrorsHaveARemedy damages the file in several ways and checks that its content stays.
func TestErrorsHaveARemedy(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, s *database.Store)
		want  string
	}{
		"no database": {func(t *testing.T, s *database.Store) { overwrite(t, s, strings.Repeat("not a database ", 100)) }, "move it away"},
		"newer": {func(t *testing.T, s *database.Store) {
			must(t, s.Do(t.Context(), func(db *sql.DB) error { _, err := db.Exec("PRAGMA user_version = 999"); return err }))
			must(t, s.Close())
		}, "newer callsheet"},
		"a directory": {func(t *testing.T, s *database.Store) { must(t, os.MkdirAll(s.Path(), 0o700)) }, "cannot be written"},
		"locked": {func(t *testing.T, s *database.Store) {
			must(t, s.Do(t.Context(), touch))
			must(t, s.Close())
			other, err := sql.Open("sqlite", s.Path())
			must(t, err)
			other.SetMaxOpenConns(1)
			_, err = other.Exec("BEGIN EXCLUSIVE")
			must(t, err)
			t.Cleanup(func() { _ = other.Close() })
		}, "end that process"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := at(t)
			tc.spoil(t, database.New(d))
			s := database.New(d)
			before, _ := os.ReadFile(s.Path())
			err := s.Do(t.Context(), touch)
			var e *database.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want a remedy with %q", err, tc.want)
			}
			if after, _ := os.ReadFile(s.Path()); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestFullDiskKeepsData limits the database's size, which SQLite reports as a full disk.
func TestFullDiskKeepsData(t *testing.T) {
	s := database.New(at(t))
	defer func() { _ = s.Close() }()
	err := s.Do(t.Context(), func(db *sql.DB) error {
		if err := touch(db); err != nil {
			return err
		}
		db.SetMaxOpenConns(1) // the limit below is the connection's
		if _, err := db.Exec("PRAGMA max_page_count = 20"); err != nil {
			return err
		}
		_, err := db.Exec("INSERT INTO memory (domain, key, value, confidence, updated) VALUES ('d', 'k', ?, 1, 1)", strings.Repeat("x", 1<<20))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "disk is full") {
		t.Fatalf("got %v", err)
	}
	if err := s.Do(t.Context(), touch); err != nil {
		t.Errorf("a small write after it: %v", err)
	}
}

func overwrite(t *testing.T, s *database.Store, text string) {
	t.Helper()
	must(t, os.WriteFile(s.Path(), []byte(text), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package database_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"

	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

var insert = database.Write{Change: func(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO journal (session, tool, at, took, outcome, args) VALUES ('s', 't', 1, 1, 'ok', '{}')")
	return err
}}

// holdLock holds the write lock of a database until the function that it returns is called.
func holdLock(t *testing.T, d statedir.Dir) (release func()) {
	t.Helper()
	held, over, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s := database.New(d)
		defer func() { _ = s.Close() }()
		if err := s.Change(context.Background(), func(*sql.Tx) error { close(held); <-over; return nil }); err != nil {
			t.Error(err)
		}
	}()
	<-held
	release = sync.OnceFunc(func() { close(over); <-ended })
	t.Cleanup(release)
	return release
}

func countRows(t *testing.T, s *database.Store) (n int) {
	t.Helper()
	if err := s.Do(t.Context(), func(db *sql.DB) error { return db.QueryRow("SELECT count(*) FROM journal").Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestQueueWaitsForAnotherProcess adds writes while another connection holds the write lock. None
// is lost, and readers do not wait.
func TestQueueWaitsForAnotherProcess(t *testing.T) {
	d := at(t)
	s := database.New(d)
	defer func() { _ = s.Close() }()
	must(t, s.Do(t.Context(), touch))
	release := holdLock(t, d)
	for range 10 {
		if !s.Queue().Add(insert) {
			t.Fatal("a write was dropped")
		}
	}
	if n := countRows(t, s); n != 1 || s.Queue().Waiting() != 10 {
		t.Errorf("under the lock: %d rows, %d waiting", n, s.Queue().Waiting())
	}
	release()
	must(t, s.Queue().Flush(t.Context()))
	if n := countRows(t, s); n != 11 || s.Queue().Waiting() != 0 || s.Queue().Dropped() != 0 {
		t.Errorf("after it: %d rows, %d waiting, %d dropped", n, s.Queue().Waiting(), s.Queue().Dropped())
	}
}

// TestFullQueueDropsAndCounts fills the queue. Essential writes still have room.
func TestFullQueueDropsAndCounts(t *testing.T) {
	d := at(t)
	s := database.New(d)
	defer func() { _ = s.Close() }()
	must(t, s.Do(t.Context(), touch))
	release := holdLock(t, d)
	added := 0
	for s.Queue().Add(insert) {
		added++
	}
	essential := insert
	essential.IsEssential = true
	var outcome atomic.Int32
	essential.Done = func(err error) {
		if err == nil {
			outcome.Add(1)
		}
	}
	if !s.Queue().Add(essential) || s.Queue().Dropped() != 1 {
		t.Errorf("an essential write has no room beside %d others; %d dropped", added, s.Queue().Dropped())
	}
	release()
	must(t, s.Queue().Flush(t.Context()))
	if n := countRows(t, s); n != added+2 || outcome.Load() != 1 {
		t.Errorf("%d rows of %d, essential ones written: %d", n, added+2, outcome.Load())
	}
}

// TestCloseIsBounded closes under a lock that stays: the waiting writes are given up and counted.
func TestCloseIsBounded(t *testing.T) {
	d := at(t)
	s := database.New(d)
	must(t, s.Do(t.Context(), touch))
	release := holdLock(t, d)
	s.Queue().Add(insert)
	s.Queue().Add(insert)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if lost := s.Queue().Close(ended); lost != 2 {
		t.Errorf("%d writes were given up, want 2", lost)
	}
	must(t, s.Close())
	release()
}

// TestStalledDiskStopsNoCaller stalls a commit, as an fsync does that the disk does not answer.
// Callers go on, readers too, and the write is made when the disk answers.
func TestStalledDiskStopsNoCaller(t *testing.T) {
	d := at(t)
	s := database.New(d)
	defer func() { _ = s.Close() }()
	must(t, s.Do(t.Context(), touch))
	stalled, answer := make(chan struct{}), make(chan struct{})
	var once sync.Once
	stallNextCommit.Store(&stall{func() { once.Do(func() { close(stalled) }); <-answer }})
	s.Queue().Add(insert)
	<-stalled
	stallNextCommit.Store(nil)
	s.Queue().Add(insert)
	if n := countRows(t, s); n != 1 {
		t.Errorf("%d rows while the disk is stalled, want 1", n)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Queue().Flush(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("flush: %v", err)
	}
	close(answer)
	must(t, s.Queue().Flush(t.Context()))
	if n := countRows(t, s); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
}

type stall struct{ commit func() }

// stallNextCommit stalls the commits of every connection that opens while it is set.
var stallNextCommit atomic.Pointer[stall]

func init() {
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		hooks, _ := conn.(sqlite.HookRegisterer)
		if st := stallNextCommit.Load(); st != nil && hooks != nil {
			hooks.RegisterCommitHook(func() int32 { st.commit(); return 0 })
		}
		return nil
	})
}

// TestRemovedStateIsNoticed removes the state directory of an open database. What was saved after
// that is in the new one, and what is saved while it goes away is an error.
func TestRemovedStateIsNoticed(t *testing.T) {
	d := at(t)
	s := database.New(d)
	defer func() { _ = s.Close() }()
	must(t, s.Do(t.Context(), touch))
	must(t, os.RemoveAll(filepath.Dir(s.Path())))
	must(t, s.Do(t.Context(), touch))
	s.Queue().Add(insert)
	must(t, s.Queue().Flush(t.Context()))
	again := database.New(d)
	defer func() { _ = again.Close() }()
	if n := countRows(t, again); n != 2 {
		t.Errorf("another process finds %d rows, want 2", n)
	}
	err := s.Change(t.Context(), func(tx *sql.Tx) error {
		must(t, os.RemoveAll(filepath.Dir(s.Path())))
		return insert.Change(t.Context(), tx)
	})
	var explained *database.Error
	if !errors.As(err, &explained) {
		t.Errorf("a change that was lost: %v", err)
	}
}

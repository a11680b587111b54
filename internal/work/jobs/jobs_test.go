package jobs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/jobs"
	"github.com/callsheet/callsheet/internal/work/jobs/jobstest"
)

func TestMain(m *testing.M) { os.Exit(jobstest.Main(m)) }

// toy is a kind whose runs fail a number of times, and then finish the job.
type toy struct {
	name     string
	failures atomic.Int32 // before a run succeeds
	runs     atomic.Int32
	deleted  atomic.Int32
	hold     bool // run until ctx ends
}

func (t *toy) Name() string { return t.name }

func (*toy) Schema() []string { return nil }

func (t *toy) Run(ctx context.Context, db *jobs.DB, job jobs.Job, _ string) error {
	t.runs.Add(1)
	if t.failures.Add(-1) >= 0 {
		return errors.New("not yet")
	}
	if t.hold {
		<-ctx.Done()
		return ctx.Err()
	}
	return db.InTx(ctx, func(ctx context.Context, tx jobs.Tx) error { return tx.FinishJob(ctx, job.ID) })
}

func (t *toy) Delete(context.Context, jobs.Tx, string) error {
	t.deleted.Add(1)
	return nil
}

func nothing(context.Context, jobs.Tx, string) error { return nil }

func open(t *testing.T, dir string, k *toy) *jobs.Jobs {
	t.Helper()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := jobs.New(jobs.Config{
		Dir: place, URL: os.Getenv(jobstest.URL), Kinds: []jobs.Kind{k}, Heartbeat: 100 * time.Millisecond, Lease: time.Second, Retention: time.Millisecond,
	})
	t.Cleanup(func() {
		if err := all.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return all
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s never came true", what)
		}
	}
}

func TestDatabaseIsOpenedAtFirstUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	all := open(t, dir, &toy{name: "toy"})
	if os.Getenv(jobstest.URL) != "" {
		t.Skip("it is about the file")
	}
	if all.Exists() {
		t.Error("there are jobs before there is a file")
	}
	if err := all.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was created: %v", err)
	}
	if _, err := all.Get(t.Context(), "x"); !errors.Is(err, jobs.ErrNotFound) || !all.Exists() {
		t.Errorf("%v", err)
	}
}

func TestFailedRunIsRetried(t *testing.T) {
	k := &toy{name: "toy-retry"}
	k.failures.Store(2)
	all := open(t, t.TempDir(), k)
	job, err := all.Submit(t.Context(), jobs.Job{Kind: k.name, Title: "t", Spec: []byte("{}"), Concurrency: 1}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the job", func() bool {
		got, err := all.Get(t.Context(), job.ID)
		return err == nil && got.State == jobs.StateDone || errors.Is(err, jobs.ErrNotFound)
	})
	if n := k.runs.Load(); n != 3 {
		t.Errorf("%d runs, want 3", n)
	}
	// Its retention has passed, so the job and the rows of its kind are deleted.
	eventually(t, "that the job is deleted", func() bool {
		_, err := all.Get(t.Context(), job.ID)
		return errors.Is(err, jobs.ErrNotFound) && k.deleted.Load() > 0
	})
}

// TestRunOfTheFutureStarts has a run in the queue whose time is an hour ahead, as it is when the
// clock was set back while no process worked.
func TestRunOfTheFutureStarts(t *testing.T) {
	if os.Getenv(jobstest.URL) != "" {
		t.Skip("it writes SQLite's times")
	}
	dir := t.TempDir()
	k := &toy{name: "toy-future", hold: true}
	first := open(t, dir, k)
	job, err := first.Submit(t.Context(), jobs.Job{Kind: k.name, Title: "t", Spec: []byte("{}"), Concurrency: 1}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "that the run works", func() bool { return k.runs.Load() == 1 })
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := &toy{name: k.name}
	second := open(t, dir, next)
	db, err := second.DB(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := db.Autocommit().Exec(t.Context(), "UPDATE river_job SET state = 'available', scheduled_at = datetime('now', '+1 hour')"); err != nil || n != 1 {
		t.Fatalf("%d runs, %v", n, err)
	}
	if err := second.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the job", func() bool {
		got, err := second.Get(t.Context(), job.ID)
		return err == nil && got.State == jobs.StateDone || errors.Is(err, jobs.ErrNotFound)
	})
}

// TestNextProcessTakesOver: the runs of a process that ends go to the next one at once.
func TestNextProcessTakesOver(t *testing.T) {
	dir := t.TempDir()
	k := &toy{name: "toy-leave", hold: true}
	first := open(t, dir, k)
	job, err := first.Submit(t.Context(), jobs.Job{Kind: k.name, Title: "t", Spec: []byte("{}"), Concurrency: 2}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "that both runs work", func() bool { return k.runs.Load() == 2 })
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := &toy{name: k.name, hold: true}
	second := open(t, dir, next)
	if err := second.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "that both runs work elsewhere", func() bool { return next.runs.Load() >= 2 })
	if w, err := second.Workers(t.Context()); err != nil || len(w) != 1 || w[0].PID != os.Getpid() {
		t.Errorf("%v, %v", w, err)
	}
	got, err := second.Cancel(t.Context(), job.ID)
	if err != nil || got.State != jobs.StateCancelled {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestUnknownKinds: a process neither runs nor deletes jobs of kinds that it lacks, and does not
// delay other processes.
func TestUnknownKinds(t *testing.T) {
	dir := t.TempDir()
	strange := &toy{name: "toy-strange"}
	maker := open(t, dir, strange)
	knows := &toy{name: "toy-known", hold: true}
	other := open(t, dir, knows)
	if _, err := other.Submit(t.Context(), jobs.Job{Kind: knows.name, Title: "t", Spec: []byte("{}"), Concurrency: 1}, nothing); err != nil {
		t.Fatal(err)
	}
	eventually(t, "that the other process works", func() bool { return knows.runs.Load() == 1 })
	strange.failures.Store(1) // its run goes back to the queue, which the other process reads too
	job, err := maker.Submit(t.Context(), jobs.Job{Kind: strange.name, Title: "t", Spec: []byte("{}"), Concurrency: 1}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the job", func() bool { return strange.runs.Load() == 2 })
	eventually(t, "that the job is deleted", func() bool {
		_, err := other.Get(t.Context(), job.ID)
		return errors.Is(err, jobs.ErrNotFound)
	})
	if strange.deleted.Load() == 0 || knows.deleted.Load() > 0 || knows.runs.Load() != 1 {
		t.Errorf("deleted %d and %d times, the other ran %d", strange.deleted.Load(), knows.deleted.Load(), knows.runs.Load())
	}
}

package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

const (
	// runTimeout is the time for which a run works before it goes back to the queue. It is far below the hour
	// after which River rescues a job.
	runTime = 10 * time.Minute
	// maxAttempts is the number of times that River tries a run. A run fails while the database is unreachable,
	// which may take days.
	maxAttempts = 10000
	// maxBackoff is the longest back-off of a run.
	maxBackoff = 30 * time.Second
	// idleTime is the time for which a process stays a worker after its last job.
	idleTime = 30 * time.Second
	// pollInterval is the time between two polls of the queue where the database has no notifications.
	pollInterval = 250 * time.Millisecond
	// enqueueEvery is after how many heartbeats maintenance inserts missing runs.
	enqueueEvery = 5
)

// runArgs are the arguments of the River job of one run: the job, and the number of the run, from
// 0.
type runArgs struct {
	Job string `json:"job" river:"unique"`
	N   int    `json:"n" river:"unique"`
}

// Kind returns the kind of the River job. Databases have it, so it stays.
func (runArgs) Kind() string { return "callsheet_hand" }

// InsertOpts keeps each run in the queue at most once.
func (runArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: maxAttempts, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}}
}

// queue is the part of a River client that does not depend on its database.
type queue interface {
	Start(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	InsertMany(ctx context.Context, params []river.InsertManyParams) ([]*rivertype.JobInsertResult, error)
	JobList(ctx context.Context, params *river.JobListParams) (*river.JobListResult, error)
	JobRetry(ctx context.Context, id int64) (*rivertype.JobRow, error)
}

// worker is this process while it works on jobs.
type worker struct {
	river.WorkerDefaults[runArgs]
	jobs    *Jobs
	db      *DB
	id      string
	queue   queue
	exec    riverdriver.Executor
	cancel  context.CancelFunc // ends the maintenance
	stopped chan struct{}      // closed when the maintenance has ended
	last    renewal            // of the lease; only heartbeat uses it

	mu   sync.Mutex
	runs map[string]map[int]context.CancelFunc // by job
}

// NextRetry returns when River retries a failed run.
func (w *worker) NextRetry(job *river.Job[runArgs]) time.Time {
	return time.Now().Add(min(maxBackoff, time.Second<<min(job.Attempt, 10)))
}

// Timeout disables the timeout of River: a run ends after runTimeout.
func (w *worker) Timeout(*river.Job[runArgs]) time.Duration { return -1 }

// Work works on a job for one run.
func (w *worker) Work(ctx context.Context, rj *river.Job[runArgs]) error {
	job, err := selectJob(ctx, w.db.Autocommit(), rj.Args.Job)
	if errors.Is(err, ErrNotFound) || err == nil && job.State != StateRunning {
		return nil
	}
	if err != nil {
		return w.snoozeIfStopping(ctx, err)
	}
	kind, err := w.jobs.kindByName(job.Kind)
	if err != nil {
		return err
	}
	working, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	defer w.trackRun(job.ID, rj.Args.N, cancel)()
	err = kind.Run(working, w.db, job, w.id)
	if working.Err() != nil {
		return river.JobSnooze(0) // the next attempt ends if the job was cancelled
	}
	if err != nil {
		w.jobs.log.Warn("a job is postponed", "job", job.ID, "error", err)
	}
	return err
}

// snoozeIfStopping requeues a run at once if the process stops, which is no failure.
func (*worker) snoozeIfStopping(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return river.JobSnooze(0)
	}
	return err
}

// trackRun registers the cancellation of a run until release is called.
func (w *worker) trackRun(job string, n int, cancel context.CancelFunc) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[job] == nil {
		w.runs[job] = make(map[int]context.CancelFunc)
	}
	w.runs[job][n] = cancel
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.runs[job], n); len(w.runs[job]) == 0 {
			delete(w.runs, job)
		}
	}
}

// cancelRuns cancels the runs of a job in this process.
func (w *worker) cancelRuns(job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.runs[job] {
		cancel()
	}
}

// Work has this process work on jobs, if it does not yet. Unless stay is set, it stops idleTime
// after the last job.
func (j *Jobs) Work(ctx context.Context, stay bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.worker != nil {
		return nil
	}
	db, err := j.open(ctx)
	if err != nil {
		return err
	}
	host, _ := os.Hostname() // for people
	w := &worker{
		jobs: j, db: db, stopped: make(chan struct{}), runs: make(map[string]map[int]context.CancelFunc),
		id: fmt.Sprintf("%.60s-%d-%s", host, os.Getpid(), strings.ToLower(rand.Text()[:8])),
	}
	w.queue, w.exec, err = newQueue(db, w.riverConfig())
	if err != nil {
		return fmt.Errorf("make the queue: %w", err)
	}
	if err := w.heartbeat(ctx); err != nil {
		return fmt.Errorf("enter the list of workers: %w", err)
	}
	var running context.Context
	running, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := w.maintain(running, true); err != nil {
		j.log.Warn("maintain jobs", "error", err)
	}
	if err := w.queue.Start(running); err != nil {
		w.cancel()
		return fmt.Errorf("start the queue: %w", err)
	}
	j.worker = w
	go w.maintainUntilDone(running, stay)
	return nil
}

// riverConfig configures one queue for each kind, so that a process never takes a run of a kind
// that it lacks.
func (w *worker) riverConfig() *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	queues := make(map[string]river.QueueConfig)
	for _, k := range w.jobs.cfg.Kinds {
		queues[k.Name()] = river.QueueConfig{MaxWorkers: w.jobs.cfg.Slots}
	}
	return &river.Config{
		ID: w.id, Workers: workers, Queues: queues,
		JobTimeout: -1, FetchCooldown: 20 * time.Millisecond, FetchPollInterval: pollInterval, PollOnly: !w.db.postgres,
		Logger: slog.New(errorsOnly{w.jobs.log.Handler()}),
	}
}

// maintainUntilDone sends heartbeats and maintains the queue until the process stops working.
func (w *worker) maintainUntilDone(ctx context.Context, stay bool) {
	defer close(w.stopped)
	tick := time.NewTicker(w.jobs.cfg.Heartbeat)
	defer tick.Stop()
	busy := time.Now()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := errors.Join(w.heartbeat(ctx), w.maintain(ctx, n%enqueueEvery == 0)); err != nil && ctx.Err() == nil {
			w.jobs.log.Warn("maintain jobs", "error", err)
		}
		w.mu.Lock()
		if len(w.runs) > 0 {
			busy = time.Now()
		}
		w.mu.Unlock()
		if !stay && time.Since(busy) > idleTime && w.stopIfIdle(ctx) {
			return
		}
	}
}

// stopIfIdle stops the worker if no job of its kinds is left, and reports whether it did.
func (w *worker) stopIfIdle(ctx context.Context) bool {
	j := w.jobs
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.worker != w {
		return false
	}
	if open, err := j.hasRunningJob(ctx, w.db); err != nil || open {
		return false
	}
	j.worker = nil
	if err := w.stopQueue(ctx); err != nil {
		j.log.Warn("stop the queue", "error", err)
	}
	w.cancel()
	return true
}

func (w *worker) stop(ctx context.Context) error {
	err := w.stopQueue(ctx)
	w.cancel()
	<-w.stopped
	return err
}

// stopQueue stops the queue and removes this process from the workers, so that others can take over
// its runs at once.
func (w *worker) stopQueue(ctx context.Context) error {
	err := w.queue.StopAndCancel(ctx)
	_, gone := w.db.Autocommit().Exec(ctx, "DELETE FROM callsheet_worker WHERE id = ?", w.id)
	return errors.Join(err, gone)
}

// heartbeat renews the lease of this process, and corrects times in the database if its clock was
// set back. Calls are not concurrent.
func (w *worker) heartbeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.jobs.cfg.Lease)
	defer cancel()
	host, _ := os.Hostname() // for people
	began := time.Now()
	var next renewal
	var back time.Duration
	err := w.db.InTx(ctx, func(ctx context.Context, tx Tx) error {
		err := tx.Row(ctx, "SELECT {now}").Scan(&next.now)
		if err != nil {
			return err
		}
		if back, err = w.correctTimes(ctx, tx, began, next.now); err != nil {
			return err
		}
		next.until = next.now + w.jobs.cfg.Lease.Milliseconds()
		_, err = tx.Exec(ctx, `INSERT INTO callsheet_worker (id, host, pid, slots, since, until) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET until = excluded.until`, w.id, host, os.Getpid(), w.jobs.cfg.Slots, next.now, next.until)
		return err
	})
	if err != nil {
		return err
	}
	next.done = time.Now()
	w.last = next
	if back == 0 {
		return nil
	}
	w.jobs.log.Warn("the clock was set back; what waits for a time was moved with it", "by", back)
	return w.rescheduleRuns(ctx, 0)
}

// errorsOnly is a handler that drops the records of River below errors.
type errorsOnly struct{ slog.Handler }

func (e errorsOnly) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && e.Handler.Enabled(ctx, l)
}

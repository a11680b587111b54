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
	// slice is how long a hand works before it goes back to the queue. It is far below the hour after which River takes a
	// job from a process.
	slice = 10 * time.Minute
	// attempts is what River allows a hand. A hand that fails has met a database it cannot reach, which may take days.
	attempts = 10000
	// longestPause is the longest back-off of a hand.
	longestPause = 30 * time.Second
	// idleTime is how long a server works on after its last job.
	idleTime = 30 * time.Second
	// poll is how often the queue is asked where nothing announces a job.
	poll = 250 * time.Millisecond
	// enlistEvery is after how many beats hands are counted again.
	enlistEvery = 5
)

// hand is the River job: one of those who work on a job.
type hand struct {
	Job string `json:"job" river:"unique"`
	N   int    `json:"n" river:"unique"`
}

// Kind names the River job.
func (hand) Kind() string { return "callsheet_hand" }

// InsertOpts has each hand in the queue at most once.
func (hand) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: attempts, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}}}
}

// queue is what is needed of a River client, whatever its database.
type queue interface {
	Start(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
	InsertMany(ctx context.Context, params []river.InsertManyParams) ([]*rivertype.JobInsertResult, error)
	JobList(ctx context.Context, params *river.JobListParams) (*river.JobListResult, error)
}

// worker is this process while it works.
type worker struct {
	river.WorkerDefaults[hand]
	jobs  *Jobs
	db    *DB
	id    string
	queue queue
	exec  riverdriver.Executor
	end   context.CancelFunc // of everything below
	ended chan struct{}      // closed when the beats have stopped

	mu    sync.Mutex
	hands map[string]map[int]context.CancelFunc // by job
}

// NextRetry is River's question when a failed hand tries again.
func (w *worker) NextRetry(job *river.Job[hand]) time.Time {
	return time.Now().Add(min(longestPause, time.Second<<min(job.Attempt, 10)))
}

// Timeout is none: a hand ends its slice by itself.
func (w *worker) Timeout(*river.Job[hand]) time.Duration { return -1 }

// Work is a hand at work.
func (w *worker) Work(ctx context.Context, rj *river.Job[hand]) error {
	job, err := get(ctx, w.db.Read(), rj.Args.Job)
	if errors.Is(err, ErrNone) || err == nil && job.State != Running {
		return nil
	}
	if err != nil {
		return w.back(ctx, err)
	}
	kind, err := w.jobs.kind(job.Kind)
	if err != nil {
		return err
	}
	working, cancel := context.WithTimeout(ctx, slice)
	defer cancel()
	defer w.hold(job.ID, rj.Args.N, cancel)()
	err = kind.Run(working, w.db, job, w.id)
	if working.Err() != nil {
		return river.JobSnooze(0) // if the job was cancelled, the next look finds that
	}
	if err != nil {
		w.jobs.log.Warn("a job is put off", "job", job.ID, "error", err)
	}
	return err
}

// back returns a hand to the queue at once when the process is told to stop, which is no failure.
func (*worker) back(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return river.JobSnooze(0)
	}
	return err
}

// hold remembers how to stop a hand.
func (w *worker) hold(job string, n int, cancel context.CancelFunc) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hands[job] == nil {
		w.hands[job] = make(map[int]context.CancelFunc)
	}
	w.hands[job][n] = cancel
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.hands[job], n); len(w.hands[job]) == 0 {
			delete(w.hands, job)
		}
	}
}

// drop stops the hands of a job in this process.
func (w *worker) drop(job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.hands[job] {
		cancel()
	}
}

// Work makes this process work on jobs, if it does not yet. Unless it is to stay, it stops when nothing is left to do.
func (j *Jobs) Work(ctx context.Context, stay bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.working != nil {
		return nil
	}
	db, err := j.open(ctx)
	if err != nil {
		return err
	}
	host, _ := os.Hostname() // a label
	w := &worker{
		jobs: j, db: db, ended: make(chan struct{}), hands: make(map[string]map[int]context.CancelFunc),
		id: fmt.Sprintf("%.60s-%d-%s", host, os.Getpid(), strings.ToLower(rand.Text()[:8])),
	}
	w.queue, w.exec, err = newQueue(db, w.config())
	if err != nil {
		return fmt.Errorf("make the queue: %w", err)
	}
	if err := w.beat(ctx); err != nil {
		return fmt.Errorf("enter the list of workers: %w", err)
	}
	var running context.Context
	running, w.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := w.tend(running, true); err != nil {
		j.log.Warn("look after jobs", "error", err)
	}
	if err := w.queue.Start(running); err != nil {
		w.end()
		return fmt.Errorf("start the queue: %w", err)
	}
	j.working = w
	go w.run(running, stay)
	return nil
}

// config has one queue for each kind, so that a process never takes a hand of a job that it cannot do.
func (w *worker) config() *river.Config {
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	queues := make(map[string]river.QueueConfig)
	for _, k := range w.jobs.cfg.Kinds {
		queues[k.Name()] = river.QueueConfig{MaxWorkers: w.jobs.cfg.Slots}
	}
	return &river.Config{
		ID: w.id, Workers: workers, Queues: queues,
		JobTimeout: -1, FetchCooldown: 20 * time.Millisecond, FetchPollInterval: poll, PollOnly: !w.db.postgres,
		Logger: slog.New(quiet{w.jobs.log.Handler()}),
	}
}

// run gives signs of life and looks after jobs until the process stops working.
func (w *worker) run(ctx context.Context, stay bool) {
	defer close(w.ended)
	tick := time.NewTicker(w.jobs.cfg.Beat)
	defer tick.Stop()
	busy := time.Now()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := errors.Join(w.beat(ctx), w.tend(ctx, n%enlistEvery == 0)); err != nil && ctx.Err() == nil {
			w.jobs.log.Warn("look after jobs", "error", err)
		}
		w.mu.Lock()
		if len(w.hands) > 0 {
			busy = time.Now()
		}
		w.mu.Unlock()
		if !stay && time.Since(busy) > idleTime && w.leave(ctx) {
			return
		}
	}
}

// leave stops working when no job of its kinds is left, and reports whether it did.
func (w *worker) leave(ctx context.Context) bool {
	j := w.jobs
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.working != w {
		return false
	}
	if open, err := j.left(ctx, w.db); err != nil || open {
		return false
	}
	j.working = nil
	if err := w.halt(ctx); err != nil {
		j.log.Warn("stop the queue", "error", err)
	}
	w.end()
	return true
}

func (w *worker) stop(ctx context.Context) error {
	err := w.halt(ctx)
	w.end()
	<-w.ended
	return err
}

// halt ends the queue and takes this process off the list, so that what it had in hand is free at once.
func (w *worker) halt(ctx context.Context) error {
	err := w.queue.StopAndCancel(ctx)
	_, gone := w.db.Read().Exec(ctx, "DELETE FROM callsheet_worker WHERE id = ?", w.id)
	return errors.Join(err, gone)
}

// beat is the sign of life.
func (w *worker) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.jobs.cfg.Lease)
	defer cancel()
	host, _ := os.Hostname() // a label
	_, err := w.db.Read().Exec(ctx, `INSERT INTO callsheet_worker (id, host, pid, slots, since, until) VALUES (?, ?, ?, ?, {now}, {now} + ?)
ON CONFLICT (id) DO UPDATE SET until = excluded.until`, w.id, host, os.Getpid(), w.jobs.cfg.Slots, w.jobs.cfg.Lease.Milliseconds())
	return err
}

// quiet passes on of River's log what a person should know.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && q.Handler.Enabled(ctx, l)
}

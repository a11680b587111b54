package jobs

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// States of a job.
const (
	StateRunning   = "running"
	StateDone      = "done"
	StateCancelled = "cancelled"
	StateFailed    = "failed"
)

// ErrNotFound is the error for an id without a job.
var ErrNotFound = fault.New(codes.Failed, "there is no such job")

// Job is work that outlives a call.
type Job struct {
	ID          string          `json:"id"`
	Kind        string          `json:"kind"`
	Title       string          `json:"title"`
	Spec        json.RawMessage `json:"-"`
	Concurrency int             `json:"hands"` // runs at once, in all processes
	State       string          `json:"state"`
	Note        string          `json:"note,omitempty"` // why it failed
	Created     time.Time       `json:"created"`
	Finished    time.Time       `json:"finished,omitzero"`
	Total       int64           `json:"total"`  // known steps
	Done        int64           `json:"done"`   // acknowledged steps, also failed ones
	Failed      int64           `json:"failed"` // acknowledged steps that failed
}

// Kind works on one kind of job. Its methods are called concurrently.
type Kind interface {
	// Name returns the kind of its jobs.
	Name() string
	// Schema returns the statements that create its tables. They do nothing when repeated.
	Schema() []string
	// Run works on a job until no step is left for this run, and finishes the job after its last
	// step. When ctx ends it stops at the next step; a later run repeats the steps that it has not
	// acknowledged. worker is this process.
	Run(ctx context.Context, db *DB, job Job, worker string) error
	// Delete deletes the rows of a job from its tables.
	Delete(ctx context.Context, tx Tx, job string) error
}

// Config configures the database and the work of this process.
type Config struct {
	Dir       statedir.Dir
	URL       string // postgres://…; "" is SQLite in Dir
	Slots     int    // runs at once in this process; 0 is 16
	Kinds     []Kind
	Logger    *slog.Logger  // nil discards
	Heartbeat time.Duration // period; 0 is two seconds
	Lease     time.Duration // silence after which a process counts as dead; 0 is ten seconds
	Retention time.Duration // of finished jobs; 0 is two weeks
	// ClockOffset is added to the clock of the database by tests; nil adds nothing.
	ClockOffset func() time.Duration
}

// Jobs is the jobs of a database. The first use opens it.
type Jobs struct {
	cfg Config
	log *slog.Logger

	mu     sync.Mutex
	db     *DB
	worker *worker // nil while this process does not work on jobs
}

// New returns the jobs of a database. It opens and creates nothing.
func New(cfg Config) *Jobs {
	if cfg.Slots <= 0 {
		cfg.Slots = 16
	}
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = 2 * time.Second
	}
	if cfg.Lease <= 0 {
		cfg.Lease = 10 * time.Second
	}
	if cfg.Retention <= 0 {
		cfg.Retention = 14 * 24 * time.Hour
	}
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Jobs{cfg: cfg, log: log}
}

// Working reports whether this process works on jobs. It stops idleTime after the last one.
func (j *Jobs) Working() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.worker != nil
}

// DB returns the database, opened at the first call.
func (j *Jobs) DB(ctx context.Context) (*DB, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.open(ctx)
}

func (j *Jobs) open(ctx context.Context) (*DB, error) {
	if j.db != nil {
		return j.db, nil
	}
	var db *DB
	var err error
	if j.cfg.URL != "" {
		db, err = openPostgres(ctx, j.cfg.URL, j.cfg.Slots)
	} else {
		db, err = openSQLite(j.cfg.Dir)
	}
	if err != nil {
		return nil, err
	}
	db.offset = j.cfg.ClockOffset
	end := time.Now().Add(sqliteBusyTimeout)
	for { // SQLite refuses processes that switch a new file to write-ahead logging together, without waiting
		if err = j.migrate(ctx, db); err == nil || !isRetryable(err) || time.Now().After(end) || ctx.Err() != nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		return nil, errors.Join(err, db.close())
	}
	j.db = db
	return db, nil
}

// Submit inserts a job and has this process work on it. fill inserts its first steps into the
// tables of the kind.
func (j *Jobs) Submit(ctx context.Context, job Job, fill func(ctx context.Context, tx Tx, id string) error) (Job, error) {
	db, err := j.DB(ctx)
	if err != nil {
		return Job{}, err
	}
	job.ID, job.State, job.Concurrency = strings.ToLower(rand.Text()), StateRunning, max(1, job.Concurrency)
	err = db.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO callsheet_job (id, kind, title, spec, hands, state, created) VALUES (?, ?, ?, ?, ?, ?, {now})",
			job.ID, job.Kind, job.Title, string(job.Spec), job.Concurrency, job.State); err != nil {
			return err
		}
		return fill(ctx, tx, job.ID)
	})
	if err != nil {
		return Job{}, fmt.Errorf("keep the job: %w", err)
	}
	if err := j.Work(ctx, false); err != nil {
		return Job{}, err
	}
	if err := j.enqueue(ctx, job); err != nil {
		return Job{}, err
	}
	return j.Get(ctx, job.ID)
}

const jobColumns = "id, kind, title, spec, hands, state, note, created, finished, total, done, failed"

func scanJob(row interface{ Scan(...any) error }) (Job, error) {
	var job Job
	var spec string
	var created, finished int64
	err := row.Scan(&job.ID, &job.Kind, &job.Title, &spec, &job.Concurrency, &job.State, &job.Note, &created, &finished, &job.Total, &job.Done, &job.Failed)
	job.Spec, job.Created = json.RawMessage(spec), time.UnixMilli(created)
	if finished > 0 {
		job.Finished = time.UnixMilli(finished)
	}
	return job, err
}

// Get returns a job. The error is ErrNotFound for an unknown id.
func (j *Jobs) Get(ctx context.Context, id string) (Job, error) {
	db, err := j.DB(ctx)
	if err != nil {
		return Job{}, err
	}
	return selectJob(ctx, db.Autocommit(), id)
}

func selectJob(ctx context.Context, tx Tx, id string) (Job, error) {
	job, err := scanJob(tx.Row(ctx, "SELECT "+jobColumns+" FROM callsheet_job WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return Job{}, fmt.Errorf("job %.40q: %w", id, ErrNotFound)
	}
	return job, err
}

// List returns at most limit jobs, the newest first.
func (j *Jobs) List(ctx context.Context, limit int) ([]Job, error) {
	db, err := j.DB(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.Autocommit().Query(ctx, "SELECT "+jobColumns+" FROM callsheet_job ORDER BY created DESC, id LIMIT ?", limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	all := []Job{}
	for rows.Next() {
		job, err := scanJob(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, job)
	}
	return all, rows.Err()
}

// Cancel ends a job. Its results stay. A job that has ended stays as it is.
func (j *Jobs) Cancel(ctx context.Context, id string) (Job, error) {
	db, err := j.DB(ctx)
	if err != nil {
		return Job{}, err
	}
	if _, err := db.Autocommit().Exec(ctx, "UPDATE callsheet_job SET state = ?, finished = {now} WHERE id = ? AND state = ?", StateCancelled, id, StateRunning); err != nil {
		return Job{}, err
	}
	j.mu.Lock()
	w := j.worker
	j.mu.Unlock()
	if w != nil {
		w.cancelRuns(id)
	}
	return j.Get(ctx, id)
}

// Worker is a process that works on jobs.
type Worker struct {
	ID    string    `json:"id"`
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Slots int       `json:"slots"`
	Since time.Time `json:"since"`
}

// Workers lists the live processes that work on jobs.
func (j *Jobs) Workers(ctx context.Context) ([]Worker, error) {
	db, err := j.DB(ctx)
	if err != nil {
		return nil, err
	}
	return j.workers(ctx, db)
}

func (*Jobs) workers(ctx context.Context, db *DB) ([]Worker, error) {
	rows, err := db.Autocommit().Query(ctx, "SELECT id, host, pid, slots, since FROM callsheet_worker WHERE until > {now} ORDER BY since, id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	all := []Worker{}
	for rows.Next() {
		var w Worker
		var since int64
		if err := rows.Scan(&w.ID, &w.Host, &w.PID, &w.Slots, &since); err != nil {
			return nil, err
		}
		w.Since = time.UnixMilli(since)
		all = append(all, w)
	}
	return all, rows.Err()
}

// Exists reports whether there may be jobs. It opens and creates nothing.
func (j *Jobs) Exists() bool {
	if j.cfg.URL != "" {
		return true
	}
	_, err := os.Stat(j.cfg.Dir.Path(FileName))
	return err == nil
}

// Resume works on unfinished jobs, if there are any. Without a database it costs one stat of a
// file.
func (j *Jobs) Resume(ctx context.Context) error {
	if !j.Exists() {
		return nil
	}
	db, err := j.DB(ctx)
	if err != nil {
		return err
	}
	if open, err := j.hasRunningJob(ctx, db); err != nil || !open {
		return err
	}
	return j.Work(ctx, false)
}

// hasRunningJob reports whether there is an unfinished job of the kinds of this process.
func (j *Jobs) hasRunningJob(ctx context.Context, db *DB) (bool, error) {
	for _, k := range j.cfg.Kinds {
		var n int
		if err := db.Autocommit().Row(ctx, "SELECT count(*) FROM callsheet_job WHERE kind = ? AND state = ?", k.Name(), StateRunning).Scan(&n); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

func (j *Jobs) kindByName(name string) (Kind, error) {
	for _, k := range j.cfg.Kinds {
		if k.Name() == name {
			return k, nil
		}
	}
	return nil, fault.New(codes.Failed, fmt.Sprintf("this process does not know jobs of kind %q", name))
}

// Close stops the work and closes the database. Other processes can take over at once.
func (j *Jobs) Close(ctx context.Context) error {
	j.mu.Lock()
	w, db := j.worker, j.db
	j.worker, j.db = nil, nil
	j.mu.Unlock()
	var err error
	if w != nil {
		err = w.stop(ctx)
	}
	if db != nil {
		err = errors.Join(err, db.close())
	}
	return err
}

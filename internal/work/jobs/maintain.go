package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
)

func sqliteDriver(db *DB) riverdriver.Driver[*sql.Tx]  { return riversqlite.New(db.db) }
func postgresDriver(db *DB) riverdriver.Driver[pgx.Tx] { return riverpgxv5.New(db.pool) }

// newQueue returns the River client of the database.
func newQueue(db *DB, cfg *river.Config) (queue, riverdriver.Executor, error) {
	if db.postgres {
		d := postgresDriver(db)
		c, err := river.NewClient(d, cfg)
		return c, d.GetExecutor(), err
	}
	d := sqliteDriver(db)
	c, err := river.NewClient(d, cfg)
	return c, d.GetExecutor(), err
}

// enqueue inserts the runs of a job that the queue lacks, if this process works on jobs.
func (j *Jobs) enqueue(ctx context.Context, job Job) error {
	j.mu.Lock()
	w := j.worker
	j.mu.Unlock()
	if w == nil {
		return nil // the next process that works does it
	}
	return w.enqueue(ctx, job)
}

func (w *worker) enqueue(ctx context.Context, job Job) error {
	all := make([]river.InsertManyParams, job.Concurrency)
	for n := range all {
		all[n] = river.InsertManyParams{Args: runArgs{Job: job.ID, N: n}, InsertOpts: &river.InsertOpts{Queue: job.Kind}}
	}
	_, err := w.queue.InsertMany(ctx, all)
	return err
}

// maintain requeues the runs of dead processes and cancels the runs of ended jobs. With enqueue set
// it also inserts missing runs, which a process may have died before inserting, and deletes expired
// jobs.
func (w *worker) maintain(ctx context.Context, enqueue bool) error {
	ctx, cancel := context.WithTimeout(ctx, transactionTimeout)
	defer cancel()
	if err := w.removeExitedWorkers(ctx); err != nil {
		return err
	}
	if err := w.rescueRuns(ctx); err != nil {
		return err
	}
	if err := w.rescheduleRuns(ctx, 2*maxBackoff); err != nil { // set back while no process ran
		return err
	}
	open, err := w.runningJobs(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	for id, runs := range w.runs {
		if _, ok := open[id]; !ok {
			for _, cancel := range runs {
				cancel()
			}
		}
	}
	w.mu.Unlock()
	if !enqueue {
		return nil
	}
	for _, job := range open {
		if err := w.enqueue(ctx, job); err != nil {
			return err
		}
	}
	return w.deleteExpired(ctx)
}

func (w *worker) runningJobs(ctx context.Context) (map[string]Job, error) {
	rows, err := w.db.Autocommit().Query(ctx, "SELECT "+jobColumns+" FROM callsheet_job WHERE state = ?", StateRunning)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	open := make(map[string]Job)
	for rows.Next() {
		job, err := scanJob(rows)
		if err != nil {
			return nil, err
		}
		open[job.ID] = job
	}
	return open, rows.Err()
}

// removeExitedWorkers removes workers of this machine whose process has exited. It applies to
// SQLite, whose workers share a file; the workers of Postgres have to fall silent.
func (w *worker) removeExitedWorkers(ctx context.Context) error {
	if w.db.postgres {
		return nil
	}
	all, err := w.jobs.workers(ctx, w.db)
	if err != nil {
		return err
	}
	host, _ := os.Hostname() // a container has process ids of its own
	for _, o := range all {
		if o.Host != host || !processExited(o.PID) {
			continue
		}
		if _, err := w.db.Autocommit().Exec(ctx, "DELETE FROM callsheet_worker WHERE id = ?", o.ID); err != nil {
			return err
		}
	}
	return nil
}

// processExited reports whether no process has that id, as far as the system tells.
func processExited(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || runtime.GOOS == "windows" {
		return err != nil
	}
	err = p.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}

// rescueRuns makes the runs of dead processes available again. River would do the same after an
// hour, by the same call.
func (w *worker) rescueRuns(ctx context.Context) error {
	list, err := w.queue.JobList(ctx, river.NewJobListParams().Kinds(runArgs{}.Kind()).States(rivertype.JobStateRunning).First(10000))
	if err != nil || len(list.Jobs) == 0 {
		return err
	}
	living := make(map[string]bool)
	rows, err := w.db.Autocommit().Query(ctx, "SELECT id FROM callsheet_worker WHERE until > {now}")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		living[id] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	_ = rows.Close() // SQLite has one connection
	var dead riverdriver.JobRescueManyParams
	now := time.Now()
	for _, r := range list.Jobs {
		if n := len(r.AttemptedBy); n > 0 && living[r.AttemptedBy[n-1]] {
			continue
		}
		note, err := json.Marshal(rivertype.AttemptError{At: now, Attempt: r.Attempt, Error: "its worker fell silent"})
		if err != nil {
			return err
		}
		dead.ID = append(dead.ID, r.ID)
		dead.Error = append(dead.Error, note)
		dead.FinalizedAt = append(dead.FinalizedAt, nil)
		dead.ScheduledAt = append(dead.ScheduledAt, now)
		dead.State = append(dead.State, string(rivertype.JobStateAvailable))
	}
	if len(dead.ID) == 0 {
		return nil
	}
	w.jobs.log.Info("took over from dead workers", "runs", len(dead.ID))
	_, err = w.exec.JobRescueMany(ctx, &dead)
	return err
}

// deleteExpired deletes jobs past their retention and workers that have been silent for a day.
func (w *worker) deleteExpired(ctx context.Context) error {
	if _, err := w.db.Autocommit().Exec(ctx, "DELETE FROM callsheet_worker WHERE until < {now} - ?", (24 * time.Hour).Milliseconds()); err != nil {
		return err
	}
	for _, k := range w.jobs.cfg.Kinds {
		if err := w.deleteFinished(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// deleteFinished deletes the expired jobs of a kind, one job per transaction, since a large one
// takes a while.
func (w *worker) deleteFinished(ctx context.Context, k Kind) error {
	const old = "SELECT id FROM callsheet_job WHERE kind = ? AND state <> ? AND finished < {now} - ? LIMIT 1"
	for {
		var id string
		err := w.db.Autocommit().Row(ctx, old, k.Name(), StateRunning, w.jobs.cfg.Retention.Milliseconds()).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		err = w.db.InTx(ctx, func(ctx context.Context, tx Tx) error {
			if err := k.Delete(ctx, tx, id); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "DELETE FROM callsheet_job WHERE id = ?", id)
			return err
		})
		if err != nil {
			return err
		}
	}
}

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

func liteDriver(db *DB) riverdriver.Driver[*sql.Tx]    { return riversqlite.New(db.db) }
func postgresDriver(db *DB) riverdriver.Driver[pgx.Tx] { return riverpgxv5.New(db.pool) }

// newQueue makes the River client of the database.
func newQueue(db *DB, cfg *river.Config) (queue, riverdriver.Executor, error) {
	if db.postgres {
		d := postgresDriver(db)
		c, err := river.NewClient(d, cfg)
		return c, d.GetExecutor(), err
	}
	d := liteDriver(db)
	c, err := river.NewClient(d, cfg)
	return c, d.GetExecutor(), err
}

// enlist puts the hands of a job into the queue, those that are not there.
func (j *Jobs) enlist(ctx context.Context, job Job) error {
	j.mu.Lock()
	w := j.working
	j.mu.Unlock()
	if w == nil {
		return nil // who works next does it
	}
	return w.enlist(ctx, job)
}

func (w *worker) enlist(ctx context.Context, job Job) error {
	all := make([]river.InsertManyParams, job.Hands)
	for n := range all {
		all[n] = river.InsertManyParams{Args: hand{Job: job.ID, N: n}, InsertOpts: &river.InsertOpts{Queue: job.Kind}}
	}
	_, err := w.queue.InsertMany(ctx, all)
	return err
}

// tend gives back to the queue what dead processes had in hand, stops hands of jobs that have ended, and, if hands are
// to be counted, puts into the queue what a process may have died before doing.
func (w *worker) tend(ctx context.Context, count bool) error {
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	if err := w.bury(ctx); err != nil {
		return err
	}
	if err := w.rescue(ctx); err != nil {
		return err
	}
	open, err := w.open(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	for id, hands := range w.hands {
		if _, ok := open[id]; !ok {
			for _, cancel := range hands {
				cancel()
			}
		}
	}
	w.mu.Unlock()
	if !count {
		return nil
	}
	for _, job := range open {
		if err := w.enlist(ctx, job); err != nil {
			return err
		}
	}
	return w.clean(ctx)
}

func (w *worker) open(ctx context.Context) (map[string]Job, error) {
	rows, err := w.db.Read().Query(ctx, "SELECT "+columns+" FROM callsheet_job WHERE state = ?", Running)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	open := make(map[string]Job)
	for rows.Next() {
		job, err := scan(rows)
		if err != nil {
			return nil, err
		}
		open[job.ID] = job
	}
	return open, rows.Err()
}

// bury ends the lease of workers whose process is gone. Only who shares a file with us is surely on our machine; others
// have to fall silent.
func (w *worker) bury(ctx context.Context) error {
	if w.db.postgres {
		return nil
	}
	all, err := w.jobs.workers(ctx, w.db)
	if err != nil {
		return err
	}
	host, _ := os.Hostname() // of a container, which has its own processes
	for _, o := range all {
		if o.Host != host || !gone(o.PID) {
			continue
		}
		if _, err := w.db.Read().Exec(ctx, "DELETE FROM callsheet_worker WHERE id = ?", o.ID); err != nil {
			return err
		}
	}
	return nil
}

// gone reports whether there surely is no process of that id.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || runtime.GOOS == "windows" {
		return err != nil
	}
	err = p.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}

// rescue makes River's jobs of dead processes available again. River would do the same after an hour, by the same call.
func (w *worker) rescue(ctx context.Context) error {
	list, err := w.queue.JobList(ctx, river.NewJobListParams().Kinds(hand{}.Kind()).States(rivertype.JobStateRunning).First(10000))
	if err != nil || len(list.Jobs) == 0 {
		return err
	}
	living := make(map[string]bool)
	rows, err := w.db.Read().Query(ctx, "SELECT id FROM callsheet_worker WHERE until > {now}")
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
	_ = rows.Close() // the one connection of SQLite is needed below
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
	w.jobs.log.Info("took over from dead workers", "hands", len(dead.ID))
	_, err = w.exec.JobRescueMany(ctx, &dead)
	return err
}

// clean deletes jobs of our kinds that ended long ago, and workers that nobody has heard of for a day.
func (w *worker) clean(ctx context.Context) error {
	if _, err := w.db.Read().Exec(ctx, "DELETE FROM callsheet_worker WHERE until < {now} - ?", (24 * time.Hour).Milliseconds()); err != nil {
		return err
	}
	for _, k := range w.jobs.cfg.Kinds {
		if err := w.forget(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes what was kept of a kind's old jobs, one job at a time: a large one takes a while.
func (w *worker) forget(ctx context.Context, k Kind) error {
	const old = "SELECT id FROM callsheet_job WHERE kind = ? AND state <> ? AND finished < {now} - ? LIMIT 1"
	for {
		var id string
		err := w.db.Read().Row(ctx, old, k.Name(), Running, w.jobs.cfg.Keep.Milliseconds()).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		err = w.db.Change(ctx, func(ctx context.Context, tx Tx) error {
			if err := k.Forget(ctx, tx, id); err != nil {
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

package parallel

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/principal"
)

const (
	// maxRuns is the number of runs that the store keeps. It deletes the oldest.
	maxRuns = 500
	// MaxDataBytes bounds the data of a worker, in bytes of JSON.
	MaxDataBytes = 1 << 20
	// maxSteps is how many steps of a worker are kept.
	maxSteps = 100
)

// Store stores parallel runs. Its methods are safe for concurrent use, by several processes too.
type Store struct {
	store   *database.Store
	process string
	now     func() time.Time
}

// New returns a Store in a database. Its runs belong to this process.
func New(s *database.Store) *Store {
	return &Store{store: s, process: strings.ToLower(rand.Text()[:8]), now: time.Now}
}

// IsOwn reports whether this process opened the pages of the run.
func (s *Store) IsOwn(w *Run) bool { return w.Process == s.process }

// idLength is the length of an id: 60 bits cannot be guessed through a tool.
const idLength = 12

// open is the SQL condition of a worker that has not ended.
const open = "status IN ('" + string(StatusPending) + "', '" + string(StatusRunning) + "')"

// Create stores a new run and sets its id. Its workers are pending.
func (s *Store) Create(ctx context.Context, w *Run) error {
	w.ID, w.Process, w.Created = strings.ToLower(rand.Text()[:idLength]), s.process, s.now()
	owner := principal.Of(ctx).String
	return s.store.Change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO crew (id, principal, session, server, name, created, deadline, stale, cleaned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
			w.ID, owner, w.Session, w.Process, w.Name, w.Created.UnixMilli(), w.Deadline.UnixMilli(), w.StaleAfter); err != nil {
			return fmt.Errorf("keep a workflow: %w", err)
		}
		for i, x := range w.Workers {
			if _, err := tx.ExecContext(ctx, `INSERT INTO crew_worker (crew, name, place, url, task, criteria, connection, tab, status, settled,
				why, summary, data, iterations, same, deadline, updated, finished) VALUES (?, ?, ?, ?, ?, ?, '', '', ?, 0, '', '', '{}', 0, 0, ?, ?, 0)`,
				w.ID, x.Name, i, x.URL, x.Task, x.Criteria, string(StatusPending), x.Deadline.UnixMilli(), w.Created.UnixMilli()); err != nil {
				return fmt.Errorf("keep worker %q: %w", x.Name, err)
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM crew WHERE principal = ?1 AND id NOT IN
			(SELECT id FROM crew WHERE principal = ?1 ORDER BY created DESC, rowid DESC LIMIT ?2)`, owner, maxRuns)
		return err
	})
}

// SetTab stores the tab of a worker.
func (s *Store) SetTab(ctx context.Context, id, name, connection, tab string) error {
	return s.exec(ctx, "UPDATE crew_worker SET connection = ?, tab = ? WHERE crew = ? AND name = ?", connection, tab, id, name)
}

// MarkLoaded marks a pending worker as running.
func (s *Store) MarkLoaded(ctx context.Context, id, name string) error {
	return s.exec(ctx, "UPDATE crew_worker SET status = ? WHERE crew = ? AND name = ? AND status = ?", StatusRunning, id, name, StatusPending)
}

// MarkFailed marks a worker as failed, unless it has ended.
func (s *Store) MarkFailed(ctx context.Context, id, name, why string) error {
	return s.exec(ctx, `UPDATE crew_worker SET status = ?, why = ?, finished = ? WHERE crew = ? AND name = ? AND `+open, StatusFailed, why, s.now().UnixMilli(), id, name)
}

// MarkClosed records that the browser contexts of a run are closed. Its running workers become
// partial if they have data, and otherwise failed.
func (s *Store) MarkClosed(ctx context.Context, id string) error {
	return s.store.Change(ctx, func(tx *sql.Tx) error {
		now := s.now().UnixMilli()
		if _, err := tx.ExecContext(ctx, `UPDATE crew_worker SET status = CASE data WHEN '{}' THEN ? ELSE ? END,
			why = 'the workflow was ended before it was done', finished = ? WHERE crew = ? AND `+open, StatusFailed, StatusPartial, now, id); err != nil {
			return fmt.Errorf("end the workers of %s: %w", id, err)
		}
		_, err := tx.ExecContext(ctx, "UPDATE crew SET cleaned = ? WHERE id = ? AND cleaned = 0", now, id)
		return err
	})
}

func (s *Store) exec(ctx context.Context, query string, args ...any) error {
	return s.store.Change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, query, args...); err != nil {
			return fmt.Errorf("note how a worker is: %w", err)
		}
		return nil
	})
}

// expire marks the workers past their deadline. Their data stays.
func (s *Store) expire(ctx context.Context, tx *sql.Tx, id string) error {
	now := s.now().UnixMilli()
	_, err := tx.ExecContext(ctx, `UPDATE crew_worker SET status = ?, why = 'its time was over', finished = deadline
		WHERE crew = ? AND `+open+` AND deadline <= ?`, StatusTimedOut, id, now)
	if err != nil {
		return fmt.Errorf("look at the deadlines of %s: %w", id, err)
	}
	return nil
}

// Load reads a run, with the steps of its workers if steps is set.
func (s *Store) Load(ctx context.Context, id string, steps bool) (w *Run, err error) {
	err = s.store.Change(ctx, func(tx *sql.Tx) error {
		if err := s.expire(ctx, tx, id); err != nil {
			return err
		}
		w, err = selectRun(ctx, tx, id)
		if err != nil || !steps {
			return err
		}
		for i := range w.Workers {
			if w.Workers[i].Steps, err = selectSteps(ctx, tx, id, w.Workers[i].Name); err != nil {
				return err
			}
		}
		return nil
	})
	return w, err
}

func selectRun(ctx context.Context, tx *sql.Tx, id string) (*Run, error) {
	w := &Run{ID: id}
	var created, deadline, cleaned int64
	row := tx.QueryRowContext(ctx, "SELECT session, server, name, created, deadline, stale, cleaned FROM crew WHERE id = ? AND principal = coalesce(?, principal)", id, principal.Of(ctx))
	switch err := row.Scan(&w.Session, &w.Process, &w.Name, &created, &deadline, &w.StaleAfter, &cleaned); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fault.Errorf(codes.NotFound, "no workflow has the id %q", id)
	case err != nil:
		return nil, fmt.Errorf("read workflow %s: %w", id, err)
	}
	w.Created, w.Deadline, w.Closed = time.UnixMilli(created), time.UnixMilli(deadline), unixMilliOrZero(cleaned)
	rows, err := tx.QueryContext(ctx, `SELECT name, url, task, criteria, connection, tab, status, settled, why, summary, data, iterations, same,
		deadline, updated, finished FROM crew_worker WHERE crew = ? ORDER BY place`, id)
	if err != nil {
		return nil, fmt.Errorf("read the workers of %s: %w", id, err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var x Worker
		var data string
		var deadline, updated, finished int64
		if err := rows.Scan(&x.Name, &x.URL, &x.Task, &x.Criteria, &x.Connection, &x.Tab, &x.Status, &x.Reported, &x.Reason, &x.Summary, &data,
			&x.Iterations, &x.UnchangedUpdates, &deadline, &updated, &finished); err != nil {
			return nil, fmt.Errorf("read the workers of %s: %w", id, err)
		}
		x.Deadline, x.Updated, x.Finished = time.UnixMilli(deadline), time.UnixMilli(updated), unixMilliOrZero(finished)
		if err := json.Unmarshal([]byte(data), &x.Data); err != nil {
			return nil, fmt.Errorf("read the data of worker %q: %w", x.Name, err)
		}
		w.Workers = append(w.Workers, x)
	}
	return w, rows.Err()
}

func selectSteps(ctx context.Context, tx *sql.Tx, id, name string) ([]Step, error) {
	rows, err := tx.QueryContext(ctx, "SELECT at, text FROM crew_step WHERE crew = ? AND worker = ? ORDER BY id", id, name)
	if err != nil {
		return nil, fmt.Errorf("read the steps of %q: %w", name, err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	var out []Step
	for rows.Next() {
		var at int64
		var step Step
		if err := rows.Scan(&at, &step.Text); err != nil {
			return nil, fmt.Errorf("read the steps of %q: %w", name, err)
		}
		step.At = time.UnixMilli(at)
		out = append(out, step)
	}
	return out, rows.Err()
}

// unixMilliOrZero returns a time of the database, in which 0 is the zero time.
func unixMilliOrZero(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Find resolves the run that a call means: the one of that id, in any session, or else the only one
// of the session that is still open in this process, or else in any, or else that was ended. With a
// worker's name only work that has such a worker counts. The errors are ErrNoRun, UnknownError and
// AmbiguousError.
func (s *Store) Find(ctx context.Context, session, id, worker string) (string, error) {
	if id != "" {
		return id, nil // Load says whether there is one
	}
	type found struct{ ids, names []string }
	var levels [3]found
	err := s.store.Do(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT id, name, server = ?1, cleaned FROM crew WHERE session = ?2
			AND (?3 = '' OR EXISTS (SELECT 1 FROM crew_worker w WHERE w.crew = crew.id AND w.name = ?3)) ORDER BY created, rowid`, s.process, session, worker)
		if err != nil {
			return fmt.Errorf("find workflows: %w", err)
		}
		defer func() { _ = rows.Close() }() // its error is rows.Err's
		for rows.Next() {
			var id, name string
			var here bool
			var cleaned int64
			if err := rows.Scan(&id, &name, &here, &cleaned); err != nil {
				return fmt.Errorf("find workflows: %w", err)
			}
			level := 2
			if cleaned == 0 {
				level = 1
			}
			if here && cleaned == 0 {
				level = 0
			}
			levels[level].ids, levels[level].names = append(levels[level].ids, id), append(levels[level].names, name)
		}
		return rows.Err()
	})
	if err != nil {
		return "", err
	}
	for _, l := range levels {
		switch len(l.ids) {
		case 0:
		case 1:
			return l.ids[0], nil
		default:
			from := max(0, len(l.ids)-maxNamed)
			return "", ambiguous(l.ids[from:], l.names[from:])
		}
	}
	if worker != "" { // no worker has the name: find the run, whose error lists its workers
		return s.Find(ctx, session, "", "")
	}
	return "", ErrNoRun
}

// ambiguous returns the error of a call without an id where several runs match.
func ambiguous(ids, names []string) error {
	lines := make([]string, len(ids))
	for i := range lines {
		lines[i] = fmt.Sprintf("%s (%s)", ids[i], names[i])
	}
	return fault.Errorf(codes.Ambiguous, "there are several workflows; say which: %s", strings.Join(lines, ", ")).With("workflows", ids)
}

// maxNamed is the number of runs that an AmbiguousError names: the latest.
const maxNamed = 10

// earliest is the first of two times.
func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

package recorder

import (
	"cmp"
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

// Archive stores the recordings of a state directory. Any number of processes share it.
type Archive struct{ store *database.Store }

// NewArchive returns an archive in a database.
func NewArchive(s *database.Store) *Archive { return &Archive{store: s} }

// The errors of an archive. ErrNotFound is the error for an unknown id, and for that of another principal.
var (
	ErrNotFound = fault.New(codes.Failed, "no such recording")
	ErrNotOwner = fault.New(codes.Failed, "the recording is stopped, or was resumed elsewhere")
)

// maxRecordings bounds the recordings of a principal. Begin deletes the oldest beyond it.
const maxRecordings = 1000

// newID returns an id of a sortable time and a random part.
func newID(now time.Time) string {
	return "rec-" + now.UTC().Format("20060102-150405-") + strings.ToLower(rand.Text()[:13])
}

// Begin creates a recording to which only owner appends.
func (a *Archive) Begin(ctx context.Context, session, label, owner string) (Recording, error) {
	r := Recording{Session: session, Label: label, StartedAt: time.Now().UTC().Truncate(time.Millisecond)}
	r.ID = newID(r.StartedAt)
	by := principal.Of(ctx).String
	return r, a.store.Change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO recording (id, principal, session, owner, label, started) VALUES (?, ?, ?, ?, ?, ?)",
			r.ID, by, session, owner, label, r.StartedAt.UnixMilli()); err != nil {
			return fmt.Errorf("begin a recording: %w", err)
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM recording WHERE id IN
			(SELECT id FROM recording WHERE principal = ? ORDER BY started DESC, id DESC LIMIT -1 OFFSET ?)`, by, maxRecordings)
		return err
	})
}

// Resume gives a recording to another owner. The former owner gets ErrNotOwner at its next step.
func (a *Archive) Resume(ctx context.Context, id, session, owner string) (r Recording, err error) {
	if err := a.flush(ctx); err != nil {
		return r, err
	}
	err = a.store.Change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "UPDATE recording SET session = ?, owner = ?, stopped = NULL WHERE id = ? AND principal = coalesce(?, principal)",
			session, owner, id, principal.Of(ctx))
		if err != nil {
			return fmt.Errorf("resume a recording: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, ErrNotFound)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	return a.Get(ctx, id)
}

// Append appends a step in the background and sets its Seq. done receives the outcome; nil means
// that the step survives a crash of the process. The error is ErrNotOwner when the recording
// belongs to another owner. Append returns errQueueFull, and does not call done, when too many
// steps wait.
func (a *Archive) Append(id, owner string, s *Step, done func(error)) error {
	added := a.store.Queue().Add(database.Write{
		Change:      func(ctx context.Context, tx *sql.Tx) error { return appendStep(ctx, tx, id, owner, s) },
		Done:        done,
		IsEssential: true,
	})
	if !added {
		return errQueueFull
	}
	return nil
}

// Amend is Append for a step that replaces the latest one and takes its Seq. It appends to a recording
// without steps.
func (a *Archive) Amend(id, owner string, s *Step, done func(error)) error {
	added := a.store.Queue().Add(database.Write{
		Change: func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, `DELETE FROM recording_step WHERE recording = ?1
				AND seq = (SELECT max(seq) FROM recording_step WHERE recording = ?1)
				AND EXISTS (SELECT 1 FROM recording WHERE id = ?1 AND owner = ?2 AND stopped IS NULL)`, id, owner); err != nil {
				return fmt.Errorf("amend a recording: %w", err)
			}
			return appendStep(ctx, tx, id, owner, s)
		},
		Done:        done,
		IsEssential: true,
	})
	if !added {
		return errQueueFull
	}
	return nil
}

var errQueueFull = fault.New(codes.Failed, "too many steps wait for the database, which is locked or slow")

// flush waits for the steps that were appended before, so that the next statement sees them.
func (a *Archive) flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, flushTimeout, errNotFlushed)
	defer cancel()
	return a.store.Queue().Flush(ctx)
}

// flushTimeout bounds the wait of a call for steps that must be on disk before it is answered.
const flushTimeout = 5 * time.Second

var errNotFlushed = fault.New(codes.Failed, "steps of the recording still wait for the database, which is locked or slow")

func appendStep(ctx context.Context, tx *sql.Tx, id, owner string, s *Step) error {
	var mine bool
	var last int
	err := tx.QueryRowContext(ctx, `SELECT owner = ? AND stopped IS NULL, (SELECT coalesce(max(seq), 0) FROM recording_step WHERE recording = recording.id)
		FROM recording WHERE id = ?`, owner, id).Scan(&mine, &last)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && !mine:
		return ErrNotOwner
	case err != nil:
		return fmt.Errorf("append to a recording: %w", err)
	}
	s.Seq = last + 1
	body, err := encodeJSON(s)
	if err != nil {
		return fmt.Errorf("encode a step: %w", err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO recording_step (recording, seq, body) VALUES (?, ?, ?)", id, s.Seq, string(body)); err != nil {
		return fmt.Errorf("append to a recording: %w", err)
	}
	return nil
}

// Stop ends a recording. The error is ErrNotOwner when it belongs to another owner.
func (a *Archive) Stop(ctx context.Context, id, owner string) (Recording, error) {
	if err := a.flush(ctx); err != nil {
		return Recording{}, err
	}
	err := a.store.Change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "UPDATE recording SET stopped = ? WHERE id = ? AND owner = ? AND stopped IS NULL", time.Now().UnixMilli(), id, owner)
		if err != nil {
			return fmt.Errorf("stop a recording: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, ErrNotOwner)
		}
		return nil
	})
	if err != nil {
		return Recording{}, err
	}
	return a.Get(ctx, id)
}

// stopLater is Stop without waiting for it.
func (a *Archive) stopLater(id, owner string) {
	stopped := time.Now().UnixMilli()
	a.store.Queue().Add(database.Write{IsEssential: true, Change: func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE recording SET stopped = ? WHERE id = ? AND owner = ? AND stopped IS NULL", stopped, id, owner)
		return err
	}})
}

const recordingColumns = `id, session, label, started, stopped, (SELECT count(*) FROM recording_step WHERE recording = recording.id)`

// Get returns the recording with an id, or ErrNotFound.
func (a *Archive) Get(ctx context.Context, id string) (r Recording, err error) {
	if err := a.flush(ctx); err != nil {
		return r, err
	}
	err = a.store.Do(ctx, func(db *sql.DB) error {
		r, err = scanRecording(db.QueryRowContext(ctx, "SELECT "+recordingColumns+" FROM recording WHERE id = ? AND principal = coalesce(?, principal)",
			id, principal.Of(ctx)))
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		return err
	})
	return r, err
}

// List returns the recordings of a session, or of all sessions for "", the newest first.
func (a *Archive) List(ctx context.Context, session string, limit int) (out []Recording, err error) {
	if err := a.flush(ctx); err != nil {
		return nil, err
	}
	err = a.store.Do(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT "+recordingColumns+` FROM recording
			WHERE (?1 = '' OR session = ?1) AND principal = coalesce(?3, principal) ORDER BY started DESC, id DESC LIMIT ?2`, session, limit, principal.Of(ctx))
		if err != nil {
			return fmt.Errorf("list recordings: %w", err)
		}
		defer func() { _ = rows.Close() }() // Err reports its error
		for rows.Next() {
			r, err := scanRecording(rows)
			if err != nil {
				return fmt.Errorf("list recordings: %w", err)
			}
			out = append(out, r)
		}
		return rows.Err()
	})
	return out, err
}

func scanRecording(row interface{ Scan(...any) error }) (r Recording, err error) {
	var started int64
	var stopped sql.NullInt64
	err = row.Scan(&r.ID, &r.Session, &r.Label, &started, &stopped, &r.StepCount)
	r.StartedAt = time.UnixMilli(started).UTC()
	if stopped.Valid {
		at := time.UnixMilli(stopped.Int64).UTC()
		r.StoppedAt = &at
	}
	return r, err
}

// Steps returns the steps of a recording in order. A recording that does not exist has none.
func (a *Archive) Steps(ctx context.Context, id string) (out []Step, err error) {
	if err := a.flush(ctx); err != nil {
		return nil, err
	}
	err = a.store.Do(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT body FROM recording_step WHERE recording = ?1
			AND EXISTS (SELECT 1 FROM recording WHERE id = ?1 AND principal = coalesce(?2, principal)) ORDER BY seq`, id, principal.Of(ctx))
		if err != nil {
			return fmt.Errorf("read a recording: %w", err)
		}
		defer func() { _ = rows.Close() }() // Err reports its error
		for rows.Next() {
			var body string
			if err := rows.Scan(&body); err != nil {
				return fmt.Errorf("read a recording: %w", err)
			}
			var s Step
			if err := json.Unmarshal([]byte(body), &s); err != nil {
				return fmt.Errorf("read step %d of recording %s: %w", len(out)+1, id, err)
			}
			out = append(out, s)
		}
		return rows.Err()
	})
	return out, err
}

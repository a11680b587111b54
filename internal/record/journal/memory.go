package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/principal"
)

// Memory is notes about sites: which selector worked, what to avoid. A note gains confidence when
// it proves right, loses more when it does not, and is dropped when little is left.
type Memory struct{ store *database.Store }

// NewMemory keeps notes in the store.
func NewMemory(s *database.Store) *Memory { return &Memory{store: s} }

// Note is one entry.
type Note struct {
	ID                 int64
	Domain, Key, Value string
	Confidence         float64 // 0 to 1
	UpdatedAt          time.Time
}

// How confidence moves. A wrong note costs an agent more than a right one saves, so it falls twice
// as fast.
const (
	initialConfidence = 0.5
	confirmStep       = 0.1
	disproveStep      = -0.2
	minConfidence     = 0.2
)

// Bounds of the memory: notes kept of a principal, and how long one stays that was never confirmed.
const (
	maxNotes            = 1000
	unconfirmedLifetime = 30 * 24 * time.Hour
)

// ErrNoteNotFound is the answer to an id that no note has.
var ErrNoteNotFound = fault.New(codes.Failed, "no such note")

// Record writes a note, replacing the value of one with the same domain and key.
func (m *Memory) Record(ctx context.Context, domain, key, value string) (n Note, err error) {
	now, owner := time.Now(), principal.Of(ctx).String
	err = m.store.Change(ctx, func(tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, `INSERT INTO memory (principal, domain, key, value, confidence, updated) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (principal, domain, key) DO UPDATE SET
				confidence = iif(value = excluded.value, confidence, excluded.confidence),
				value = excluded.value, updated = excluded.updated
			RETURNING `+noteColumns, owner, strings.ToLower(domain), key, value, initialConfidence, now.UnixMilli())
		if n, err = scanNote(row); err != nil {
			return fmt.Errorf("record a note: %w", err)
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM memory WHERE principal = ?1 AND id <> ?2 AND (confidence < ?3 AND updated < ?4
			OR id NOT IN (SELECT id FROM memory WHERE principal = ?1 ORDER BY updated DESC, id DESC LIMIT ?5))`,
			owner, n.ID, initialConfidence, now.Add(-unconfirmedLifetime).UnixMilli(), maxNotes)
		return err
	})
	return n, err
}

// Query lists the notes about a domain whose key begins with prefix, the most trusted first.
func (m *Memory) Query(ctx context.Context, domain, prefix string, limit int) (out []Note, err error) {
	err = m.store.Do(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT "+noteColumns+` FROM memory
			WHERE domain = ? AND substr(key, 1, length(?)) = ? AND principal = coalesce(?, principal) ORDER BY confidence DESC, updated DESC, id DESC LIMIT ?`,
			strings.ToLower(domain), prefix, prefix, principal.Of(ctx), limit)
		if err != nil {
			return fmt.Errorf("query notes: %w", err)
		}
		defer func() { _ = rows.Close() }() // Err reports its error
		for rows.Next() {
			n, err := scanNote(rows)
			if err != nil {
				return fmt.Errorf("query notes: %w", err)
			}
			out = append(out, n)
		}
		return rows.Err()
	})
	return out, err
}

// Validate says whether a note was right. It reports whether the note was dropped for being wrong
// too often.
func (m *Memory) Validate(ctx context.Context, id int64, right bool) (n Note, dropped bool, err error) {
	step := disproveStep
	if right {
		step = confirmStep
	}
	err = m.store.Change(ctx, func(tx *sql.Tx) error {
		// Rounded, so that confidence is the tenths it is made of and not their binary sum.
		row := tx.QueryRowContext(ctx, `UPDATE memory SET confidence = round(min(1, max(0, confidence + ?)), 2), updated = ?
			WHERE id = ? AND principal = coalesce(?, principal) RETURNING `+noteColumns, step, time.Now().UnixMilli(), id, principal.Of(ctx))
		if n, err = scanNote(row); errors.Is(err, sql.ErrNoRows) {
			return ErrNoteNotFound
		} else if err != nil {
			return fmt.Errorf("validate a note: %w", err)
		}
		if dropped = n.Confidence < minConfidence; dropped {
			_, err = tx.ExecContext(ctx, "DELETE FROM memory WHERE id = ?", id)
		}
		return err
	})
	return n, dropped, err
}

const noteColumns = "id, domain, key, value, confidence, updated"

func scanNote(row interface{ Scan(...any) error }) (n Note, err error) {
	var updated int64
	err = row.Scan(&n.ID, &n.Domain, &n.Key, &n.Value, &n.Confidence, &updated)
	n.UpdatedAt = time.UnixMilli(updated)
	return n, err
}

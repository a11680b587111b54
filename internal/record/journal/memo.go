package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/principal"
)

// Memos stores the notes of agents about their tasks, with the open tabs.
type Memos struct{ store *database.Store }

// NewMemos keeps memos in the store.
func NewMemos(s *database.Store) *Memos { return &Memos{store: s} }

// Kind tells memos apart.
type Kind string

// The kinds: a session has one checkpoint, which the next replaces, and several snapshots.
const (
	Checkpoint Kind = "checkpoint"
	Snapshot   Kind = "snapshot"
)

// Tab is a tab as it was when a memo was saved.
type Tab struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	IsCurrent bool   `json:"current,omitempty"`
}

// Memo is one memo. Which fields are used is for its author.
type Memo struct {
	ID             string    `json:"-"`
	SavedAt        time.Time `json:"-"`
	Label          string    `json:"label,omitempty"`
	Task           string    `json:"task,omitempty"`
	Step           string    `json:"step,omitempty"`
	CompletedSteps []string  `json:"completed,omitempty"`
	PendingSteps   []string  `json:"pending,omitempty"`
	Notes          string    `json:"notes,omitempty"`
	Tabs           []Tab     `json:"tabs,omitempty"`
}

// maxSnapshots is how many snapshots of a session are kept.
const maxSnapshots = 10

// ErrMemoNotFound is the answer where nothing was saved.
var ErrMemoNotFound = fault.New(codes.Failed, "nothing was saved")

// Save writes a memo for a session and returns its id, which lets any session of the same principal load it.
func (m *Memos) Save(ctx context.Context, kind Kind, session string, memo Memo) (id string, err error) {
	body, err := json.Marshal(memo)
	if err != nil { // texts always marshal
		return "", fmt.Errorf("encode a memo: %w", err)
	}
	id, keep := rand.Text(), maxSnapshots
	if kind == Checkpoint {
		keep = 1
	}
	return id, m.store.Change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO memo (id, principal, kind, session, saved, body) VALUES (?, ?, ?, ?, ?, ?)",
			id, principal.Of(ctx).String, string(kind), session, time.Now().UnixMilli(), string(body)); err != nil {
			return fmt.Errorf("save a memo: %w", err)
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM memo WHERE kind = ? AND session = ? AND id NOT IN
			(SELECT id FROM memo WHERE kind = ? AND session = ? ORDER BY saved DESC, rowid DESC LIMIT ?)`,
			string(kind), session, string(kind), session, keep)
		return err
	})
}

// Load returns the memo with an id, from any session of the principal, or the session's latest when id is "". There
// being none is ErrMemoNotFound.
func (m *Memos) Load(ctx context.Context, kind Kind, session, id string) (memo Memo, err error) {
	err = m.store.Do(ctx, func(db *sql.DB) error {
		var body string
		var saved int64
		row := db.QueryRowContext(ctx, `SELECT id, saved, body FROM memo
			WHERE kind = ?1 AND (?2 <> '' AND id = ?2 OR ?2 = '' AND session = ?3) AND principal = coalesce(?4, principal) ORDER BY saved DESC, rowid DESC LIMIT 1`,
			string(kind), id, session, principal.Of(ctx))
		if err := row.Scan(&memo.ID, &saved, &body); errors.Is(err, sql.ErrNoRows) {
			return ErrMemoNotFound
		} else if err != nil {
			return fmt.Errorf("load a memo: %w", err)
		}
		memo.SavedAt = time.UnixMilli(saved)
		if err := json.Unmarshal([]byte(body), &memo); err != nil {
			return fmt.Errorf("read memo %s: %w", memo.ID, err)
		}
		return nil
	})
	return memo, err
}

// Delete removes the memo with an id, or the session's memos of the kind when id is "". It reports
// how many there were.
func (m *Memos) Delete(ctx context.Context, kind Kind, session, id string) (n int64, err error) {
	err = m.store.Change(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM memo WHERE kind = ?1 AND (?2 <> '' AND id = ?2 OR ?2 = '' AND session = ?3) AND principal = coalesce(?4, principal)",
			string(kind), id, session, principal.Of(ctx))
		if err != nil {
			return fmt.Errorf("delete a memo: %w", err)
		}
		n, err = res.RowsAffected()
		return err
	})
	return n, err
}

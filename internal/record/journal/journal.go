// Package journal keeps what an agent needs after it loses its context, its process or its browser:
// a journal of calls, notes about sites, and memos of a task with its open tabs.
//
// Each entry is a row in internal/storage/database. Notes and memos are on disk before their call is
// answered; the journal is written in the background, and no call waits for it. Values of typed
// texts are never written. The package observes calls as middleware of gen/toolkit;
// it must not know browsers or protocols.
package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/database"
)

// Journal is the log of tool calls.
type Journal struct {
	store   *database.Store
	log     *slog.Logger
	failing atomic.Bool // the latest write failed, and the log has its error
}

// NewJournal returns a journal in the store. The first of several failures to write goes to log,
// which may be nil.
func NewJournal(s *database.Store, log *slog.Logger) *Journal { return &Journal{store: s, log: log} }

// Entry is one call.
type Entry struct {
	ID            int64 // grows with each entry; set by Recent
	Session, Tool string
	StartedAt     time.Time
	Duration      time.Duration
	Outcome       string // "ok" or the code of the refusal
	Args          string // JSON, shortened
}

// Middleware adds an entry for every call that reached a tool.
func (j *Journal) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		begun := time.Now()
		res, err := next(ctx, v, req)
		if err != nil {
			return res, err // no such tool, or the caller has gone
		}
		j.Add(Entry{
			Session: v.ID, Tool: req.Tool, StartedAt: begun, Duration: time.Since(begun),
			Outcome: cmp.Or(string(res.RefusalCode()), "ok"), Args: summarizeArguments(req.Args),
		})
		return res, nil
	}
}

// Entries are dropped, oldest first, beyond maxEntries; that is looked at every pruneEvery entries.
const (
	maxEntries = 10_000
	pruneEvery = 256
)

// Add appends an entry in the background. A full queue drops the entry.
func (j *Journal) Add(e Entry) {
	j.store.Queue().Add(database.Write{
		Change: func(ctx context.Context, tx *sql.Tx) error { return write(ctx, tx, e) },
		Done: func(err error) {
			if wasFailing := j.failing.Swap(err != nil); err != nil && !wasFailing && j.log != nil {
				j.log.Warn("the journal is not written", "error", err)
			}
		},
	})
}

// Flush waits for the entries that were added before.
func (j *Journal) Flush(ctx context.Context) error { return j.store.Queue().Flush(ctx) }

// Missing returns the number of entries and other background writes that are not on disk yet, and
// of those that never will be.
func (j *Journal) Missing() (waiting, dropped int) {
	return j.store.Queue().Waiting(), j.store.Queue().Dropped()
}

func write(ctx context.Context, tx *sql.Tx, e Entry) error {
	res, err := tx.ExecContext(ctx, "INSERT INTO journal (session, tool, at, took, outcome, args) VALUES (?, ?, ?, ?, ?, ?)",
		e.Session, e.Tool, e.StartedAt.UnixMilli(), e.Duration.Milliseconds(), e.Outcome, e.Args)
	if err != nil {
		return fmt.Errorf("append to the journal: %w", err)
	}
	if id, err := res.LastInsertId(); err == nil && id%pruneEvery == 0 {
		if _, err := tx.ExecContext(ctx, "DELETE FROM journal WHERE id <= ?", id-maxEntries); err != nil {
			return fmt.Errorf("shorten the journal: %w", err)
		}
	}
	return nil
}

// Query picks entries. Zero fields do not filter.
type Query struct {
	Session, Tool, Outcome string
	Since                  time.Time
	Until                  time.Time // exclusive
	Before                 int64     // an Entry.ID: only entries with smaller ones
	Limit                  int       // the newest so many; 0 is all
}

// recentTimeout bounds the wait of Recent for entries that are being written.
const recentTimeout = time.Second

// Recent returns entries in the order they were written. It waits for earlier entries of this
// process, for recentTimeout at most; Missing tells whether some are left.
func (j *Journal) Recent(ctx context.Context, q Query) (out []Entry, err error) {
	flushing, cancel := context.WithTimeout(ctx, recentTimeout)
	defer cancel()
	_ = j.Flush(flushing) // Missing counts the rest
	var since int64       // the zero time is before all entries
	if !q.Since.IsZero() {
		since = q.Since.UnixMilli()
	}
	until := int64(math.MaxInt64)
	if !q.Until.IsZero() {
		until = q.Until.UnixMilli()
	}
	err = j.store.Do(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT id, session, tool, at, took, outcome, args FROM journal
			WHERE at >= ?1 AND at < ?5 AND id < ?6 AND (?2 = '' OR session = ?2) AND (?3 = '' OR tool = ?3) AND (?7 = '' OR outcome = ?7) ORDER BY id DESC LIMIT ?4`,
			since, q.Session, q.Tool, cmp.Or(q.Limit, -1), until, cmp.Or(q.Before, math.MaxInt64), q.Outcome)
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		defer func() { _ = rows.Close() }() // Err reports its error
		for rows.Next() {
			var e Entry
			var at, took int64
			if err := rows.Scan(&e.ID, &e.Session, &e.Tool, &at, &took, &e.Outcome, &e.Args); err != nil {
				return fmt.Errorf("read the journal: %w", err)
			}
			e.StartedAt, e.Duration = time.UnixMilli(at), time.Duration(took)*time.Millisecond
			out = append(out, e)
		}
		return rows.Err()
	})
	slices.Reverse(out)
	return out, err
}

// Values are the different values that entries have, for filters.
type Values struct {
	Sessions []string `json:"sessions"`
	Tools    []string `json:"tools"`
	Outcomes []string `json:"outcomes"`
}

// maxValues bounds each list of Values.
const maxValues = 200

// Values returns the different sessions, tools and outcomes of the entries on disk, sorted.
func (j *Journal) Values(ctx context.Context) (v Values, err error) {
	err = j.store.Do(ctx, func(db *sql.DB) error {
		for column, into := range map[string]*[]string{"session": &v.Sessions, "tool": &v.Tools, "outcome": &v.Outcomes} {
			if *into, err = selectTexts(ctx, db, "SELECT DISTINCT "+column+" FROM journal ORDER BY "+column+" LIMIT ?", maxValues); err != nil {
				return fmt.Errorf("read the journal: %w", err)
			}
		}
		return nil
	})
	return v, err
}

func selectTexts(ctx context.Context, db *sql.DB, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err reports its error
	out := []string{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

// plainArguments are the arguments that tell calls apart and hold no secrets. Of other texts the
// journal keeps the length.
var plainArguments = []string{"ref", "tabId", "action", "mode", "type", "selector", "query", "key", "domain", "method", "format", "connection_id"}

// maxTextBytes bounds a kept text in bytes.
const maxTextBytes = 120

// summarizeArguments returns the part of the arguments that the journal keeps.
func summarizeArguments(args []byte) string {
	var in map[string]any
	if len(args) == 0 || json.Unmarshal(args, &in) != nil {
		return "{}"
	}
	out := make(map[string]any, len(in))
	for name, value := range in {
		switch v := value.(type) {
		case string:
			out[name] = summarizeText(name, v)
		case bool, float64:
			out[name] = v
		case []any:
			out[name] = fmt.Sprintf("<%d items>", len(v))
		default:
			out[name] = "<object>"
		}
	}
	text, err := json.Marshal(out)
	if err != nil { // texts, numbers and booleans always marshal
		return "{}"
	}
	return string(text)
}

func summarizeText(name, text string) string {
	switch {
	case name == "url":
		return summarizeURL(text)
	case slices.Contains(plainArguments, name) && len(text) <= maxTextBytes:
		return text
	}
	return fmt.Sprintf("<%d bytes>", len(text))
}

// summarizeURL returns an address without credentials, query and fragment.
func summarizeURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || len(u.Path) > maxTextBytes {
		return fmt.Sprintf("<%d bytes>", len(text))
	}
	u.User, u.RawQuery, u.Fragment, u.RawFragment = nil, "", "", ""
	return u.String()
}

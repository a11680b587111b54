// Package journal keeps what an agent needs after it loses its context, its process or its browser:
// a journal of calls, notes about sites, and memos of a task with its open tabs.
//
// Each entry is a row in internal/storage/database and is on disk before its call is answered.
// Values of typed texts are never written. The package observes calls as middleware of gen/toolkit;
// it must not know browsers or protocols.
package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/database"
)

// Journal is the log of tool calls.
type Journal struct {
	store *database.Store
	log   *slog.Logger
}

// NewJournal keeps a journal in the store. Failures to write go to the log: they must not fail the
// call.
func NewJournal(s *database.Store, log *slog.Logger) *Journal { return &Journal{store: s, log: log} }

// Entry is one call.
type Entry struct {
	Session, Tool string
	StartedAt     time.Time
	Duration      time.Duration
	Outcome       string // "ok" or the code of the refusal
	Args          string // JSON, shortened
}

// Middleware writes an entry for every call that reached a tool, before the call is answered.
func (j *Journal) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.Result, error) {
		begun := time.Now()
		res, err := next(ctx, v, req)
		if err != nil {
			return res, err // no such tool, or the caller has gone
		}
		e := Entry{
			Session: v.ID, Tool: req.Tool, StartedAt: begun, Duration: time.Since(begun),
			Outcome: cmp.Or(string(res.RefusalCode()), "ok"), Args: summarizeArguments(req.Args),
		}
		// The call has had its effect, whatever becomes of its caller now.
		if err := j.Write(context.WithoutCancel(ctx), e); err != nil && j.log != nil {
			j.log.Warn("write the journal", "error", err)
		}
		return res, nil
	}
}

// Entries are dropped, oldest first, beyond maxEntries; that is looked at every pruneEvery entries.
const (
	maxEntries = 10_000
	pruneEvery = 256
)

// Write appends an entry.
func (j *Journal) Write(ctx context.Context, e Entry) error {
	return j.store.Do(ctx, func(db *sql.DB) error {
		res, err := db.ExecContext(ctx, "INSERT INTO journal (session, tool, at, took, outcome, args) VALUES (?, ?, ?, ?, ?, ?)",
			e.Session, e.Tool, e.StartedAt.UnixMilli(), e.Duration.Milliseconds(), e.Outcome, e.Args)
		if err != nil {
			return fmt.Errorf("append to the journal: %w", err)
		}
		if id, err := res.LastInsertId(); err == nil && id%pruneEvery == 0 {
			if _, err := db.ExecContext(ctx, "DELETE FROM journal WHERE id <= ?", id-maxEntries); err != nil {
				return fmt.Errorf("shorten the journal: %w", err)
			}
		}
		return nil
	})
}

// Query picks entries. Zero fields do not filter.
type Query struct {
	Session, Tool string
	Since         time.Time
	Limit         int // the newest so many; 0 is all
}

// Recent returns entries in the order they were written.
func (j *Journal) Recent(ctx context.Context, q Query) (out []Entry, err error) {
	var since int64 // the zero time is before all entries
	if !q.Since.IsZero() {
		since = q.Since.UnixMilli()
	}
	err = j.store.Do(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT session, tool, at, took, outcome, args FROM journal
			WHERE at >= ?1 AND (?2 = '' OR session = ?2) AND (?3 = '' OR tool = ?3) ORDER BY id DESC LIMIT ?4`,
			since, q.Session, q.Tool, cmp.Or(q.Limit, -1))
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		defer func() { _ = rows.Close() }() // Err has told
		for rows.Next() {
			var e Entry
			var at, took int64
			if err := rows.Scan(&e.Session, &e.Tool, &at, &took, &e.Outcome, &e.Args); err != nil {
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

// Package script stores scripts for later replays: skills, which are found by site, and plans,
// which are found by id.
//
// It knows the steps and parameters of package replay, but plays nothing. Callers redact secrets
// before they save.
package script

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/principal"
)

// Kind tells what a script is kept as.
type Kind string

// The kinds. A plan's domain is "".
const (
	Skill Kind = "skill"
	Plan  Kind = "plan"
)

// ErrNotFound is the error for an unknown id.
var ErrNotFound = fault.New(codes.Failed, "nothing is kept under that id")

// Entry is one script that is kept.
type Entry struct {
	ID          string        `json:"id"`
	Kind        Kind          `json:"-"`
	Domain      string        `json:"domain,omitempty"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Recording   string        `json:"recording,omitempty"`
	Script      replay.Script `json:"script"`

	StoredAt   time.Time  `json:"stored"`
	UsedAt     *time.Time `json:"used,omitempty"`
	Runs       int        `json:"runs"`
	PassedRuns int        `json:"passed"`
	LastResult string     `json:"last,omitempty"` // how the latest run ended, in a line
}

// Store holds the skills and plans of a state directory. Any number of processes share it.
type Store struct{ db *database.Store }

// NewStore returns a store in a database.
func NewStore(s *database.Store) *Store { return &Store{db: s} }

// Domain is the host that an address or a name means, in lower case and without "www."; "" for what
// is on no site, such as about:blank.
func Domain(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	scheme, rest, _ := strings.Cut(text, ":")
	switch scheme {
	case "http", "https":
		text = rest
	case "about", "data", "blob", "file", "javascript":
		return ""
	}
	u, err := url.Parse("//" + strings.TrimPrefix(text, "//"))
	if err != nil || strings.Contains(u.Host+u.Path, "://") {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSuffix(u.Hostname(), "."), "www.")
}

// entryID derives the id from owner, kind, domain and name, so that saving again replaces the script.
func entryID(e *Entry, owner string) string {
	sum := sha256.Sum256([]byte(owner + string(e.Kind) + "\x00" + e.Domain + "\x00" + e.Name))
	return hex.EncodeToString(sum[:8])
}

// Save keeps a script, in place of the one of its kind, domain and name, and gives it its id. What
// is known of the runs of the one before is forgotten with it.
func (s *Store) Save(ctx context.Context, e Entry) (Entry, error) {
	owner := principal.Of(ctx).String
	e.ID, e.StoredAt = entryID(&e, owner), time.Now().UTC().Truncate(time.Millisecond)
	e.UsedAt, e.Runs, e.PassedRuns, e.LastResult = nil, 0, 0, ""
	body, err := json.Marshal(e)
	if err != nil {
		return e, fmt.Errorf("encode a script: %w", err)
	}
	return e, s.db.Change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO script (id, principal, kind, domain, name, stored, used, runs, passed, last, body)
			VALUES (?, ?, ?, ?, ?, ?, NULL, 0, 0, '', ?)`,
			e.ID, owner, string(e.Kind), e.Domain, e.Name, e.StoredAt.UnixMilli(), string(body))
		if err != nil {
			return fmt.Errorf("save a script: %w", err)
		}
		return nil
	})
}

const entryColumns = "kind, used, runs, passed, last, body"

// Get returns what has the id, or the name if it is a plan; ErrNotFound if nothing has.
func (s *Store) Get(ctx context.Context, kind Kind, id string) (e Entry, err error) {
	err = s.db.Do(ctx, func(db *sql.DB) error {
		e, err = scanEntry(db.QueryRowContext(ctx, "SELECT "+entryColumns+` FROM script
			WHERE kind = ?1 AND (id = ?2 OR kind = 'plan' AND name = ?2) AND principal = coalesce(?3, principal)`, string(kind), id, principal.Of(ctx)))
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		return err
	})
	return e, err
}

// List returns what is kept of a kind, for a domain unless it is "", the latest used first, then
// the latest stored.
func (s *Store) List(ctx context.Context, kind Kind, domain string) (out []Entry, err error) {
	err = s.db.Do(ctx, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT "+entryColumns+` FROM script
			WHERE kind = ?1 AND (?2 = '' OR domain = ?2) AND principal = coalesce(?3, principal) ORDER BY coalesce(used, 0) DESC, stored DESC, id`,
			string(kind), domain, principal.Of(ctx))
		if err != nil {
			return fmt.Errorf("list scripts: %w", err)
		}
		defer func() { _ = rows.Close() }() // Err reports its error
		for rows.Next() {
			e, err := scanEntry(rows)
			if err != nil {
				return fmt.Errorf("list scripts: %w", err)
			}
			out = append(out, e)
		}
		return rows.Err()
	})
	return out, err
}

func scanEntry(row interface{ Scan(...any) error }) (e Entry, err error) {
	var kind, body string
	var used sql.NullInt64
	var runs, passed int
	var last string
	if err := row.Scan(&kind, &used, &runs, &passed, &last, &body); err != nil {
		return e, err
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return e, fmt.Errorf("read a script: %w", err)
	}
	e.Kind, e.Runs, e.PassedRuns, e.LastResult = Kind(kind), runs, passed, last
	if used.Valid {
		at := time.UnixMilli(used.Int64).UTC()
		e.UsedAt = &at
	}
	return e, nil
}

// RecordRun stores the result of a run.
func (s *Store) RecordRun(ctx context.Context, id string, passed bool, last string) error {
	return s.db.Change(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE script SET used = ?, runs = runs + 1, passed = passed + ?, last = ? WHERE id = ? AND principal = coalesce(?, principal)",
			time.Now().UnixMilli(), passed, last, id, principal.Of(ctx))
		if err != nil {
			return fmt.Errorf("note a run: %w", err)
		}
		return nil
	})
}

// Rank orders entries by how many words of a query they have in name and description; those without
// any are left out. Equals keep their order.
func Rank(all []Entry, query string) []Entry {
	wanted := splitWords(query)
	if len(wanted) == 0 {
		return all
	}
	type scored struct {
		Entry

		score int
	}
	var hits []scored
	for _, e := range all {
		here, score := splitWords(e.Name+" "+e.Description), 0
		for _, w := range wanted {
			if slices.ContainsFunc(here, func(h string) bool { return h == w || len(w) > 3 && strings.HasPrefix(h, w) }) {
				score++
			}
		}
		if score > 0 {
			hits = append(hits, scored{e, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return slicesx.List(hits, func(h scored) Entry { return h.Entry })
}

func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

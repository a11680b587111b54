// Package store keeps projects, issues and comments in one SQLite database.
//
// Every row belongs to an owner. Of returns what one owner has, and nothing else reads or writes it:
// no query can forget whose data it is about. An error that is a toolkit.Refusal is made for clients;
// every other one reaches them as INTERNAL with an id. store must not know tools or sessions.
package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	_ "embed" // schema.sql
	"errors"
	"fmt"
	"net/url"

	"github.com/callsheet/callsheet/gen/toolkit"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/callsheet/callsheet/examples/tracker/generated/codes"
)

//go:embed schema.sql
var schema string

// Store is a database file. It is safe for concurrent use, also by several processes.
type Store struct{ db *sql.DB }

// Open opens the database at path, and makes it when there is none.
func Open(ctx context.Context, path string) (*Store, error) {
	options := url.Values{"_pragma": {"foreign_keys(1)", "busy_timeout(5000)", "journal_mode(wal)"}, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: options.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare %s: %w", path, err), db.Close())
	}
	return &Store{db}, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// CreateToken makes a new bearer token of a person. The database has its digest only.
func (s *Store) CreateToken(ctx context.Context, person string) (token string, err error) {
	token = rand.Text()
	if _, err := s.db.ExecContext(ctx, `INSERT INTO tokens (digest, person) VALUES (?, ?)`, digest(token), person); err != nil {
		return "", fmt.Errorf("keep the token: %w", err)
	}
	return token, nil
}

// Person returns whose token it is; "" when it is nobody's or the database cannot be read.
func (s *Store) Person(ctx context.Context, token string) (person string) {
	if err := s.db.QueryRowContext(ctx, `SELECT person FROM tokens WHERE digest = ?`, digest(token)).Scan(&person); err != nil {
		return ""
	}
	return person
}

func digest(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Owned is the view of the database that has only the projects and issues of one owner.
type Owned struct {
	db    *sql.DB
	owner string
}

// Of returns what the owner has.
func (s *Store) Of(owner string) Owned { return Owned{s.db, owner} }

// notFound refuses to tell what is not there from what is someone else's.
func notFound(what string) error {
	return toolkit.Refuse(codes.NotFound, "there is no such "+what, toolkit.Field{Name: "what", Value: what})
}

// isDuplicate reports whether a row with the same key is there.
func isDuplicate(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

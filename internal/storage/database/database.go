// Package database opens the SQLite database of the state directory, which holds small state that
// outlives a process.
//
// It opens the database at the first use, applies migrations, and returns errors with a remedy for
// a damaged, locked or newer file and a full disk. Several processes share the file: write-ahead
// logging, short immediate transactions, and bounded waits for each other. The package must not
// know the meaning of rows; the packages that own the tables do.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// busyTimeout bounds the wait of a statement for another writing process. busyRetry is the interval
// of attempts to migrate. closeTimeout bounds the wait of Close for the queue.
const (
	busyTimeout  = 5 * time.Second
	busyRetry    = 10 * time.Millisecond
	closeTimeout = time.Second
)

// FileName is the name of the database file in the state directory.
const FileName = "callsheet.db"

// Store is the database, which opens at the first use.
type Store struct {
	dir        statedir.Dir
	mu         sync.Mutex
	db         *sql.DB
	isClosed   bool
	migrations []Migration
	version    int

	busyTimeout time.Duration
	queue       *Queue      // nil for the connection of a queue
	file        fs.FileInfo // of the open database
}

// Migration holds statements that change the schema. Each database runs each migration once, in
// order. New migrations are appended; released ones never change.
type Migration string

// New returns the database of a state directory. It opens and creates no files.
func New(dir statedir.Dir) *Store {
	s := &Store{dir: dir, migrations: schema, version: len(schema), busyTimeout: busyTimeout}
	s.queue = newQueue(s)
	return s
}

// Queue returns the queue of the writes that no caller waits for.
func (s *Store) Queue() *Queue { return s.queue }

// Path returns the path of the database file.
func (s *Store) Path() string { return s.dir.Path(FileName) }

// Do runs fn with the open database. It returns an *Error if the failure has a known remedy.
func (s *Store) Do(ctx context.Context, fn func(db *sql.DB) error) error {
	db, err := s.open(ctx)
	if err == nil {
		err = fn(db)
	}
	return s.explain(ctx, err)
}

// Change runs fn in an immediate transaction, which holds the write lock from its start. If Change
// returns nil, the changes survive the death of the process; otherwise they are rolled back.
func (s *Store) Change(ctx context.Context, fn func(tx *sql.Tx) error) error {
	if observe, ok := ctx.Value(observerKey{}).(func()); ok {
		observe()
	}
	return s.Do(ctx, func(db *sql.DB) (err error) {
		file := s.openFile()
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		defer func() {
			if err != nil {
				_ = tx.Rollback() // err is the cause
			}
		}()
		if err := fn(tx); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		if now, err := os.Stat(s.Path()); err != nil || !os.SameFile(now, file) {
			return errRemoved
		}
		return nil
	})
}

type observerKey struct{}

// ObserveChanges returns a context in which every Change calls observe first. Tests use it to find
// the callers that wait for the database.
func ObserveChanges(ctx context.Context, observe func()) context.Context {
	return context.WithValue(ctx, observerKey{}, observe)
}

// Close makes the writes of the queue, within closeTimeout, and closes the database for good: a later
// use is an error, and the queue drops later writes.
func (s *Store) Close() error {
	if s.queue != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		s.queue.Close(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isClosed = true
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	return db.Close()
}

// open returns the open database, or errClosed after Close. The next call retries after a failure.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return nil, errClosed
	}
	if s.db != nil && s.isSameFile() {
		return s.db, nil
	}
	if s.db != nil { // the state directory was removed or replaced
		_ = s.db.Close() // what it held is lost already
		s.db = nil
	}
	path, err := s.dir.MakeFile(FileName)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path, s.busyTimeout))
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := s.prepare(ctx, db); err != nil {
		_ = db.Close() // err is the cause
		return nil, err
	}
	if s.file, err = os.Stat(s.Path()); err != nil {
		_ = db.Close() // err is the cause
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s.db = db
	return db, nil
}

// isSameFile reports whether the path still names the open database. SQLite does not notice that
// its file was removed, and loses what is written to it. The caller holds mu.
func (s *Store) isSameFile() bool {
	info, err := os.Stat(s.Path())
	return err == nil && os.SameFile(info, s.file)
}

// openFile returns the file of the open database.
func (s *Store) openFile() fs.FileInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

// prepare migrates the database and retries while it is busy. SQLite does not wait, but returns
// SQLITE_BUSY, while another process switches a new file to write-ahead logging.
func (s *Store) prepare(ctx context.Context, db *sql.DB) error {
	end := time.Now().Add(s.busyTimeout)
	for {
		err := s.migrate(ctx, db)
		if !isBusy(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(busyRetry):
		}
	}
}

// isBusy reports whether err says that another process writes.
func isBusy(err error) bool {
	var lite *sqlite.Error
	return errors.As(err, &lite) && (lite.Code()&0xff == sqlite3.SQLITE_BUSY || lite.Code()&0xff == sqlite3.SQLITE_LOCKED)
}

// dsn configures write-ahead logging with a sync at checkpoints only, so that a killed process
// loses nothing, and immediate transactions, so that none fails at its first write.
func dsn(path string, busyTimeout time.Duration) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")",
		"journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)", "trusted_schema(0)",
	}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// migrate runs the pending migrations in one transaction, which serializes concurrent processes.
func (s *Store) migrate(ctx context.Context, db *sql.DB) error {
	var seen int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&seen); err != nil {
		return fmt.Errorf("read the database's version: %w", err)
	}
	if seen == s.version {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // no effect after Commit
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&seen); err != nil {
		return fmt.Errorf("read the database's version: %w", err)
	}
	if seen > s.version {
		return fmt.Errorf("%w: it has version %d, this program knows %d", errNewer, seen, s.version)
	}
	for _, step := range s.migrations[seen:] {
		if _, err := tx.ExecContext(ctx, string(step)); err != nil {
			return fmt.Errorf("bring the database up to date: %w", err)
		}
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(s.version)); err != nil {
		return fmt.Errorf("write the database's version: %w", err)
	}
	return tx.Commit()
}

var errClosed = fault.New(codes.Failed, "the database is closed, because the server ends")

var errRemoved = fault.New(codes.Failed, "the database was removed while it was written")

var errNewer = fault.New(codes.Failed, "the database was written by a newer callsheet")

// Error is a failure of the database with its remedy. Stored data is intact.
type Error struct {
	Path, Problem, Remedy string
	err                   error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s; %s", e.Path, e.Problem, e.Remedy) }

// Code implements fault.Coded.
func (e *Error) Code() codes.Code { return codes.Failed }

// Unwrap returns SQLite's error.
func (e *Error) Unwrap() error { return e.err }

// explain turns a known failure into an *Error with a remedy.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	e := &Error{Path: s.Path(), err: err}
	var lite *sqlite.Error
	switch {
	case errors.Is(err, errNewer):
		e.Problem, e.Remedy = err.Error(), "use that version, or another --state-dir"
		return e
	case errors.Is(err, errRemoved):
		e.Problem, e.Remedy = "it was removed or replaced while it was open, and nothing was saved", "try again: the next call makes a new one"
		return e
	case !errors.As(err, &lite):
		return err
	}
	switch lite.Code() & 0xff { // the low byte is the primary code
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		e.Problem = fmt.Sprintf("another process has kept it locked for %v", s.busyTimeout)
		e.Remedy = "try again; if it stays so, end that process"
	case sqlite3.SQLITE_FULL:
		e.Problem, e.Remedy = "the disk is full", "free some space and try again; what was stored before is intact"
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		e.Problem, e.Remedy = "the file is damaged", "move it away to start afresh; sqlite3 FILE .recover may read what is left"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_AUTH:
		e.Problem, e.Remedy = "it cannot be written", "check the directory's owner, its permissions and the disk, or name another --state-dir"
	default:
		return err
	}
	return e
}

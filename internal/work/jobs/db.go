package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/callsheet/callsheet/internal/storage/statedir"
)

const (
	// FileName is the name of the SQLite database in the state directory. It is apart from that of
	// package database, whose writers must not wait for the pages of a crawl.
	FileName = "jobs.db"
	// sqliteBusyTimeout is the time for which a statement waits for another process that writes to the same
	// SQLite file.
	sqliteBusyTimeout = 10 * time.Second
	// dialTimeout bounds a connection attempt to Postgres, and transactionTimeout a transaction,
	// since a broken network may give no error.
	dialTimeout, transactionTimeout = 5 * time.Second, 15 * time.Second
	// idleTransactionMillis is the time for which Postgres waits for the next statement of a transaction.
	idleTransactionMillis = "4000"
	// transactionTries is the number of times that a transaction is tried that conflicts with others.
	transactionTries = 8
)

// DB is the database of jobs. Statements are written once for both databases: ? is a parameter, and
// {now} the clock of the database in Unix milliseconds, so that the clocks of machines may differ.
type DB struct {
	db        *sql.DB
	pool      *pgxpool.Pool // nil with SQLite
	rewritten sync.Map      // by statement: what rewrite returns
	postgres  bool
	offset    func() time.Duration // of Config
}

// openSQLite opens or creates the file. One connection serves the whole process: SQLite has one
// writer, and River expects it.
func openSQLite(dir statedir.Dir) (*DB, error) {
	path, err := dir.MakeFile(FileName)
	if err != nil {
		return nil, err
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(" + strconv.FormatInt(sqliteBusyTimeout.Milliseconds(), 10) + ")",
		"journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)", "trusted_schema(0)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("open the database of jobs: %w", err)
	}
	db.SetMaxOpenConns(1)
	return &DB{db: db}, nil
}

func openPostgres(ctx context.Context, address string, slots int) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("read the database's address: %w", err)
	}
	cfg.ConnConfig.ConnectTimeout = dialTimeout
	// A disconnected worker keeps its locks until the server notices, which takes hours without
	// these.
	for name, value := range map[string]string{
		"idle_in_transaction_session_timeout": idleTransactionMillis, "tcp_user_timeout": idleTransactionMillis, "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3",
	} {
		if _, ok := cfg.ConnConfig.RuntimeParams[name]; !ok {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
	}
	cfg.MaxConns = int32(slots + 6) // #nosec G115 -- slots is bounded by the flag
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the database of jobs: %w", err)
	}
	return &DB{db: stdlib.OpenDBFromPool(pool), pool: pool, postgres: true}, nil
}

func (d *DB) close() error {
	err := d.db.Close()
	if d.pool != nil {
		d.pool.Close()
	}
	return err
}

// rewrite returns a statement in the dialect of this database.
func (d *DB) rewrite(statement string) string {
	if done, ok := d.rewritten.Load(statement); ok {
		return done.(string)
	}
	whole := statement
	if d.offset != nil {
		statement = strings.ReplaceAll(statement, "{now}", fmt.Sprintf("({now} + (%d))", d.offset().Milliseconds()))
	}
	words := []string{
		"{now}", "CAST(unixepoch('subsec') * 1000 AS INTEGER)", "{id}", "INTEGER PRIMARY KEY AUTOINCREMENT",
		"{blob}", "BLOB", "{skip}", "",
	}
	if d.postgres {
		words = []string{
			"{now}", "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)", "{id}", "BIGSERIAL PRIMARY KEY",
			"{blob}", "BYTEA", "{skip}", "FOR UPDATE SKIP LOCKED",
		}
	}
	out := strings.NewReplacer(words...).Replace(statement)
	if d.postgres {
		var b strings.Builder
		n := 0
		for _, r := range out {
			if r == '?' {
				n++
				b.WriteString("$" + strconv.Itoa(n))
			} else {
				b.WriteRune(r)
			}
		}
		out = b.String()
	}
	if len(whole) < 4000 && d.offset == nil { // longer ones have lists of varying length
		d.rewritten.Store(whole, out)
	}
	return out
}

// Tx is a transaction, or the database without one.
type Tx struct {
	conn interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
	db *DB
}

// Exec runs a statement and returns how many rows it changed.
func (t Tx) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	res, err := t.conn.ExecContext(ctx, t.db.rewrite(statement), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Query runs a query. The caller closes its rows before the next statement.
func (t Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.conn.QueryContext(ctx, t.db.rewrite(query), args...)
}

// Row runs a query for one row.
func (t Tx) Row(ctx context.Context, query string, args ...any) *sql.Row {
	return t.conn.QueryRowContext(ctx, t.db.rewrite(query), args...)
}

// Autocommit returns the database for single statements, each a transaction of its own.
func (d *DB) Autocommit() Tx { return Tx{conn: d.db, db: d} }

// InTx runs fn in a transaction, and retries it after a conflict with another transaction. It
// commits if fn returns nil, and otherwise rolls back. fn may run several times, so it must have no
// other effects.
func (d *DB) InTx(ctx context.Context, fn func(ctx context.Context, tx Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, transactionTimeout)
	defer cancel()
	var err error
	for try := range transactionTries {
		if err = d.tryTx(ctx, fn); err == nil || !isRetryable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try+1) * 5 * time.Millisecond):
		}
	}
	return err
}

func (d *DB) tryTx(ctx context.Context, fn func(ctx context.Context, tx Tx) error) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := fn(ctx, Tx{conn: tx, db: d}); err != nil {
		_ = tx.Rollback() // err is the cause
		return err
	}
	return tx.Commit()
}

// isRetryable reports whether a transaction failed by a conflict with another one.
func isRetryable(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "40001" || pg.Code == "40P01" // serialization failure, deadlock
	}
	var lite *sqlite.Error
	return errors.As(err, &lite) && (lite.Code()&0xff == sqlite3.SQLITE_BUSY || lite.Code()&0xff == sqlite3.SQLITE_LOCKED)
}

package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/riverqueue/river/rivermigrate"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// schemaVersion counts the changes to the tables of this package and of its kinds. Changes only add
// statements, which do nothing when repeated.
const schemaVersion = 1

// jobSchema returns the tables of this package. Times are Unix milliseconds.
func jobSchema() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS callsheet_job (
	id       TEXT   PRIMARY KEY, -- unguessable: a caller that has it may follow the job
	kind     TEXT   NOT NULL,
	title    TEXT   NOT NULL,
	spec     TEXT   NOT NULL,    -- JSON of the kind
	hands    BIGINT NOT NULL,    -- Job.Concurrency
	state    TEXT   NOT NULL,    -- running, done, cancelled, failed
	note     TEXT   NOT NULL DEFAULT '',
	created  BIGINT NOT NULL,
	finished BIGINT NOT NULL DEFAULT 0,
	total    BIGINT NOT NULL DEFAULT 0, -- known steps
	done     BIGINT NOT NULL DEFAULT 0, -- acknowledged steps
	failed   BIGINT NOT NULL DEFAULT 0  -- of those, the failed ones
)`,
		`CREATE INDEX IF NOT EXISTS callsheet_job_state ON callsheet_job (state, created)`,
		`CREATE TABLE IF NOT EXISTS callsheet_worker (
	id    TEXT   PRIMARY KEY,
	host  TEXT   NOT NULL,
	pid   BIGINT NOT NULL,
	slots BIGINT NOT NULL,
	since BIGINT NOT NULL,
	until BIGINT NOT NULL -- its lease ends here
)`,
	}
}

// Horizon is longer than every lease, delay and pause. A time in the database that is further ahead
// was written before the clock of the system was set back, and no longer counts.
const Horizon = 10 * time.Minute

// horizonMillis is Horizon in SQL.
var horizonMillis = strconv.FormatInt(Horizon.Milliseconds(), 10)

// Due returns the SQL condition, for statements of kinds, under which the time of a column has come.
func Due(column string) string {
	return "(" + column + " <= {now} OR " + column + " > {now} + " + horizonMillis + ")"
}

// workerAlive returns the SQL condition under which the worker of a column is alive.
func workerAlive(column string) string {
	return "EXISTS (SELECT 1 FROM callsheet_worker w WHERE w.id = " + column + " AND w.until > {now} AND w.until <= {now} + " + horizonMillis + ")"
}

// WorkerSilent returns the SQL condition, for statements of kinds, under which the worker of a
// column is dead.
func WorkerSilent(column string) string { return "NOT " + workerAlive(column) }

// migrate brings the tables of River, of this package and of the kinds up to date, one process at a
// time.
func (j *Jobs) migrate(ctx context.Context, db *DB) error {
	if db.postgres {
		return j.migratePostgres(ctx, db)
	}
	var seen int
	if err := db.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&seen); err != nil {
		return fmt.Errorf("read the version of the database of jobs: %w", err)
	}
	if seen == schemaVersion {
		return nil
	}
	if seen > schemaVersion {
		return fault.New(codes.Failed, fmt.Sprintf("the database of jobs is of a newer callsheet (version %d, this program knows %d); use that one, or another --state-dir", seen, schemaVersion))
	}
	tx, err := db.db.BeginTx(ctx, nil) // an immediate transaction: other processes wait here
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing to do after Commit
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&seen); err != nil || seen == schemaVersion {
		return err
	}
	m, err := rivermigrate.New(sqliteDriver(db), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("prepare the queue: %w", err)
	}
	//nolint:staticcheck // deprecated for Postgres, which cannot migrate in one transaction; SQLite can
	if _, err := m.MigrateTx(ctx, tx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("prepare the queue: %w", err)
	}
	if err := j.createTables(ctx, Tx{conn: tx, db: db}); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// lockKey is the advisory lock under which a Postgres database is migrated: a number that other
// programs do not use.
const lockKey = 0x63616c6c73686574

func (j *Jobs) migratePostgres(ctx context.Context, db *DB) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reach the database of jobs: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lockKey)); err != nil {
		return fmt.Errorf("prepare the database of jobs: %w", err)
	}
	defer func() { _, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lockKey)) }() // the end of the connection unlocks too
	m, err := rivermigrate.New(postgresDriver(db), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("prepare the queue: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("prepare the queue: %w", err)
	}
	return j.createTables(ctx, db.Autocommit())
}

func (j *Jobs) createTables(ctx context.Context, tx Tx) error {
	all := jobSchema()
	for _, k := range j.cfg.Kinds {
		all = append(all, k.Schema()...)
	}
	for _, s := range all {
		if _, err := tx.Exec(ctx, s); err != nil {
			return fmt.Errorf("create the tables of jobs: %w", err)
		}
	}
	return nil
}

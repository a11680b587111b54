package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

func checkPort(ctx context.Context, s Subject) []Finding {
	if s.Address == "" {
		return nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return problem(Failure, "end the program that listens there, or serve on another port: --http 0", "%s is taken", s.Address)
	case errors.Is(err, syscall.EACCES):
		return problem(Failure, "choose a port above 1023", "%s needs more rights", s.Address)
	case err != nil:
		return problem(Failure, "check the address", "%v", err)
	}
	_ = ln.Close()
	return pass("%s is free", s.Address)
}

func checkState(_ context.Context, s Subject) []Finding {
	dir := s.State.Path()
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return pass("%s is made when it is first needed", dir)
	}
	if err != nil {
		return problem(Failure, "check its permissions, or name another --state-dir", "%v", err)
	}
	if err := checkWritable(dir); err != nil {
		return problem(Failure, fmt.Sprintf("chown it to %d, or name another --state-dir", os.Getuid()), "%v", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return problem(Warning, "chmod 700 "+dir, "others may read %s (%v)", dir, info.Mode().Perm())
	}
	return pass("%s", dir)
}

func checkDatabase(ctx context.Context, s Subject) []Finding {
	if s.Store == nil {
		return nil
	}
	if _, err := os.Stat(s.Store.Path()); errors.Is(err, fs.ErrNotExist) {
		return nil // checkState reports it
	}
	var verdict string
	err := s.Store.Do(ctx, func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	})
	switch {
	case err != nil:
		return problem(Failure, "see the message; nothing in the file was changed", "%v", err)
	case verdict != "ok":
		return problem(Failure, "move it away to start afresh; sqlite3 FILE .recover may read what is left", "%s is damaged: %s", s.Store.Path(), verdict)
	}
	return pass("%s", s.Store.Path())
}

// postgresTimeout bounds how long a Postgres may take to answer.
const postgresTimeout = 10 * time.Second

// checkPostgres connects to the database of jobs, and asks whether tables can be made in it.
func checkPostgres(ctx context.Context, s Subject) []Finding {
	if s.Postgres == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, postgresTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.Postgres)
	if err != nil {
		return problem(Failure, "start it, or correct --database-url", "%v", err)
	}
	defer func() { _ = conn.Close(ctx) }() // nothing was written
	var version string
	var creates bool
	err = conn.QueryRow(ctx, "SELECT current_setting('server_version'), coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)").Scan(&version, &creates)
	switch where := conn.Config().Host + "/" + conn.Config().Database; {
	case err != nil:
		return problem(Failure, "see the message", "%s: %v", where, err)
	case !creates:
		return problem(Failure, "GRANT CREATE ON SCHEMA public TO "+conn.Config().User, "%s: %s may make no tables", where, conn.Config().User)
	default:
		return pass("Postgres %s at %s", version, where)
	}
}

// checkWritable proves that files can be made in a directory.
func checkWritable(dir string) error {
	f, err := os.CreateTemp(dir, ".callsheet-doctor-*")
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, errors.Unwrap(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkSecrets warns of secrets that a hostile page could have typed into itself.
func checkSecrets(_ context.Context, s Subject) []Finding {
	if len(s.UnboundSecrets) == 0 {
		return nil
	}
	return problem(Warning, "write NAME@https://site.example=value into the secrets file", "%s may be typed into any page",
		strings.Join(s.UnboundSecrets, ", "))
}

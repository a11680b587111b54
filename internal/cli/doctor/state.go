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

// Package jobstest gives the tests of a package a Postgres database of their own, and workers that
// do not exist. It must not know the kinds of jobs.
package jobstest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// URL is the variable that names the Postgres server of the tests (postgres://…); without it they
// use SQLite.
const URL = "CALLSHEET_TEST_DATABASE_URL"

// Main runs tests, as TestMain has to, with a new database in place of the one that URL names, and
// deletes it afterwards: packages are tested side by side, and none may see another's jobs and
// workers.
func Main(m *testing.M) int {
	server := os.Getenv(URL)
	if server == "" {
		return m.Run()
	}
	name := "test_" + strings.ToLower(rand.Text())
	own, err := url.Parse(server)
	if err == nil {
		own.Path = "/" + name
		err = run(server, "CREATE DATABASE "+name)
	}
	if err == nil {
		err = os.Setenv(URL, own.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "a database for the tests:", err)
		return 1
	}
	code := m.Run()
	if err := run(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		fmt.Fprintln(os.Stderr, "delete the database of the tests:", err)
	}
	return code
}

func run(server, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // the statement has an error of its own
	_, err = conn.Exec(ctx, statement)
	return err
}

// AddWorker enters a worker that is alive for a minute, in place of a process.
func AddWorker(t *testing.T, db *jobs.DB, id string) {
	t.Helper()
	_, err := db.Autocommit().Exec(t.Context(),
		"INSERT INTO callsheet_worker (id, host, pid, slots, since, until) VALUES (?, '', 0, 1, {now}, {now} + 60000)", id)
	if err != nil {
		t.Fatal(err)
	}
}

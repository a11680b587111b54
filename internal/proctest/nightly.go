package proctest

import (
	"os"
	"slices"
	"testing"
)

// nightlyVariable names the environment variable under which every test runs; see make nightly.
const nightlyVariable = "CALLSHEET_NIGHTLY"

// IsNightly reports whether tests take the time that they need.
func IsNightly() bool { return os.Getenv(nightlyVariable) != "" }

// Nightly skips a test that takes long and proves something rare, unless all tests run.
func Nightly(t testing.TB) {
	t.Helper()
	if !IsNightly() {
		t.Skipf("takes long; set %s, as make nightly does", nightlyVariable)
	}
}

// Tries returns how often a test tries what fails rarely: n times by night, a fifth of that by day.
func Tries(n int) int {
	if IsNightly() {
		return n
	}
	return (n + 4) / 5
}

// Rows returns the rows of a table that takes long. Those of each day have at least one member of every kind of thing that the
// test is about; those of the night are more members of the same kinds, which a change breaks together with the first.
func Rows[T any](day []T, night ...T) []T {
	if IsNightly() {
		return append(slices.Clip(day), night...)
	}
	return day
}

// Pick is Rows for a map: it returns the rows with the keys by day, and all of them by night.
func Pick[V any](t testing.TB, rows map[string]V, day ...string) map[string]V {
	t.Helper()
	picked := make(map[string]V, len(day))
	for _, key := range day {
		row, ok := rows[key]
		if !ok {
			t.Fatalf("no row %q", key)
		}
		picked[key] = row
	}
	if IsNightly() {
		return rows
	}
	return picked
}

// Sample is Rows for a long table in which neighbours are of one kind: it returns every n-th row by day.
func Sample[T any](n int, rows []T) []T {
	if IsNightly() {
		return rows
	}
	var sample []T
	for i := 0; i < len(rows); i += n {
		sample = append(sample, rows[i])
	}
	return sample
}

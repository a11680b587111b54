package proctest

import (
	"os"
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

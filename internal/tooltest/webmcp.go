package tooltest

import (
	"os"
	"strings"
	"testing"
)

// NeedWebMCP skips a test whose browser has no WebMCP. modelContext is the type of document.modelContext in a page
// of this machine, as a tool has printed it. Where the variable CI is set that is an error: what is skipped there
// is never run.
func NeedWebMCP(t testing.TB, modelContext string) {
	t.Helper()
	const missing = "the browser has no document.modelContext: it needs Chromium 149 with --enable-features=WebMCP"
	switch {
	case strings.Contains(modelContext, "object"):
	case os.Getenv("CI") != "":
		t.Fatal(missing)
	default:
		t.Skip(missing)
	}
}

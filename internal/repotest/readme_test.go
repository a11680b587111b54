package repotest

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeSaysWhatIsPublished holds that a reader learns that no package is published before the first
// command that needs one.
func TestReadmeSaysWhatIsPublished(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(readme), "npx ")
	if found && !strings.Contains(before, "No package is published") {
		t.Error("README.md shows a command of npx before it says that no package is published")
	}
}

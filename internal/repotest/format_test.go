package repotest

import (
	"os/exec"
	"testing"
)

// TestCodeIsFormatted holds the code that is written by hand against gofmt.
func TestCodeIsFormatted(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("gofmt", "-l", "bench", "cmd", "gen", "internal", "scripts", "tools").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("gofmt would change these files (%v):\n%s", err, out)
	}
}

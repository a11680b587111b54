package tooltest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// modelContextVariable has the argument of NeedWebMCP in a process that TestNeedWebMCP starts.
const modelContextVariable = "CALLSHEET_TEST_MODEL_CONTEXT"

// TestNeedWebMCP runs a test that needs WebMCP in a process of its own: with the feature it passes; without it, it is
// skipped on a person's machine and fails in CI.
func TestNeedWebMCP(t *testing.T) {
	if given, inner := os.LookupEnv(modelContextVariable); inner {
		tooltest.NeedWebMCP(t, given)
		return
	}
	t.Parallel()
	for _, c := range []struct{ modelContext, ci, want string }{
		{`"object"`, "", "--- PASS"}, {`"object"`, "true", "--- PASS"}, {`"undefined"`, "", "--- SKIP"}, {`"undefined"`, "true", "--- FAIL"},
	} {
		run := exec.Command(os.Args[0], "-test.run=^TestNeedWebMCP$", "-test.v")
		run.Env = append(os.Environ(), modelContextVariable+"="+c.modelContext, "CI="+c.ci)
		out, err := run.CombinedOutput()
		if !strings.Contains(string(out), c.want) || (err != nil) != (c.want == "--- FAIL") {
			t.Errorf("document.modelContext is %s, CI is %q: %v, want %s\n%s", c.modelContext, c.ci, err, c.want, out)
		}
		if c.want != "--- PASS" && !strings.Contains(string(out), "Chromium 149 with --enable-features=WebMCP") {
			t.Errorf("what is missing is not named:\n%s", out)
		}
	}
}

package repotest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Tests of tools and of the program hold every successful result against the declared output of its tool: their clients
// are made with the check.
func TestClientsCheckOutputs(t *testing.T) {
	t.Parallel()
	clients := regexp.MustCompile(`(tooltest\.CheckOutputs\(\w+, )?mcp\.NewClient\(`)
	found := 0
	for _, pattern := range []string{"cmd/*/*_test.go", "tools/*_test.go", "tools/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range clients.FindAllSubmatch(text, -1) {
				if found++; len(m[1]) == 0 {
					t.Errorf("%s: write tooltest.Dial, or tooltest.CheckOutputs(t, mcp.NewClient(…)), so that the results of its calls are checked", name)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no client is found")
	}
}

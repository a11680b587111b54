package continuity_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestADamagedStoreIsLeftAlone: calls go on, the tools of continuity say what to do, and the file
// stays as it was.
func TestDamagedStoreIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	damaged := []byte(strings.Repeat("this was a database once ", 50))
	if err := os.WriteFile(filepath.Join(dir, database.FileName), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	c := tooltest.ConnectIn(t, dir, toolkit.Options{})
	c.Call("tabs_context", nil)
	c.ExpectRefusal("FAILED", "memory", tooltest.Args{"action": "query", "domain": "x.org"}, "damaged", "move it away")
	if now, err := os.ReadFile(filepath.Join(dir, database.FileName)); err != nil || string(now) != string(damaged) {
		t.Errorf("the file was changed: %v", err)
	}
}

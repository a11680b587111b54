package owned

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	const prefix = "temporary-"
	root := t.TempDir()
	now := time.Now()
	make := func(name, owner string, age time.Duration) {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(dir, "Default"), 0o700); err != nil {
			t.Fatal(err)
		}
		if owner != "-" {
			if err := os.WriteFile(filepath.Join(dir, OwnerFile), []byte(owner), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	make(prefix+"dead", "1\n", 0)
	make(prefix+"old", "-", time.Hour)
	make(prefix+"nascent", "-", time.Second)
	make(prefix+"half", "", time.Second)
	make("somebody-elses", "1\n", time.Hour)
	if n := Sweep(root, prefix, now); n != 2 {
		t.Errorf("swept %d, want 2", n)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"somebody-elses", prefix + "half", prefix + "nascent"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

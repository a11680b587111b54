package chromium

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSweepDataDirs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	now := time.Now()
	make := func(name, owner string, age time.Duration) {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(dir, "Default"), 0o700); err != nil {
			t.Fatal(err)
		}
		if owner != "-" {
			if err := os.WriteFile(filepath.Join(dir, ownerFile), []byte(owner), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	make(dataDirPrefix+"dead", "1\n", 0)
	make(dataDirPrefix+"old", "-", time.Hour)
	make(dataDirPrefix+"nascent", "-", time.Second)
	make(dataDirPrefix+"half", "", time.Second)
	make("somebody-elses", "1\n", time.Hour)
	if n := SweepDataDirs(root, now); n != 2 {
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
	if diff := cmp.Diff([]string{dataDirPrefix + "half", dataDirPrefix + "nascent", "somebody-elses"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

package workflow

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The benchmark checks a hundred files once; the watcher does so twice a second.
func BenchmarkFindFiles(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := findFiles(dir); err != nil {
			b.Fatal(err)
		}
	}
}

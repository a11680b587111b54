//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/files"
)

// TestFilesArePrivate writes in every way, and looks for what another user could read.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "output")
	dir, err := files.NewDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Write(powertest.FileWrite, "deep/er/a.png", []byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := dir.Add("b.txt", strings.NewReader("x")); err != nil {
		t.Error(err)
	}
	if _, err := dir.MakeDir(powertest.FileWrite, "profile"); err != nil {
		t.Error(err)
	}
	seen := 0
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		seen++
		if info, err := entry.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil || seen < 6 {
		t.Errorf("%d entries, %v", seen, err)
	}
}

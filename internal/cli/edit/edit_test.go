package edit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/edit"
)

func TestWriteKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, path := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(target, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	c, err := edit.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !c.IsEmpty() || c.Diff() != "" {
		t.Error("a file that was only read is changed")
	}
	c.After = []byte("two\n")
	for _, want := range []string{"--- " + path, "-one", "+two"} {
		if !strings.Contains(c.Diff(), want) {
			t.Errorf("no %q in\n%s", want, c.Diff())
		}
	}
	backup, err := c.Write()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{target: "two\n", backup: "one\n"} {
		if data, err := os.ReadFile(file); err != nil || string(data) != want {
			t.Errorf("%s: %q %v", file, data, err)
		}
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the permissions are %v, %v", info.Mode(), err)
	}
}

func TestWriteMakesTheDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "new.md")
	c, err := edit.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	c.After = []byte("text\n")
	if backup, err := c.Write(); backup != "" || err != nil {
		t.Errorf("%q %v", backup, err)
	}
	if again, err := edit.Read(path); err != nil || string(again.Before) != "text\n" {
		t.Errorf("%+v %v", again, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

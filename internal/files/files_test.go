package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/files"
)

func TestWriteStaysInside(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	out, elsewhere := filepath.Join(base, "out"), filepath.Join(base, "elsewhere")
	for _, dir := range []string{out, elsewhere} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(out, "link")); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(elsewhere, "secret")
	if err := os.WriteFile(secret, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(out, "file")); err != nil {
		t.Fatal(err)
	}
	dir, err := files.NewDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.png", "deep/er/a.png", filepath.Join(out, "b.png"), "x/../c.png", "file"} {
		path, err := dir.Write(name, []byte("new"))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
			t.Errorf("%q: read %q, %v", path, got, err)
		}
	}
	for _, name := range []string{"../a.png", "/etc/a.png", elsewhere + "/a.png", "link/a.png", "deep/../../a.png", "", ".", "dir/"} {
		if path, err := dir.Write(name, []byte("new")); !errors.Is(err, files.ErrOutside) {
			t.Errorf("%q was written to %q, error %v", name, path, err)
		}
	}
	for _, name := range []string{"profile", "a/b"} {
		if path, err := dir.Sub(name); err != nil || path != filepath.Join(out, name) {
			t.Errorf("Sub(%q) = %q, %v", name, path, err)
		}
	}
	for _, name := range []string{"..", elsewhere, "link", "link/x", ""} {
		if path, err := dir.Sub(name); !errors.Is(err, files.ErrOutside) {
			t.Errorf("Sub(%q) = %q, %v", name, path, err)
		}
	}
	if got, _ := os.ReadFile(secret); string(got) != "keep" {
		t.Errorf("a link led out of the directory: %q", got)
	}
	left, err := os.ReadDir(elsewhere)
	if err != nil || len(left) != 1 {
		t.Errorf("elsewhere holds %v, %v", left, err)
	}
}

func TestNewDirIsLazy(t *testing.T) {
	dir, err := files.NewDir(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory exists before anything was written: %v", err)
	}
}

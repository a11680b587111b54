package files_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/files"
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
		path, err := dir.Write(powertest.FileWrite, name, []byte("new"))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
			t.Errorf("%q: read %q, %v", path, got, err)
		}
	}
	for _, name := range []string{"../a.png", "/etc/a.png", elsewhere + "/a.png", "link/a.png", "deep/../../a.png", "", ".", "dir/"} {
		if path, err := dir.Write(powertest.FileWrite, name, []byte("new")); !errors.Is(err, files.ErrOutside) {
			t.Errorf("%q was written to %q, error %v", name, path, err)
		}
	}
	for _, name := range []string{"profile", "a/b"} {
		if path, err := dir.MakeDir(powertest.FileWrite, name); err != nil || path != filepath.Join(out, name) {
			t.Errorf("Sub(%q) = %q, %v", name, path, err)
		}
	}
	for _, name := range []string{"..", elsewhere, "link", "link/x", ""} {
		if path, err := dir.MakeDir(powertest.FileWrite, name); !errors.Is(err, files.ErrOutside) {
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

// TestConcurrentWritesAreAtomic writes one file concurrently, and checks that files with similar
// names stay unchanged.
func TestConcurrentWritesAreAtomic(t *testing.T) {
	place := t.TempDir()
	dir, err := files.NewDir(place)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "page.txt.part"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			for range 20 {
				if _, err := dir.Write(powertest.FileWrite, "page.txt", bytes.Repeat([]byte{byte('a' + n)}, 100_000)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := os.ReadFile(filepath.Join(place, "page.txt"))
	if err != nil || len(got) != 100_000 || !bytes.Equal(got, bytes.Repeat(got[:1], len(got))) {
		t.Errorf("%d bytes of several, %v", len(got), err)
	}
	if got, err := os.ReadFile(filepath.Join(place, "page.txt.part")); err != nil || string(got) != "mine" {
		t.Errorf("another file became %.20q, %v", got, err)
	}
	long := strings.Repeat("n", 250) + ".txt"
	if _, err := dir.Write(powertest.FileWrite, long, []byte("x")); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(place); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestAddKeepsOtherFiles adds files of one name, which all stay.
func TestAddKeepsOtherFiles(t *testing.T) {
	t.Parallel()
	dir, err := files.NewDir(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"report.csv", "report (1).csv", "report (2).csv"} {
		path, err := dir.Add("report.csv", strings.NewReader(want))
		data, readErr := os.ReadFile(path)
		if err != nil || readErr != nil || filepath.Base(path) != want || string(data) != want {
			t.Errorf("file %d is %s with %q: %v, %v", i, path, data, err, readErr)
		}
	}
	if path, err := dir.Add("../report.csv", strings.NewReader("x")); !errors.Is(err, files.ErrOutside) {
		t.Errorf("outside: %s, %v", path, err)
	}
}

package statedir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/storage/statedir"
)

func TestDefaultFollowsXDG(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_STATE_HOME", base)
	d, err := statedir.New("")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Path("cache", "x"), filepath.Join(base, "callsheet", "cache", "x"); got != want {
		t.Errorf("Path = %s, want %s", got, want)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", base)
	if d, err = statedir.New(""); err != nil || d.Path() != filepath.Join(base, ".local", "state", "callsheet") {
		t.Errorf("a relative XDG_STATE_HOME is not ignored: %s, %v", d.Path(), err)
	}
}

func TestMakeIsPrivateAndLazy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	d, err := statedir.New(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("At created the directory: %v", err)
	}
	sub, err := d.Make("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(sub)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made %s with %v, %v", sub, info.Mode(), err)
	}
}

// A state directory and its files that others can read are made private.
func TestStateIsTakenFromOtherUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	d, err := statedir.New(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the file is made, and then found
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		file, err := d.MakeFile("callsheet.db")
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]os.FileMode{path: 0o700, file: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s has %v, %v", path, info.Mode(), err)
			}
			if err := os.Chmod(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
}

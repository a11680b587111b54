package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/storage/files"
)

func TestRootsResolve(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	in, more, out := filepath.Join(base, "in"), filepath.Join(base, "more"), filepath.Join(base, "in-but-not")
	for _, dir := range []string{in, more, out, filepath.Join(in, "sub")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(in, "a"), filepath.Join(more, "b"), filepath.Join(out, "secret")} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		filepath.Join(in, "leak"): filepath.Join(out, "secret"), filepath.Join(in, "door"): out,
		filepath.Join(in, "across"): filepath.Join(in, "a"), filepath.Join(base, "alias"): in,
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	roots, err := files.NewRoots(filepath.Join(base, "alias"), more, filepath.Join(base, "not-there"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a": filepath.Join(in, "a"), "b": filepath.Join(more, "b"), "sub/../a": filepath.Join(in, "a"),
		"across": filepath.Join(in, "a"), filepath.Join(in, "a"): filepath.Join(in, "a"),
		filepath.Join(base, "alias", "a"): filepath.Join(in, "a"),
	} {
		if got, err := roots.Resolve(powertest.FileRead, name); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]error{
		"leak": files.ErrNotAllowed, "door/secret": files.ErrNotAllowed, "../in-but-not/secret": files.ErrNotAllowed,
		filepath.Join(out, "secret"): files.ErrNotAllowed, filepath.Join(base, "nothing"): files.ErrNotAllowed, "": files.ErrNotAllowed,
		"nothing": fs.ErrNotExist, "sub": files.ErrNotRegular, "/": files.ErrNotAllowed, "/etc/passwd": files.ErrNotAllowed,
	} {
		if got, err := roots.Resolve(powertest.FileRead, name); !errors.Is(err, want) {
			t.Errorf("%q is %q, %v; want %v", name, got, err, want)
		}
	}
	var none *files.Roots
	if _, err := none.Resolve(powertest.FileRead, "a"); !errors.Is(err, files.ErrNotAllowed) {
		t.Errorf("no roots allow %v", err)
	}
}

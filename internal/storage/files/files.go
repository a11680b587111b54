// Package files is the only way in which tools write to the disk: under one output directory, wherever a path claims to
// lead.
//
// Names come from a language model that may have read a hostile page, so a path is resolved below the directory by the
// operating system itself (os.Root): "..", absolute paths elsewhere and symbolic links that leave the directory are
// refused. The package must not know what the files hold.
package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/internal/fault"
)

// Dir is an output directory. It is created when the first file is written.
type Dir struct {
	path   string
	redact func(io.Reader) io.Reader // nil: nothing is taken out
}

// ErrOutside is wrapped by the error of every path that leads out of the output directory.
var ErrOutside = fault.New(fault.PolicyDenied, "outside the output directory", fault.Field{Name: "surface", Value: "file"})

// NewDir names an output directory.
func NewDir(path string) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolve the output directory %q: %w", path, err)
	}
	return &Dir{path: abs}, nil
}

// WithRedaction is the same directory, where texts are written only as redact gives them.
func (d *Dir) WithRedaction(redact func(io.Reader) io.Reader) *Dir {
	return &Dir{path: d.path, redact: redact}
}

// Path is the directory's absolute path.
func (d *Dir) Path() string { return d.path }

// Write puts data into the file name, relative to the directory or absolute and inside it, replacing it as a whole.
// It returns the file's absolute path. A name that leads elsewhere is an error that wraps ErrOutside.
func (d *Dir) Write(name string, data []byte) (string, error) {
	rel, err := d.relative(name)
	if err != nil {
		return "", err
	}
	root, err := d.open()
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // reading handle: nothing is lost
	if d.redact != nil && strings.HasPrefix(http.DetectContentType(data), "text/") {
		if data, err = io.ReadAll(d.redact(bytes.NewReader(data))); err != nil {
			return "", fmt.Errorf("write %q: %w", name, err)
		}
	}
	if err := replace(root, rel, data); err != nil {
		return "", fmt.Errorf("write %q: %w", name, err)
	}
	return filepath.Join(d.path, rel), nil
}

// MakeDir makes a directory below the directory, for a program that writes by itself, and returns its absolute path. A name
// that leads elsewhere is an error that wraps ErrOutside.
func (d *Dir) MakeDir(name string) (string, error) {
	rel, err := d.relative(name)
	if err != nil {
		return "", err
	}
	root, err := d.open()
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // reading handle: nothing is lost
	if err := root.MkdirAll(rel, 0o700); err != nil {
		return "", fmt.Errorf("make %q: %w", name, wrapEscape(err))
	}
	sub, err := root.OpenRoot(rel) // follows no link that leaves
	if err != nil {
		return "", fmt.Errorf("make %q: %w", name, wrapEscape(err))
	}
	return filepath.Join(d.path, rel), sub.Close()
}

// open opens the directory, which is made if need be.
func (d *Dir) open() (*os.Root, error) {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return nil, fmt.Errorf("create the output directory: %w", err)
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, fmt.Errorf("open the output directory: %w", err)
	}
	return root, nil
}

// relative turns name into a local path below the directory.
func (d *Dir) relative(name string) (string, error) {
	rel := name
	if filepath.IsAbs(name) {
		var err error
		if rel, err = filepath.Rel(d.path, name); err != nil {
			return "", fmt.Errorf("%q: %w %s", name, ErrOutside, d.path)
		}
	}
	if rel = filepath.Clean(rel); !filepath.IsLocal(rel) || rel == "." || strings.HasSuffix(name, "/") {
		return "", fmt.Errorf("%q: %w %s", name, ErrOutside, d.path)
	}
	return rel, nil
}

// replace writes a file beside rel and renames it over rel, so that a reader never sees half of it. The file's name is its
// own: others may write rel at the same time.
func replace(root *os.Root, rel string, data []byte) error {
	dir := filepath.Dir(rel)
	if dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return wrapEscape(err)
		}
	}
	part := filepath.Join(dir, "."+rand.Text()+".part")
	f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return wrapEscape(err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = wrapEscape(root.Rename(part, rel))
	}
	if err != nil {
		_ = root.Remove(part) // err says more
	}
	return err
}

// wrapEscape marks os.Root's refusal to follow a path out of it.
func wrapEscape(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && strings.Contains(p.Err.Error(), "escapes") {
		return fmt.Errorf("%w: %w", ErrOutside, err)
	}
	return err
}

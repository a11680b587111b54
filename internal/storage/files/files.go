// Package files confines the file access of tools: Dir writes below one output directory, and Roots
// resolves files that may be read.
//
// File names come from a language model that may have read a hostile page. Dir therefore resolves
// names with os.Root, which refuses "..", absolute paths outside the directory and symbolic links
// out of it. The package must not know the content of files.
package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
)

// Dir is an output directory. The first write creates it.
type Dir struct {
	path   string
	redact func(io.Reader) io.Reader // removes secrets from text files; nil removes none
	owns   func(session string) bool // sessions that have the directory itself; nil is every session
}

// ErrOutside is wrapped by the error of every path that leads out of the output directory.
var ErrOutside = fault.New(codes.PolicyDenied, "outside the output directory", fault.Field{Name: "surface", Value: "file"})

// NewDir returns the output directory at path. It creates no directory.
func NewDir(path string) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolve the output directory %q: %w", path, err)
	}
	return &Dir{path: abs}, nil
}

// WithRedaction returns the same directory with a redaction of text files.
func (d *Dir) WithRedaction(redact func(io.Reader) io.Reader) *Dir {
	return &Dir{path: d.path, redact: redact, owns: d.owns}
}

// PerSession returns the same directory with a part for each session, except for those that own the
// directory itself.
func (d *Dir) PerSession(owns func(session string) bool) *Dir {
	return &Dir{path: d.path, redact: d.redact, owns: owns}
}

// For returns the directory of a session: no other session's files are in it.
func (d *Dir) For(session string) *Dir {
	if d.owns == nil || d.owns(session) {
		return d
	}
	name := url.PathEscape(session)
	if strings.Trim(name, ".") == "" {
		name = "_" + name
	}
	return &Dir{path: filepath.Join(d.path, name), redact: d.redact}
}

// Path returns the absolute path of the directory.
func (d *Dir) Path() string { return d.path }

// Write replaces the file name with data and returns its absolute path. name is relative to the
// directory, or absolute and inside it. The error for any other name wraps ErrOutside.
func (d *Dir) Write(p power.FileWrite, name string, data []byte) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	root, rel, err := d.locate(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // opened for reading
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

// maxCopies bounds the files of one name.
const maxCopies = 10_000

// Add writes a file whose name no other file of the directory has and returns its absolute path: of
// name, or else of a name such as "report (1).pdf". The error for a name outside wraps ErrOutside.
func (d *Dir) Add(name string, content io.Reader) (string, error) {
	root, rel, err := d.locate(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // opened for reading
	kind := filepath.Ext(rel)
	base := strings.TrimSuffix(rel, kind)
	for n := range maxCopies {
		if n > 0 {
			rel = fmt.Sprintf("%s (%d)%s", base, n, kind)
		}
		f, err := root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("add %q: %w", name, wrapEscape(err))
		}
		_, err = io.Copy(f, content)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = root.Remove(rel) // err is the cause
			return "", fmt.Errorf("add %q: %w", name, err)
		}
		return filepath.Join(d.path, rel), nil
	}
	return "", fault.New(codes.Failed, fmt.Sprintf("add %q: %d files have this name", name, maxCopies))
}

// MakeDir creates a directory below the directory, for another program's files, and returns its
// absolute path. The error for a name outside wraps ErrOutside.
func (d *Dir) MakeDir(p power.FileWrite, name string) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	root, rel, err := d.locate(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // opened for reading
	if err := root.MkdirAll(rel, 0o700); err != nil {
		return "", fmt.Errorf("make %q: %w", name, wrapEscape(err))
	}
	sub, err := root.OpenRoot(rel) // follows no link out of the directory
	if err != nil {
		return "", fmt.Errorf("make %q: %w", name, wrapEscape(err))
	}
	return filepath.Join(d.path, rel), sub.Close()
}

// locate opens the directory and returns the path of a name relative to it.
func (d *Dir) locate(name string) (root *os.Root, rel string, err error) {
	if rel, err = d.relative(name); err != nil {
		return nil, "", err
	}
	root, err = d.open()
	return root, rel, err
}

// open opens the directory and creates it if it does not exist.
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

// relative returns name as a path relative to the directory.
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

// replace writes a temporary file and renames it to rel, so that readers never see a part of it.
// The temporary name is unique, because of concurrent writes of rel.
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
		_ = root.Remove(part) // err is the cause
	}
	return err
}

// wrapEscape adds ErrOutside to the error of os.Root for a path that leaves the directory.
func wrapEscape(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && strings.Contains(p.Err.Error(), "escapes") {
		return fmt.Errorf("%w: %w", ErrOutside, err)
	}
	return err
}

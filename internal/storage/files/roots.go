package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
)

// Roots are the directories whose files tools may read: the output directory of a session and those
// of the operator.
type Roots struct {
	output *Dir // nil means none
	dirs   []string
}

// The errors of Resolve.
var (
	// ErrNotAllowed is wrapped by the error of every path that leads out of the roots.
	ErrNotAllowed = fault.New(codes.PolicyDenied, "outside the directories that files may be taken from",
		fault.Field{Name: "surface", Value: "file"})
	// ErrNotRegular is wrapped by the error of a path below the roots that is not a regular file.
	ErrNotRegular = fault.New(codes.InvalidArguments, "not a regular file")
)

// NewRoots returns roots for directories, which need not exist.
func NewRoots(dirs ...string) (*Roots, error) {
	r := &Roots{}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("resolve the directory %q: %w", dir, err)
		}
		r.dirs = append(r.dirs, abs)
	}
	return r, nil
}

// With returns roots with more directories, which need not exist and must be absolute.
func (r *Roots) With(dirs ...string) *Roots {
	if len(dirs) == 0 {
		return r
	}
	return &Roots{output: r.output, dirs: slices.Concat(r.dirs, dirs)}
}

// WithOutput returns roots with an output directory, whose part of a session For adds.
func (r *Roots) WithOutput(output *Dir) *Roots { return &Roots{output: output, dirs: r.dirs} }

// For returns the roots of a session, the output directory first.
func (r *Roots) For(session string) *Roots {
	if r == nil || r.output == nil {
		return r
	}
	return &Roots{dirs: slices.Concat([]string{r.output.For(session).Path()}, r.dirs)}
}

// Resolve returns the path of a regular file below one of the directories, with all symbolic links
// resolved. It searches a relative name in each directory in order. The error for a path outside
// wraps ErrNotAllowed whether or not the file exists, so that errors reveal nothing about other
// directories.
func (r *Roots) Resolve(p power.FileRead, name string) (string, error) {
	found, err := r.resolve(p, name)
	if err == nil {
		err = checkRegular(name, found)
	}
	return found, err
}

// ResolveTree is Resolve for a directory, too: one that has regular files and such directories alone, of which a link
// could lead out of the roots.
func (r *Roots) ResolveTree(p power.FileRead, name string) (path string, isDir bool, err error) {
	if path, err = r.resolve(p, name); err != nil {
		return "", false, err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, false, checkRegular(name, path)
	}
	err = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !e.Type().IsRegular() {
			err = fmt.Errorf("open %q: %q in it: %w", name, e.Name(), ErrNotRegular)
		}
		return err
	})
	return path, true, err
}

// resolve returns the path below one of the directories, whatever it is of.
func (r *Roots) resolve(p power.FileRead, name string) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	if r == nil || name == "" {
		return "", fmt.Errorf("%q: %w", name, ErrNotAllowed)
	}
	denied := fmt.Errorf("%q: %w: %s", name, ErrNotAllowed, strings.Join(r.dirs, ", "))
	var missing error
	for _, dir := range r.dirs {
		path := filepath.Clean(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if !isBelow(dir, path) && !isBelow(resolveLinks(dir), path) {
			continue
		}
		found, err := filepath.EvalSymlinks(path)
		if err != nil {
			missing = fmt.Errorf("open %q: %w", name, fs.ErrNotExist)
			continue
		}
		if !isBelow(resolveLinks(dir), found) {
			return "", denied
		}
		return found, nil
	}
	if missing != nil {
		return "", missing
	}
	return "", denied
}

// resolveLinks resolves the symbolic links of a directory. It returns a missing directory
// unchanged.
func resolveLinks(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return dir
}

// isBelow reports a directory and what is in it.
func isBelow(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// checkRegular returns ErrNotRegular for directories, devices and pipes.
func checkRegular(name, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("open %q: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("open %q: %w", name, ErrNotRegular)
	}
	return nil
}

package lock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
	"github.com/callsheet/callsheet/internal/storage/filelock"
)

// FileName is the name of the file in the state directory.
const FileName = "webmcp.lock.json"

// File is a lock on disk, which several processes may share. NewFile makes one.
type File struct{ path string }

// NewFile returns the lock at a path. It reads and creates nothing.
func NewFile(path string) *File { return &File{path} }

// Path returns the path of the file.
func (f *File) Path() string { return f.path }

// FileError says why a lock cannot be read or written. The file is as it was.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("the lock of page tools, %s, is unusable and was left as it is: %v; mend it, or move it away to allow tools anew", e.Path, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// Code implements fault.Coded.
func (*FileError) Code() codes.Code { return codes.Failed }

// Load reads the file. One that does not exist is an empty lock; one that cannot be read whole is a
// *FileError, and no tool is allowed by it.
func (f *File) Load() (*Lock, error) {
	l, err := f.load()
	if err != nil {
		return nil, &FileError{f.path, err}
	}
	return l, nil
}

func (f *File) load() (*Lock, error) {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, cause(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, cause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxFileSize+1))
	switch {
	case err != nil:
		return nil, cause(err)
	case len(data) > MaxFileSize:
		return nil, fmt.Errorf("it has more than %d bytes", MaxFileSize)
	case len(data) == 0:
		return nil, errors.New("it is empty")
	}
	return decode(data)
}

// cause is an error of the file system without the path, which FileError names.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Accept enters a decision, and returns the names of the tools that are new or changed in the file. Two
// processes that accept at once both succeed. It waits for another process until the context ends; the error
// of a file that cannot be read or written is a *FileError.
func (f *File) Accept(ctx context.Context, a Acceptance) (changed []string, err error) {
	if a.At.IsZero() {
		a.At = time.Now()
	}
	a.At = a.At.Truncate(time.Second)
	err = f.update(ctx, func(l *Lock) (bool, error) {
		changed, err = l.accept(a)
		return len(changed) > 0, err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// Forget removes tools of an origin, or all of them where no name is given, and returns the names of those
// that were there.
func (f *File) Forget(ctx context.Context, origin string, names ...string) (gone []string, err error) {
	err = f.update(ctx, func(l *Lock) (bool, error) {
		gone = l.forget(origin, names)
		return len(gone) > 0, nil
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

// update changes the file while no other process does. The file is written whole, and only where change
// reports a change.
func (f *File) update(ctx context.Context, change func(*Lock) (bool, error)) error {
	path, err := f.target()
	if err != nil {
		return &FileError{f.path, cause(err)}
	}
	unlock, err := exclude(ctx, path)
	if err != nil {
		return &FileError{f.path, err}
	}
	defer unlock()
	l, err := f.Load()
	if err != nil {
		return err
	}
	changed, err := change(l)
	if err != nil || !changed {
		return err
	}
	data, err := l.encode()
	switch {
	case err != nil:
	case len(data) > MaxFileSize:
		err = fmt.Errorf("it would have %d bytes, and at most %d are kept", len(data), MaxFileSize)
	default:
		err = atomicfile.Write(path, data, 0o600)
	}
	if err != nil {
		return &FileError{f.path, cause(err)}
	}
	return nil
}

// target is the path that is written: that of the file which a symbolic link names, so that the link stays.
// The directory is made.
func (f *File) target() (string, error) {
	path, err := filepath.EvalSymlinks(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		path, err = f.path, os.MkdirAll(filepath.Dir(f.path), 0o700)
	}
	return path, err
}

// exclude waits until no other process changes the file. unlock ends it; so does the end of the
// process. It locks the directory, since every write replaces the file; on Windows, where no
// directory can be locked, a file beside it.
func exclude(ctx context.Context, path string) (unlock func(), err error) {
	var file *os.File
	if runtime.GOOS == "windows" {
		file, err = os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	} else {
		file, err = os.Open(filepath.Dir(path))
	}
	if err != nil {
		return nil, err
	}
	if err := filelock.Wait(ctx, file); err != nil {
		_ = file.Close() // err is the cause
		return nil, err
	}
	return func() { _ = file.Close() }, nil // closing gives up the lock
}

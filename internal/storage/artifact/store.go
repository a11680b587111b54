package artifact

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/owned"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

const (
	// directory holds the artifacts in the state directory.
	directory = "artifacts"
	// recordEnd is the extension of records; partEnd that of incomplete files.
	recordEnd, partEnd = ".record", ".part"
	// orphanAge is the age after which a file without a record is removed: its process died while
	// writing.
	orphanAge = time.Hour
	// checkFraction is the part of the limit, 1/checkFraction, by which a process may exceed it
	// between checks.
	checkFraction = 64
	// DefaultLimit is the default limit of all artifacts together, in bytes.
	DefaultLimit = 2 << 30
)

// Store is a directory of artifacts. Its methods are safe for concurrent use, by several processes
// too.
type Store struct {
	dir   statedir.Dir
	limit int64
	// redact removes secrets from names and text files; nil removes none.
	redact func(io.Reader) io.Reader
	growth atomic.Int64 // bytes since the last check of the limit; negative before the first one
}

// New returns the store of a state directory. limit is in bytes; 0 means DefaultLimit. New creates
// no files.
func New(dir statedir.Dir, limit int64) *Store {
	if limit <= 0 {
		limit = DefaultLimit
	}
	s := &Store{dir: dir, limit: limit}
	s.growth.Store(-1)
	return s
}

// WithRedaction returns a store of the same directory that passes names and text files through
// redact.
func (s *Store) WithRedaction(redact func(io.Reader) io.Reader) *Store {
	out := New(s.dir, s.limit)
	out.redact = redact
	return out
}

// Limit returns the limit of all artifacts together, in bytes.
func (s *Store) Limit() int64 { return s.limit }

// Incoming creates a directory for files that PutFile stores later, such as downloads, on the same
// disk. remove deletes it. Incoming also deletes the directories of processes that have died.
func (s *Store) Incoming() (path string, remove func() error, err error) {
	parent, err := s.dir.Make(directory, "incoming")
	if err != nil {
		return "", nil, err
	}
	owned.Sweep(parent, "", time.Now())
	dir, err := owned.Create(parent, "")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory for files that arrive: %w", err)
	}
	return dir.Path, dir.Remove, nil
}

// Put stores the content of r. It removes the oldest artifacts while all together exceed the limit.
// The error for an artifact that alone exceeds the limit is ErrTooLarge. A failed Put leaves no
// file.
func (s *Store) Put(ctx context.Context, m Meta, r io.Reader) (Artifact, error) {
	return s.create(m, func(part string) (int64, error) { return s.writePart(ctx, part, r) })
}

// PutFile stores a file of the same disk by moving it. After an error the file is unchanged.
func (s *Store) PutFile(m Meta, file string) (Artifact, error) {
	if s.redact != nil {
		return s.putText(m, file)
	}
	return s.putMoved(m, file)
}

// putText is PutFile with redaction: it stores a redacted copy of a text file.
func (s *Store) putText(m Meta, file string) (Artifact, error) {
	f, err := os.Open(file)
	if err != nil {
		return Artifact{}, fmt.Errorf("store artifact %q: %w", m.Name, err)
	}
	defer func() { _ = f.Close() }() // reading handle: nothing is lost
	if !isText(bufio.NewReaderSize(f, sniffLength)) {
		return s.putMoved(m, file)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Artifact{}, fmt.Errorf("store artifact %q: %w", m.Name, err)
	}
	a, err := s.Put(context.Background(), m, f)
	if err != nil {
		return Artifact{}, err
	}
	return a, os.Remove(file)
}

func (s *Store) putMoved(m Meta, file string) (Artifact, error) {
	return s.create(m, func(part string) (int64, error) {
		info, err := os.Lstat(file)
		switch {
		case err != nil:
			return 0, err
		case !info.Mode().IsRegular():
			return 0, fault.New(codes.Failed, fmt.Sprintf("%s is no regular file", file))
		case info.Size() > s.limit:
			return 0, ErrTooLarge
		}
		return info.Size(), os.Rename(file, part)
	})
}

// create stores the file that fill writes and then its record, without which the artifact does not
// exist.
func (s *Store) create(m Meta, fill func(part string) (int64, error)) (Artifact, error) {
	dir, err := s.dir.Make(directory)
	if err != nil {
		return Artifact{}, err
	}
	if s.redact != nil {
		name, err := io.ReadAll(s.redact(strings.NewReader(m.Name)))
		if err != nil {
			return Artifact{}, fmt.Errorf("store an artifact: %w", err)
		}
		m.Name = string(name)
	}
	a := Artifact{
		ID: strings.ToLower(rand.Text()), Name: CleanName(m.Name), MIME: cmp.Or(m.MIME, "application/octet-stream"), Session: m.Session,
		Created: time.Now().UTC(), Source: m.Source,
	}
	a.path = filepath.Join(dir, a.ID+extension(a.Name))
	part := filepath.Join(dir, a.ID+partEnd)
	failed := func(err error) (Artifact, error) {
		_, _ = os.Remove(part), os.Remove(a.path) // at most one of them exists
		return Artifact{}, fmt.Errorf("store artifact %q: %w", a.Name, err)
	}
	if a.Size, err = fill(part); err != nil {
		return failed(err)
	}
	if err := os.Rename(part, a.path); err != nil {
		return failed(err)
	}
	record, err := json.Marshal(a)
	if err != nil {
		return failed(err)
	}
	if err := os.WriteFile(part, record, 0o600); err != nil {
		return failed(err)
	}
	if err := os.Rename(part, filepath.Join(dir, a.ID+recordEnd)); err != nil {
		return failed(err)
	}
	// A check lists all artifacts, so not every Put checks.
	if first := s.growth.Load() < 0; first || s.growth.Add(a.Size) > s.limit/checkFraction {
		s.growth.Store(0)
		if err := s.makeRoom(dir, a.ID); err != nil {
			return Artifact{}, fmt.Errorf("make room for artifact %q: %w", a.Name, err)
		}
	}
	return a, nil
}

// writePart copies r into a new file, within the limit.
func (s *Store) writePart(ctx context.Context, part string, r io.Reader) (n int64, err error) {
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if s.redact != nil {
		if whole := bufio.NewReaderSize(r, sniffLength); isText(whole) {
			r = s.redact(whole)
		} else {
			r = whole
		}
	}
	n, err = io.Copy(f, io.LimitReader(&contextReader{ctx, r}, s.limit+1))
	if err == nil && n > s.limit {
		err = ErrTooLarge
	}
	return n, err
}

// sniffLength is the length of the prefix that decides whether a file is text, in bytes.
const sniffLength = 4096

// isText reports whether r begins with text.
func isText(r *bufio.Reader) bool {
	head, _ := r.Peek(sniffLength)
	return !bytes.ContainsRune(head, 0) && strings.HasPrefix(http.DetectContentType(head), "text/")
}

// contextReader is a reader that fails when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p)
}

// makeRoom removes the oldest artifacts until the rest is within the limit, and incomplete files of
// dead processes. Concurrent removal by another process is no error.
func (s *Store) makeRoom(dir, newest string) error {
	all, orphans, err := s.scan(dir)
	if err != nil {
		return err
	}
	for _, path := range orphans {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > orphanAge {
			_ = os.Remove(path)
		}
	}
	var total int64
	for _, a := range all {
		total += a.Size
	}
	for _, a := range all { // oldest first
		if total <= s.limit {
			return nil
		}
		if a.ID == newest {
			continue
		}
		if err := a.remove(dir); err != nil {
			return err
		}
		total -= a.Size
	}
	return nil
}

// remove removes an artifact. One that another process has removed is no error.
func (a Artifact) remove(dir string) error {
	for _, path := range []string{filepath.Join(dir, a.ID+recordEnd), a.path} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Prune removes the artifacts that were made before a time, or with dry none, and returns their number and bytes.
func (s *Store) Prune(before time.Time, dry bool) (count int, bytes int64, err error) {
	dir := s.dir.Path(directory)
	all, _, err := s.scan(dir)
	for _, a := range all {
		if err != nil || !a.Created.Before(before) {
			break
		}
		if !dry {
			err = a.remove(dir)
		}
		count++
		bytes += a.Size
	}
	return count, bytes, err
}

// scan returns all artifacts, oldest first, and the paths of files without a record.
func (s *Store) scan(dir string) (all []Artifact, orphans []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		return nil, nil, fmt.Errorf("list artifacts: %w", err)
	}
	known := make(map[string]bool)
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), recordEnd)
		if !ok || !validID(id) {
			continue
		}
		if a, err := s.readRecord(dir, id); err == nil {
			all = append(all, a)
			known[e.Name()], known[filepath.Base(a.path)] = true, true
		}
	}
	for _, e := range entries {
		if !known[e.Name()] && !e.IsDir() {
			orphans = append(orphans, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(all, func(a, b Artifact) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return all, orphans, nil
}

// readRecord reads one record. It derives id and path from the file name, not from the record's
// content.
func (s *Store) readRecord(dir, id string) (Artifact, error) {
	data, err := os.ReadFile(filepath.Join(dir, id+recordEnd))
	if err != nil {
		return Artifact{}, err
	}
	var a Artifact
	if err := json.Unmarshal(data, &a); err != nil {
		return Artifact{}, fmt.Errorf("read the record of artifact %s: %w", id, err)
	}
	a.ID, a.Name = id, CleanName(a.Name)
	a.path = filepath.Join(dir, id+extension(a.Name))
	return a, nil
}

// Get returns an artifact. The error for an unknown id wraps fs.ErrNotExist.
func (s *Store) Get(id string) (Artifact, error) {
	if !validID(id) {
		return Artifact{}, fmt.Errorf("artifact %.40q: %w", id, fs.ErrNotExist)
	}
	return s.readRecord(s.dir.Path(directory), id)
}

// Open opens an artifact for reading. The error for an unknown id wraps fs.ErrNotExist.
func (s *Store) Open(id string) (Artifact, *os.File, error) {
	a, err := s.Get(id)
	if err != nil {
		return Artifact{}, nil, err
	}
	f, err := os.Open(a.path)
	if err != nil {
		return Artifact{}, nil, fmt.Errorf("open artifact %s: %w", id, err)
	}
	return a, f, nil
}

// List returns the artifacts of a session, oldest first.
func (s *Store) List(session string) ([]Artifact, error) {
	all, _, err := s.scan(s.dir.Path(directory))
	return slices.DeleteFunc(all, func(a Artifact) bool { return a.Session != session }), err
}

// validID reports whether id has the form of an artifact id. Such an id is safe in a path.
func validID(id string) bool {
	for i := range len(id) {
		if c := id[i]; (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return len(id) == 26
}

package totp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// File is the encrypted file of secrets in the state directory.
type File struct {
	dir    statedir.Dir
	sealer *seal.Sealer
}

// NewFile returns the file of a state directory. It reads and creates no files.
func NewFile(dir statedir.Dir, sealer *seal.Sealer) *File { return &File{dir: dir, sealer: sealer} }

const (
	fileName = "totp.sealed"
	purpose  = "totp"
)

// Path returns the path of the file.
func (f *File) Path() string { return f.dir.Path(fileName) }

// Get returns the secret of a domain, or "" without one.
func (f *File) Get(domain string) (string, error) {
	all, err := f.read()
	return all[domain], err
}

// Domains returns the domains with a secret, sorted.
func (f *File) Domains() ([]string, error) {
	all, err := f.read()
	return slices.Sorted(maps.Keys(all)), err
}

// Set stores the secret of a domain; "" removes it. had reports whether the domain had a secret
// before.
func (f *File) Set(domain, secret string) (had bool, err error) {
	all, err := f.read()
	if err != nil {
		return false, err
	}
	_, had = all[domain]
	if delete(all, domain); secret != "" {
		all[domain] = secret
	}
	return had, f.write(all)
}

func (f *File) read() (map[string]string, error) {
	all := map[string]string{}
	sealed, err := os.ReadFile(f.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the one-time secrets: %w", err)
	}
	text, err := f.sealer.Open(purpose, sealed)
	if err != nil {
		return nil, fmt.Errorf("read the one-time secrets in %s: %w", f.Path(), err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fault.New(codes.Failed, fmt.Sprintf("read the one-time secrets in %s: it holds something else", f.Path()))
	}
	return all, nil
}

// write replaces the file atomically, so that a crash leaves the old content.
func (f *File) write(all map[string]string) error {
	text, err := json.Marshal(all)
	if err != nil { // texts always marshal
		return fmt.Errorf("encode the one-time secrets: %w", err)
	}
	sealed, err := f.sealer.Seal(purpose, text)
	if err != nil {
		return err
	}
	dir, err := f.dir.Make()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, fileName), sealed, 0o600); err != nil {
		return fmt.Errorf("write the one-time secrets: %w", err)
	}
	return nil
}

package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
	"github.com/callsheet/callsheet/internal/storage/principal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

const (
	baselineDir = "baselines"
	// maxBaselines are kept, of all sessions of a principal together.
	maxBaselines = 1000
	// maxNameBytes is the length of a name that stands for a file.
	maxNameBytes = 64
)

// ErrInvalidName is the error for a name that nothing can be kept under.
var ErrInvalidName = fault.New(codes.InvalidArguments, "a name is 1 to 64 of A-Z a-z 0-9 . _ -, and begins with a letter or digit")

// IsName reports whether something can be kept in the state directory under a name.
func IsName(name string) bool {
	for i, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return name != "" && len(name) <= maxNameBytes
}

// Baselines are the pictures that later ones are compared with, by name. They stay until they are replaced: no
// limit of artifacts removes them.
type Baselines struct{ dir statedir.Dir }

// Baselines returns the baselines of the directory of the store. It reads and creates nothing.
func (s *Store) Baselines() Baselines { return Baselines{s.dir} }

// elements are the path of a directory of the principal of a call. No name begins with a dot.
func elements(ctx context.Context) []string {
	if owner := principal.Of(ctx).String; owner != "" {
		return []string{directory, baselineDir, "." + owner}
	}
	return []string{directory, baselineDir}
}

// Read returns the picture of a name; nil if the principal keeps none.
func (b Baselines) Read(ctx context.Context, name string) ([]byte, error) {
	if !IsName(name) {
		return nil, ErrInvalidName
	}
	data, err := os.ReadFile(b.dir.Path(append(elements(ctx), name)...))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read baseline %s: %w", name, err)
	}
	return data, nil
}

// Keep stores a picture under a name, in place of an earlier one.
func (b Baselines) Keep(ctx context.Context, name string, picture []byte) error {
	old, err := b.Read(ctx, name)
	if err != nil {
		return err
	}
	dir, err := b.dir.Make(elements(ctx)...)
	if err != nil {
		return err
	}
	if all, err := os.ReadDir(dir); old == nil && err == nil && len(all) >= maxBaselines {
		return fault.New(codes.Failed, fmt.Sprintf("%d baselines are kept, which is the most; replace one", maxBaselines))
	}
	return atomicfile.Write(filepath.Join(dir, name), picture, 0o600)
}

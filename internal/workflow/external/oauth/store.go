package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/oauth2"

	"github.com/callsheet/callsheet/internal/storage/atomicfile"
	"github.com/callsheet/callsheet/internal/storage/filelock"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// Grant is the result of a login: the token and what refreshing it needs.
type Grant struct {
	TokenURL     string           `json:"tokenUrl"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle"`
	Scopes       []string         `json:"scopes,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

// Store stores grants in the state directory, encrypted under the operator's key. A file is
// bound to its alias and URL: moved or renamed, it cannot be decrypted.
type Store struct {
	Dir    statedir.Dir
	Sealer *seal.Sealer
}

// sealPurpose returns the purpose under which a grant is encrypted.
func sealPurpose(alias, address string) string { return "token " + alias + "\x00" + address }

func (t *Store) path(alias, address string) string {
	sum := sha256.Sum256([]byte(alias + "\x00" + address))
	return t.Dir.Path("external", "tokens", hex.EncodeToString(sum[:16]))
}

// Load returns the grant of a server, or nil before a login.
func (t *Store) Load(alias, address string) (*Grant, error) {
	data, err := os.ReadFile(t.path(alias, address))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	plain, err := t.Sealer.Open(sealPurpose(alias, address), data)
	if errors.Is(err, seal.ErrNotOpened) {
		return nil, fmt.Errorf("read the token: %w; provide the key that encrypted it, or log in again", err)
	}
	if err != nil {
		return nil, err
	}
	var g Grant
	if err := json.Unmarshal(plain, &g); err != nil || g.Token == nil {
		return nil, errors.New("read the token: invalid content; log in again")
	}
	return &g, nil
}

// Save encrypts and keeps the grant of a server.
func (t *Store) Save(alias, address string, g *Grant) error {
	plain, err := json.Marshal(g) //nolint:gosec // it is encrypted before it goes anywhere
	if err != nil {
		return fmt.Errorf("encode the token: %w", err)
	}
	out, err := t.Sealer.Seal(sealPurpose(alias, address), plain)
	if err != nil {
		return err
	}
	if _, err := t.Dir.Make("external", "tokens"); err != nil {
		return err
	}
	if err := atomicfile.Write(t.path(alias, address), out, 0o600); err != nil {
		return fmt.Errorf("write the token: %w", err)
	}
	return nil
}

// WithLock runs f while no other process refreshes the token of the server. If two refresh at once,
// each invalidates the other's refresh token.
func (t *Store) WithLock(ctx context.Context, alias, address string, f func() error) error {
	path := t.path(alias, address) + ".lock"
	if _, err := t.Dir.Make("external", "tokens"); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock the token: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := filelock.Wait(ctx, file); err != nil {
		return fmt.Errorf("lock the token: %w", err)
	}
	return f()
}

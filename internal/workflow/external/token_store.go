package external

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/oauth2"

	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// grant is what a login brought: a token and all that renewing it takes.
type grant struct {
	TokenURL     string           `json:"tokenUrl"`
	ClientID     string           `json:"clientId"`
	ClientSecret string           `json:"clientSecret,omitempty"`
	AuthStyle    oauth2.AuthStyle `json:"authStyle"`
	Scopes       []string         `json:"scopes,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

// tokenStore keeps grants in the state directory, sealed under the operator's key. A file is bound to the alias and the address
// it was made for: moved or renamed, it does not open.
type tokenStore struct {
	dir    statedir.Dir
	sealer *seal.Sealer
}

// sealPurpose is what a grant is sealed for.
func sealPurpose(alias, address string) string { return "token " + alias + "\x00" + address }

func (v *tokenStore) path(alias, address string) string {
	sum := sha256.Sum256([]byte(alias + "\x00" + address))
	return v.dir.Path("external", "tokens", hex.EncodeToString(sum[:16]))
}

// load gives the grant of a server, or nil when there was no login.
func (v *tokenStore) load(alias, address string) (*grant, error) {
	data, err := os.ReadFile(v.path(alias, address))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	plain, err := v.sealer.Open(sealPurpose(alias, address), data)
	if errors.Is(err, seal.ErrNotOpened) {
		return nil, fmt.Errorf("read the token: %w; give the key it was kept with, or log in again", err)
	}
	if err != nil {
		return nil, err
	}
	var g grant
	if err := json.Unmarshal(plain, &g); err != nil || g.Token == nil {
		return nil, errors.New("read the token: its content is broken; log in again")
	}
	return &g, nil
}

func (v *tokenStore) store(alias, address string, g *grant) error {
	plain, err := json.Marshal(g) //nolint:gosec // it is encrypted before it goes anywhere
	if err != nil {
		return fmt.Errorf("encode the token: %w", err)
	}
	out, err := v.sealer.Seal(sealPurpose(alias, address), plain)
	if err != nil {
		return err
	}
	if _, err := v.dir.Make("external", "tokens"); err != nil {
		return err
	}
	return writeFile(v.path(alias, address), out, 0o600)
}

// withLock runs f while no other process does so for the same server: two that renew at once would each make the
// other's refresh token worthless.
func (v *tokenStore) withLock(alias, address string, f func() error) error {
	path := v.path(alias, address) + ".lock"
	if _, err := v.dir.Make("external", "tokens"); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock the token: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := flock(file); err != nil {
		return fmt.Errorf("lock the token: %w", err)
	}
	return f()
}

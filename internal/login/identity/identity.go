// Package identity stores logins of one origin, cookies and web storage, encrypted with the
// operator's key.
//
// It must not know browsers, and must not print the content of a login.
package identity

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/principal"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// Cookie is one cookie, as the browser describes it.
type Cookie struct {
	Name     string    `json:"name"`
	Value    string    `json:"value"`
	Domain   string    `json:"domain"`
	Path     string    `json:"path"`
	Expires  time.Time `json:"expires,omitzero"`
	HTTPOnly bool      `json:"httpOnly,omitempty"`
	Secure   bool      `json:"secure,omitempty"`
	SameSite string    `json:"sameSite,omitempty"`
}

// Context is a login: the cookies and web storage of one origin.
type Context struct {
	Origin  string            `json:"origin"`
	Saved   time.Time         `json:"saved"`
	Cookies []Cookie          `json:"cookies"`
	Local   map[string]string `json:"local"`   // localStorage; nil if it was not exported
	Session map[string]string `json:"session"` // sessionStorage; nil if it was not exported
}

// Store holds the encrypted contexts in the state directory.
type Store struct {
	dir    statedir.Dir
	sealer *seal.Sealer
	owner  string // directory of a principal that is not the operator; "" is the operator
}

// New returns the store of a state directory. It reads and creates no files.
func New(dir statedir.Dir, sealer *seal.Sealer) *Store { return &Store{dir: dir, sealer: sealer} }

// Of returns the store of the principal on whose behalf a call is made.
func (s *Store) Of(ctx context.Context) *Store {
	own := *s
	own.owner = principal.Of(ctx).String
	return &own
}

// ErrUnknown is returned for an id under which the principal saved no context.
var ErrUnknown = fault.New(codes.NotFound, "no state was exported under this id")

const (
	directory = "contexts"
	extension = ".sealed"
	// contextLimit is the most stored contexts. Older ones are removed, because each is a login
	// that may be forgotten.
	contextLimit = 50
)

// idPattern matches texts of crypto/rand.Text.
var idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z2-7]{26}$`) })

// Origin returns the origin of an http or https URL. Other URLs have no cookies and are an error.
func Origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fault.New(codes.Failed, fmt.Sprintf("%q has no cookies; open an http or https page first", address))
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// Save encrypts and stores a context and returns its id.
func (s *Store) Save(p power.Secret, saved Context) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	text, err := json.Marshal(saved)
	if err != nil { // texts and times always marshal
		return "", fmt.Errorf("encode the context: %w", err)
	}
	name := rand.Text()
	sealed, err := s.sealer.Seal(purpose(name), text)
	if err != nil {
		return "", err
	}
	dir, err := s.dir.Make(directory, s.owner)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name+extension)
	if err := os.WriteFile(path+".part", sealed, 0o600); err != nil {
		return "", errors.Join(fmt.Errorf("save the context: %w", err), ignoreMissing(os.Remove(path+".part")))
	}
	if err := os.Rename(path+".part", path); err != nil {
		return "", fmt.Errorf("save the context: %w", err)
	}
	removeOldest(dir)
	return name, nil
}

// Load returns the context with an id. The errors are ErrUnknown and those of package seal.
func (s *Store) Load(p power.Secret, name string) (Context, error) {
	if err := p.Check(); err != nil {
		return Context{}, err
	}
	var out Context
	if !idPattern().MatchString(name) {
		return out, ErrUnknown
	}
	sealed, err := os.ReadFile(s.dir.Path(directory, s.owner, name+extension))
	if errors.Is(err, fs.ErrNotExist) {
		return out, ErrUnknown
	}
	if err != nil {
		return out, fmt.Errorf("read context %s: %w", name, err)
	}
	text, err := s.sealer.Open(purpose(name), sealed)
	if err != nil {
		return out, fmt.Errorf("read context %s: %w", name, err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return out, fault.New(codes.Failed, fmt.Sprintf("read context %s: it holds something else", name))
	}
	return out, nil
}

func purpose(name string) string { return "context " + name }

// removeOldest removes the oldest contexts beyond contextLimit. It ignores errors; the next call
// retries.
func removeOldest(dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+extension))
	if err != nil || len(files) <= contextLimit {
		return
	}
	age := func(path string) time.Time {
		info, err := os.Stat(path)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(files, func(a, b string) int { return age(a).Compare(age(b)) })
	for _, path := range files[:len(files)-contextLimit] {
		_ = os.Remove(path)
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

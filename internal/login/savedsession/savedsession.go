// Package savedsession stores the storage state and the tabs of sessions under names, in the state
// directory: encrypted where the operator has set a key, else readable by their owner only.
//
// It must not know browsers, and must not print the content of a session.
package savedsession

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/login/statefile"
	"github.com/callsheet/callsheet/internal/storage/atomicfile"
	"github.com/callsheet/callsheet/internal/storage/principal"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// Session is a saved session.
type Session struct {
	Saved time.Time       `json:"saved"`
	State statefile.State `json:"state"`
	Tabs  []Tab           `json:"tabs"`
}

// Tab is a tab that was open, by its address.
type Tab struct {
	URL     string `json:"url"`
	Current bool   `json:"current,omitempty"`
}

// Info describes a saved session without its values.
type Info struct {
	Name      string
	Saved     time.Time
	Encrypted bool
	Origins   []string // nil where the session does not open with the present key
	Tabs      int
	Err       error // why the session cannot be read, or nil
}

// Store holds the saved sessions of one principal in a state directory.
type Store struct {
	dir    statedir.Dir
	sealer *seal.Sealer
	owner  string // directory of a principal that is not the operator; "" is the operator
}

// New returns the store of the operator in a state directory. It reads and creates no files.
func New(dir statedir.Dir, sealer *seal.Sealer) *Store { return &Store{dir: dir, sealer: sealer} }

// errAnonymous refuses principals that prove nothing: what one saves, all the others could restore.
var errAnonymous = fault.New(codes.PolicyDenied, "sessions are saved for a principal, and nothing proves who this client is: "+
	"its server demands no token (callsheet token add makes one); action export writes a file instead")

// For returns the store of a principal, or an error for one that could be anybody.
func (s *Store) For(name string) (*Store, error) {
	own := *s
	switch {
	case name == principal.Lines:
	case name == principal.Operator, strings.HasPrefix(name, principal.Named):
		own.owner = principal.Digest(name)
	default:
		return nil, errAnonymous
	}
	return &own, nil
}

// path returns the path of a file of the principal.
func (s *Store) path(name string) string { return s.dir.Path(directory, s.owner, name) }

const (
	directory = "sessions"
	sealedExt = ".sealed"
	plainExt  = ".json"
)

// ValidName reports whether a session may have this name: 1 to 64 of A-Z a-z 0-9 . _ -, the first no
// dot.
func ValidName(name string) bool {
	const others = "._-"
	strange := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	}
	return name != "" && len(name) <= 64 && name[0] != '.' && !strings.ContainsFunc(name, strange)
}

func checkName(name string) error {
	if !ValidName(name) {
		return fault.New(codes.InvalidArguments, "the name of a session is 1 to 64 of A-Z a-z 0-9 . _ -, and begins with no dot")
	}
	return nil
}

// ErrUnknown is wrapped by the error for a name under which no session was saved.
var ErrUnknown = fault.New(codes.NotFound, "no session was saved under this name")

// Save stores a session under a name in place of an earlier one, and reports whether it is
// encrypted. A key that cannot be used is an error: the session is not stored readable then.
func (s *Store) Save(p power.Secret, name string, session Session) (encrypted bool, err error) {
	if err := errors.Join(p.Check(), checkName(name)); err != nil {
		return false, err
	}
	text, err := json.Marshal(session)
	if err != nil {
		return false, fmt.Errorf("encode session %s: %w", name, err)
	}
	kept, gone := plainExt, sealedExt
	switch keyErr := s.sealer.CheckKey(); {
	case keyErr == nil:
		if text, err = s.sealer.Seal(s.purpose(name), text); err != nil {
			return false, err
		}
		kept, gone = sealedExt, plainExt
	case !errors.Is(keyErr, seal.ErrNoKey):
		return false, keyErr
	}
	dir, err := s.dir.Make(filepath.Join(directory, s.owner))
	if err != nil {
		return false, err
	}
	if err := atomicfile.Write(filepath.Join(dir, name+kept), text, 0o600); err != nil {
		return false, fmt.Errorf("save session %s: %w", name, err)
	}
	return kept == sealedExt, ignoreMissing(os.Remove(filepath.Join(dir, name+gone)))
}

// Load returns the session of a name. The errors wrap ErrUnknown, or are those of package seal.
func (s *Store) Load(p power.Secret, name string) (Session, error) {
	if err := errors.Join(p.Check(), checkName(name)); err != nil {
		return Session{}, err
	}
	text, sealed, err := s.read(name)
	if err != nil {
		return Session{}, err
	}
	if sealed {
		if text, err = s.sealer.Open(s.purpose(name), text); err != nil {
			return Session{}, fmt.Errorf("read session %s: %w", name, err)
		}
	}
	var out Session
	if err := json.Unmarshal(text, &out); err != nil {
		return Session{}, fault.New(codes.Failed, fmt.Sprintf("read session %s: the file holds something else", name))
	}
	return out, nil
}

// read returns the file of a session.
func (s *Store) read(name string) (text []byte, sealed bool, err error) {
	for _, ext := range []string{sealedExt, plainExt} {
		text, err := os.ReadFile(s.path(name + ext))
		if err == nil {
			return text, ext == sealedExt, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, false, fmt.Errorf("read session %s: %w", name, err)
		}
	}
	return nil, false, fmt.Errorf("session %s: %w", name, ErrUnknown)
}

// List describes the saved sessions in the order of their names.
func (s *Store) List(p power.Secret) ([]Info, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(s.path(""))
	if err != nil {
		return nil, ignoreMissing(err)
	}
	var out []Info
	for _, f := range files {
		name, sealed := strings.CutSuffix(f.Name(), sealedExt)
		if !sealed {
			name = strings.TrimSuffix(f.Name(), plainExt)
		}
		if name == f.Name() || !ValidName(name) {
			continue
		}
		info := Info{Name: name, Encrypted: sealed}
		session, err := s.Load(p, name)
		if err != nil {
			info.Err = err
		} else {
			info.Saved, info.Origins, info.Tabs = session.Saved, session.State.OriginNames(), len(session.Tabs)
		}
		out = append(out, info)
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Remove deletes the session of a name. The error for an unknown one wraps ErrUnknown.
func (s *Store) Remove(p power.Secret, name string) error {
	if err := errors.Join(p.Check(), checkName(name)); err != nil {
		return err
	}
	removed := false
	for _, ext := range []string{sealedExt, plainExt} {
		err := os.Remove(s.path(name + ext))
		if removed = removed || err == nil; ignoreMissing(err) != nil {
			return fmt.Errorf("remove session %s: %w", name, err)
		}
	}
	if !removed {
		return fmt.Errorf("session %s: %w", name, ErrUnknown)
	}
	return nil
}

// purpose binds a file to its name and its principal.
func (s *Store) purpose(name string) string {
	return strings.TrimSpace("session " + name + " " + s.owner)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

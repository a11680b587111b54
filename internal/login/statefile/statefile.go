// Package statefile reads and writes the storage state of a browser context in Playwright's format:
// cookies, and the localStorage and IndexedDB databases of each origin.
//
// The format has no sessionStorage. The package must not know browsers, and its errors must not
// repeat a value of a state, because a state holds logins.
package statefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/internal/storage/atomicfile"
)

// State is the storage state of a browser context.
type State struct {
	Cookies []Cookie `json:"cookies"`
	Origins []Origin `json:"origins"`
}

// Cookie is one cookie.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"` // with a leading dot if subdomains get the cookie too
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // in Unix seconds; -1 for a session cookie
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite"` // Strict, Lax or None
	// PartitionKey is the site of the top-level page of a partitioned cookie (CHIPS), or "".
	PartitionKey string `json:"partitionKey,omitempty"`
	// CrossSiteAncestor reports that the cookie was set below a frame of another site than
	// PartitionKey; nil where the file does not say.
	CrossSiteAncestor *bool `json:"_crHasCrossSiteAncestor,omitempty"`
}

// Origin is the storage of one origin.
type Origin struct {
	Origin       string     `json:"origin"`
	LocalStorage []Item     `json:"localStorage"`
	IndexedDB    []Database `json:"indexedDB,omitempty"`
}

// Item is one key of localStorage.
type Item struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Database is an IndexedDB database.
type Database struct {
	Name    string            `json:"name"`
	Version int               `json:"version"`
	Stores  []json.RawMessage `json:"stores"` // as Playwright writes them
}

// maxBytes bounds a state file.
const maxBytes = 256 << 20

// Read reads and checks a file. The error names the file, and the position or the field of what is
// wrong.
func Read(path string) (State, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxBytes {
		err = fmt.Errorf("%s has more than %d bytes", path, maxBytes)
	}
	if err != nil {
		return State{}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return State{}, err
	}
	state, err := Parse(text)
	if err != nil {
		return State{}, fmt.Errorf("%s:%w", path, err)
	}
	return state, nil
}

// Parse decodes and checks a state. Unknown fields are ignored. The text of the error begins with
// line:column.
func Parse(text []byte) (State, error) {
	var state State
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&state); err != nil {
		return State{}, explain(text, decoder.InputOffset(), err)
	}
	if rest := bytes.TrimSpace(text[decoder.InputOffset():]); len(rest) > 0 {
		return State{}, fmt.Errorf("%s: text follows the state", position(text, int64(len(text)-len(rest))))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields["cookies"] == nil && fields["origins"] == nil {
		return State{}, errors.New("1:1: this is no storage state: it has neither cookies nor origins")
	}
	if err := state.check(); err != nil {
		return State{}, fmt.Errorf("1:1: %w", err)
	}
	return state, nil
}

// explain adds the position to a decoding error, without a value of the text.
func explain(text []byte, offset int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: this is no JSON: %s", position(text, syntax.Offset-1), syntax.Error())
	case errors.As(err, &kind):
		field := kind.Field
		if field == "" {
			field = "the state"
		}
		value, _, _ := strings.Cut(kind.Value, " ") // "number 12" becomes "number"
		return fmt.Errorf("%s: %s has the wrong type, %s", position(text, kind.Offset-1), field, value)
	}
	return fmt.Errorf("%s: this is no JSON: it ends too early", position(text, max(offset, int64(len(text)))))
}

// position returns line:column of an offset, both from 1.
func position(text []byte, offset int64) string {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte("\n"))
	return fmt.Sprintf("%d:%d", line+1, len(before)-bytes.LastIndexByte(before, '\n'))
}

// check returns the first mistake that decoding does not find.
func (s State) check() error {
	for i, c := range s.Cookies {
		at := fmt.Sprintf("cookies[%d]", i)
		switch {
		case c.Name == "" && c.Value == "":
			return fmt.Errorf("%s has neither name nor value", at)
		case c.Domain == "":
			return fmt.Errorf("%s.domain is missing", at)
		case !strings.HasPrefix(c.Path, "/"):
			return fmt.Errorf("%s.path must begin with /", at)
		case c.SameSite != "" && c.SameSite != "Strict" && c.SameSite != "Lax" && c.SameSite != "None":
			return fmt.Errorf("%s.sameSite must be Strict, Lax or None", at)
		}
	}
	for i, o := range s.Origins {
		u, err := url.Parse(o.Origin)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != o.Origin {
			return fmt.Errorf("origins[%d].origin must be scheme://host of http or https, without a path", i)
		}
		for j, d := range o.IndexedDB {
			if d.Version < 1 {
				return fmt.Errorf("origins[%d].indexedDB[%d].version must be at least 1", i, j)
			}
		}
	}
	return nil
}

// Encode returns the state as Playwright writes it.
func (s State) Encode() ([]byte, error) {
	if s.Cookies == nil {
		s.Cookies = []Cookie{}
	}
	if s.Origins == nil {
		s.Origins = []Origin{}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the storage state: %w", err)
	}
	return append(text, '\n'), nil
}

// Write replaces a file, which only its owner may read, at once. Symbolic links are followed.
func Write(path string, s State) error {
	text, err := s.Encode()
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := atomicfile.Write(path, text, 0o600); err != nil {
		return fmt.Errorf("write the storage state: %w", err)
	}
	return nil
}

package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
)

// Transport is how a server is spoken to.
type Transport string

// The transports.
const (
	Stdio      Transport = "stdio"
	HTTP       Transport = "http"            // Streamable HTTP, and HTTP with server-sent events if the server knows no better
	Streamable Transport = "streamable-http" // Streamable HTTP alone
	SSE        Transport = "sse"             // HTTP with server-sent events (2024-11-05) alone
)

// Protocol is which era of the protocol a server is spoken to in.
type Protocol string

// The protocols.
const (
	Auto   Protocol = "auto"       // ask; fall back to a session
	Legacy Protocol = "legacy"     // a session (revisions up to 2025-11-25)
	Modern Protocol = "2026-07-28" // stateless, without a fallback
)

// The times and bounds of an entry that names none.
const (
	DefaultTimeout        = 2 * time.Minute
	DefaultStartupTimeout = time.Minute
	DefaultMaxResult      = 16 << 20
)

// Server is one entry, as written: variables are not expanded yet. Use Resolve.
type Server struct {
	Alias    string
	Pos      diag.Pos
	Dir      string   // of the file, absolute: what a relative cwd is relative to
	ValuePos diag.Pos // of the entry's value

	Transport Transport
	Command   []Text // and its arguments
	Cwd       Text
	Env       map[string]Text
	URL       Text
	Headers   map[string]Text

	BearerToken Text
	OAuth       OAuth
	Protocol    Protocol

	Description    string
	Timeout        time.Duration // of a call without progress
	StartupTimeout time.Duration // until the server has told its tools
	MaxResult      int           // bytes of one message from the server
	MaxConcurrency int           // calls at a time; 0 is any number
	Stateful       bool          // one call changes what the next one finds, as with a browser
	Idle           time.Duration // how long an unused server is kept; 0 is for good
	Allowed        []string      // the only tools, when not nil
	Blocked        []string      // tools that do not exist for us
	Disabled       bool

	problems diag.List
}

// OAuth is how a login is made.
type OAuth struct {
	IsRequired        bool
	ClientName        string
	Scope             string
	RedirectURL       Text
	ClientID          Text
	ClientSecret      Text
	ClientMetadataURL Text
}

// Err is what is wrong with the entry, or nil. Nothing can be done with a wrong entry but to say so.
func (s *Server) Err() error {
	if !s.problems.HasErrors() {
		return nil
	}
	var lines []string
	for _, d := range s.problems.Sorted() {
		if d.Severity == diag.Error {
			line := fmt.Sprintf("%s: %s", d.Pos, d.Message)
			if d.Hint != "" {
				line += "; " + d.Hint
			}
			lines = append(lines, line)
		}
	}
	return fmt.Errorf("%s", strings.Join(lines, "\n"))
}

// Allows reports whether the entry lets a tool be used.
func (s *Server) Allows(tool string) bool {
	if s.Allowed != nil {
		return slices.Contains(s.Allowed, tool)
	}
	return !slices.Contains(s.Blocked, tool)
}

// Hash identifies what decides a server's tools: the entry as written. Neither variables' values nor the environment are
// in it, so a catalog found under it tells no secret and is found without one.
func (s *Server) Hash() string {
	texts := func(m map[string]Text) [][2]string {
		var out [][2]string
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out = append(out, [2]string{k, m[k].Raw})
		}
		return out
	}
	command := make([]string, len(s.Command))
	for i, t := range s.Command {
		command[i] = t.Raw
	}
	data, _ := json.Marshal([]any{"1", s.Alias, s.Dir, s.Transport, command, s.Cwd.Raw, texts(s.Env), s.URL.Raw, texts(s.Headers), s.Protocol}) // strings always encode
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Problems are the diagnostics of the entry.
func (s *Server) Problems() diag.List { return s.problems }

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
	"github.com/callsheet/callsheet/gen/slicesx"
)

// Transport is the MCP transport of a server.
type Transport string

// The transports.
const (
	Stdio      Transport = "stdio"
	HTTP       Transport = "http"            // Streamable HTTP, else HTTP with server-sent events
	Streamable Transport = "streamable-http" // only Streamable HTTP
	SSE        Transport = "sse"             // only HTTP with server-sent events (2024-11-05)
)

// Protocol is the era of the MCP protocol.
type Protocol string

// The protocols.
const (
	Auto   Protocol = "auto"       // probe; fall back to a session
	Legacy Protocol = "legacy"     // a session (revisions up to 2025-11-25)
	Modern Protocol = "2026-07-28" // stateless, without a fallback
)

// Defaults of an entry.
const (
	DefaultTimeout        = 2 * time.Minute
	DefaultStartupTimeout = time.Minute
	DefaultMaxResult      = 16 << 20
)

// Server is one entry as written, with unexpanded variables; see Resolve.
type Server struct {
	Alias    string
	Pos      diag.Pos
	Dir      string   // absolute directory of the file, the base of a relative cwd
	ValuePos diag.Pos // position of the entry's value

	Transport Transport
	Command   []Text // with its arguments
	Cwd       Text
	Env       map[string]Text
	URL       Text
	Headers   map[string]Text

	BearerToken Text
	OAuth       OAuth
	Protocol    Protocol

	Description    string
	Timeout        time.Duration // of a call without progress
	StartupTimeout time.Duration // until the server has listed its tools
	MaxResult      int           // bytes of one message from the server
	MaxConcurrency int           // concurrent calls; 0 means unlimited
	Stateful       bool          // a call changes what later calls see, as in a browser
	Idle           time.Duration // how long an unused server keeps running; 0 means forever
	Allowed        []string      // the only allowed tools, if not nil
	Blocked        []string      // excluded tools
	Disabled       bool

	problems diag.List
}

// OAuth has the options of a login.
type OAuth struct {
	IsRequired        bool
	ClientName        string
	Scope             string
	RedirectURL       Text
	ClientID          Text
	ClientSecret      Text
	ClientMetadataURL Text
}

// Err returns the errors of the entry, or nil. An entry with an error is unusable.
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

// Hash identifies a server by its entry as written, which decides its tools. Neither variables' values
// nor the environment are in it, so a catalog found under it tells no secret and is found without
// one.
func (s *Server) Hash() string {
	texts := func(m map[string]Text) [][2]string {
		return slicesx.Map(slices.Sorted(maps.Keys(m)), func(k string) [2]string { return [2]string{k, m[k].Raw} })
	}
	command := slicesx.List(s.Command, func(t Text) string { return t.Raw })
	data, _ := json.Marshal([]any{"1", s.Alias, s.Dir, s.Transport, command, s.Cwd.Raw, texts(s.Env), s.URL.Raw, texts(s.Headers), s.Protocol}) // strings always encode
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Problems returns the diagnostics of the entry.
func (s *Server) Problems() diag.List { return s.problems }

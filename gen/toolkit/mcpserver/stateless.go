package mcpserver

import (
	"crypto/rand"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// static is the session of stateless requests of one principal.
type static struct {
	session   *toolkit.Session
	principal string
	used      time.Time
	calls     int  // under way
	begun     int  // since the start
	issued    bool // its handle is the only way to it
}

const (
	// StateName is the default of Options.StateHeader and of Options.StateMeta.
	StateName = "Mcp-State"

	maxName   = 64
	idleLimit = time.Hour   // after which a session of stateless requests ends
	onceLimit = time.Minute // the same for a session with one request, where there are too many
)

// stateless identifies the caller of a stateless request: its session and its principal.
type stateless struct {
	key       string // of the session; "" is one for this request alone
	id        string // of a new session; "" is a random one
	principal string
	issued    string // a new handle, which the response has; "" is none
	known     bool   // the session must exist
}

// principalKeys begins the keys of sessions of principals that have a token.
const principalKeys = "principal/"

// Principals of callers that are not known by a token.
const (
	principalLines   = "stdio"   // the client of a connection of lines
	principalSession = "session" // who opened a session over HTTP
	principalHandle  = "handle"  // who was given a handle
)

// ofLines tells the caller of a stateless request over lines: the connection, which may name more
// sessions of its own. Clients that share the server's sessions name them for all of them.
func (s *Server) ofLines(c *client, meta map[string]any) (stateless, error) {
	name := ""
	if v, ok := meta[s.opt.StateMeta]; ok {
		if name, ok = v.(string); !ok || !validName(name) {
			return stateless{}, invalidParams(s.opt.StateMeta + " must be 1 to 64 of A-Z a-z 0-9 . _ -")
		}
	}
	switch {
	case !c.shared && name == "":
		return stateless{key: c.session.ID, id: c.session.ID, principal: s.opt.Principal}, nil
	case !c.shared:
		return stateless{key: c.session.ID + "/" + name, principal: s.opt.Principal}, nil
	case name == "":
		name = c.session.ID
	}
	return stateless{key: "/" + name, id: name, principal: s.opt.Principal}, nil
}

// newID returns the ID of a session that no caller can guess.
func newID() string { return "s-" + rand.Text() }

func invalidParams(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return len(name) >= 1 && len(name) <= maxName
}

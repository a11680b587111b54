package session

import (
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// connectionList is the connections of one client in creation order. The first is Default.
type connectionList []*Connection

// find returns the connection with this id, or nil.
func (l connectionList) find(id string) *Connection {
	for _, c := range l {
		if c.id == id {
			return c
		}
	}
	return nil
}

// unknownError returns the error for an unknown id.
func (l connectionList) unknownError(id string) error {
	known := slicesx.Map(l, func(c *Connection) string { return c.id })
	return fault.Errorf(codes.NotFound, "unknown connection %q; there are: %s", id, strings.Join(known, ", ")).With("connections", known)
}

// checkLimit returns an error if the client has the maximum of workers or of other connections.
func (l connectionList) checkLimit(workers bool) error {
	count := 0
	for _, c := range l {
		if (c.kind == Worker || c.kind == Isolated) == workers {
			count++
		}
	}
	switch {
	case workers && count >= maxWorkers:
		return fault.Errorf(codes.Failed, "there are %d workers already, which is the most; end some first", maxWorkers)
	case !workers && count >= maxConnections:
		return fault.Errorf(codes.Failed, "there are %d connections already, which is the most; disconnect one first", maxConnections)
	}
	return nil
}

// firstConnected returns the first connection with a running browser other than except, or nil.
func (l connectionList) firstConnected(except *Connection) *Connection {
	for _, c := range l {
		if c != except && c.Session().Connected() {
			return c
		}
	}
	return nil
}

// unusedID returns the first of prefix1, prefix2 … that no connection has.
func (l connectionList) unusedID(prefix string) string {
	for n := 1; ; n++ {
		if id := prefix + strconv.Itoa(n); l.find(id) == nil {
			return id
		}
	}
}

// ofRun returns the open workers of a parallel run by id; none of "".
func (l connectionList) ofRun(owner string) map[string]*Connection {
	out := make(map[string]*Connection)
	for _, c := range l {
		if owner != "" && c.owner == owner {
			out[c.id] = c
		}
	}
	return out
}

// Package server has Callsheet's own additions to the protocol adapter: what it tells models about
// itself, its artifacts as resources, and which stateless callers share a session.
//
// It must not know the protocol (gen/toolkit/mcpserver does), how it is served over HTTP
// (gen/toolkit/httpserver does), browsers, or how flags are written.
package server

import (
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// DefaultAddress is the default address of the HTTP server.
const DefaultAddress = "127.0.0.1:9876"

// SessionOf gives stateless clients without a token or a handle a session by their name: most of
// them can send neither, and could not act on what they have opened otherwise. What they say of
// themselves proves nothing, so only a token keeps apart two that say the same. Scripts, which say
// nothing, share nothing: each call has a session of its own until it sends the handle of one.
func SessionOf(c mcpserver.Caller) string {
	if c.Bare || c.Name == "" {
		return ""
	}
	return c.Name + "/" + c.Version + " " + c.UserAgent
}

package server

import "github.com/callsheet/callsheet/gen/toolkit/mcpserver"

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

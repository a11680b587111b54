// Package host is the interface between a served site and the server around it.
//
// The composition root knows sites by it alone. It must not know how a site is compiled or run.
package host

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// Host is the server around a site.
type Host struct {
	Sessions  session.Lookup
	Artifacts *artifact.Store
	// Redact takes secrets out of a text.
	Redact func(string) string
	// Guard wraps the handler of a tool as every handler is wrapped, such as by the policy. It changes the tool.
	Guard func(*toolkit.Tool)
	// Refusal makes a refusal of an error.
	Refusal func(*toolkit.Call, error) error
	// Update serves other rows of an area in place of those that it has.
	Update func(area string, rows []toolkit.Tool) error
}

// Site offers tools beside those of the server, and calls the server's.
type Site interface {
	// Compose returns the registry with the tools of the site. It is called once, before Middleware.
	Compose(builtin *toolkit.Registry, h Host) (*toolkit.Registry, error)
	// Middleware is a layer around every call.
	Middleware(next toolkit.CallHandler) toolkit.CallHandler
	// EndSession drops the site's state of a session.
	EndSession(id string)
}

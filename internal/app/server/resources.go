package server

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// maxResource bounds what is sent as a resource, in bytes: it is in memory at once, and grows by a
// third on the wire.
const maxResource = 10 << 20

// Resources shows each client its own artifacts.
type Resources struct{ Store *artifact.Store }

// Template describes artifacts in general.
func (r Resources) Template() toolkit.Link {
	return toolkit.Link{URI: artifact.Scheme + "{id}", Name: "artifact", Description: "A file that a tool has made."}
}

// List describes the artifacts of a session, newest first.
func (r Resources) List(session string) ([]toolkit.Link, error) {
	all, err := r.Store.List(session)
	links := make([]toolkit.Link, len(all))
	for i, a := range all {
		links[len(all)-1-i] = toolkit.Link{URI: a.URI(), Name: a.Name, MIME: a.MIME, Size: a.Size}
	}
	return links, err
}

// Read returns an artifact of the session. What is too large is refused with its path, where a
// client on this machine finds it.
func (r Resources) Read(session, uri string) (toolkit.Link, []byte, error) {
	id, ok := strings.CutPrefix(uri, artifact.Scheme)
	if !ok {
		return toolkit.Link{}, nil, fs.ErrNotExist
	}
	a, f, err := r.Store.Open(id)
	if err != nil {
		return toolkit.Link{}, nil, err
	}
	defer func() { _ = f.Close() }() // reading handle: nothing is lost
	if a.Session != session {
		return toolkit.Link{}, nil, fs.ErrNotExist
	}
	if a.Size > maxResource {
		return toolkit.Link{}, nil, toolkit.Refuse(toolkit.BudgetExceeded,
			fmt.Sprintf("%s has %d bytes, and at most %d are sent; on this machine it is at %s", a.Name, a.Size, maxResource, a.Path()))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxResource))
	if err != nil {
		return toolkit.Link{}, nil, fmt.Errorf("read %s: %w", uri, err)
	}
	return toolkit.Link{URI: a.URI(), Name: a.Name, MIME: a.MIME, Size: a.Size}, data, nil
}

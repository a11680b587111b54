// Package artifact stores files that are too large for a result: screenshots, PDFs, downloads,
// traces.
//
// An artifact is a file in the state directory with a JSON record, both named by an unguessable id.
// Several processes may share the directory. An artifact outlives its process, until newer ones
// need its space. The package must not know protocols, nor permissions: it records the session of
// an artifact, and callers decide who may read it.
package artifact

import (
	"fmt"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Scheme begins the URI of every artifact.
const Scheme = "callsheet://artifact/"

// ErrTooLarge is wrapped by the error for an artifact that alone exceeds the limit of the store.
var ErrTooLarge = fault.New(codes.Failed, "larger than all artifacts may be together")

// Meta describes a new artifact.
type Meta struct {
	Name    string // file name such as "page.png"; CleanName applies
	MIME    string // "" means application/octet-stream
	Session string // id of the owning session
	Source  string // what it was made from, in the terms of the package that owns it; "" for none
}

// Artifact is a stored file.
type Artifact struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	MIME    string    `json:"mime"`
	Session string    `json:"session"`
	Size    int64     `json:"size"` // bytes
	Created time.Time `json:"created"`
	Source  string    `json:"source,omitempty"`

	path string
}

// URI returns the URI of the artifact as an MCP resource.
func (a Artifact) URI() string { return Scheme + a.ID }

// Path returns the absolute path of the file. Callers must not change the file.
func (a Artifact) Path() string { return a.path }

// Line returns the artifact in one line: page.png image/png 12345 bytes callsheet://artifact/….
func (a Artifact) Line() string {
	return fmt.Sprintf("%s %s %d bytes %s", a.Name, a.MIME, a.Size, a.URI())
}

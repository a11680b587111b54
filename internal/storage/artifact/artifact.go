// Package artifact keeps what is too large for an answer, or is a file by nature: pictures, prints, downloads, traces.
//
// An artifact is a file under the state directory with a small record beside it, named by an id that nobody can guess.
// Several processes may share the directory. It outlives them all, until newer artifacts need its room. The package must
// not know protocols, nor who may read what: it says whose an artifact is, and callers decide.
package artifact

import (
	"fmt"
	"time"

	"github.com/callsheet/callsheet/internal/fault"
)

// Scheme is what the address of every artifact begins with.
const Scheme = "callsheet://artifact/"

// ErrTooLarge is the reason of a refused artifact that alone is larger than all may be together.
var ErrTooLarge = fault.New(fault.Failed, "larger than all artifacts may be together")

// Meta describes an artifact that is to be kept.
type Meta struct {
	Name    string // for people, such as "page.png"; a path is cut to its last element
	MIME    string // "" is application/octet-stream
	Session string // whose it is
}

// Artifact is a kept file.
type Artifact struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	MIME    string    `json:"mime"`
	Session string    `json:"session"`
	Size    int64     `json:"size"` // bytes
	Created time.Time `json:"created"`

	path string
}

// URI is the artifact's address as a resource.
func (a Artifact) URI() string { return Scheme + a.ID }

// Path is the absolute path of the file, for who runs on this machine. It must not be changed there.
func (a Artifact) Path() string { return a.path }

// Line shows the artifact in a line: page.png image/png 12345 bytes callsheet://artifact/….
func (a Artifact) Line() string {
	return fmt.Sprintf("%s %s %d bytes %s", a.Name, a.MIME, a.Size, a.URI())
}

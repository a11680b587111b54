package paramschema

import "strings"

// Entry is a tool's entry in tools/list. The order of its fields is the order on the wire.
type Entry struct {
	Name         string       `json:"name"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description"`
	InputSchema  any          `json:"inputSchema"`
	OutputSchema any          `json:"outputSchema,omitempty"`
	Annotations  *Annotations `json:"annotations,omitempty"`
}

// Annotations are the hints of the protocol. A nil one is left out.
type Annotations struct {
	ReadOnlyHint    *bool `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool `json:"openWorldHint,omitempty"`
}

// Effects are the four promises of a tool.
type Effects struct {
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// Extent says which values of a kind lists have.
type Extent string

// The extents.
const (
	DistinctEntries Extent = ""     // those that say something: a title that does not repeat the name, a hint that is not the protocol's default
	EveryEntry      Extent = "all"  // each
	NoEntry         Extent = "none" // none
)

// Title returns the title in a list. One that only repeats the name is distinct from nothing: clients show the
// name where there is no title.
func Title(which Extent, name, title string) string {
	repeats := strings.EqualFold(title, strings.ReplaceAll(name, "_", " "))
	if which == NoEntry || repeats && which != EveryEntry {
		return ""
	}
	return title
}

// Hints returns the annotations of a tool; nil when there is none to send. For a read-only tool the protocol gives
// destructiveHint and idempotentHint no meaning.
func Hints(which Extent, e Effects) *Annotations {
	switch which {
	case NoEntry:
		return nil
	case EveryEntry:
		return &Annotations{&e.ReadOnly, &e.Destructive, &e.Idempotent, &e.OpenWorld}
	case DistinctEntries:
	}
	a := Annotations{}
	if e.ReadOnly {
		a.ReadOnlyHint = new(true)
	} else if e.Idempotent {
		a.IdempotentHint = new(true)
	}
	if !e.Destructive && !e.ReadOnly {
		a.DestructiveHint = new(false)
	}
	if !e.OpenWorld {
		a.OpenWorldHint = new(false)
	}
	if a == (Annotations{}) {
		return nil
	}
	return &a
}

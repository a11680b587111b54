package recorder

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page"
)

// Eye sees the browsers of sessions. Whatever it cannot see it leaves out: looking never fails a call.
type Eye interface {
	// Open begins to look at a session's tabs, and at requests of tabs to come from their first one on.
	Open(session string) Look
}

// Look is an eye on one session.
type Look interface {
	// Before looks at what a call is about to touch.
	Before(ctx context.Context, q Question) Before
	// After looks at what it did, to the tab of b or, if Follow is set, to the tab that is current now.
	After(ctx context.Context, b Before, w Wish) After
	Close()
}

// Question is what to find out before a call. "" is what a call without that argument addresses.
type Question struct {
	Connection, Tab string
	Refs            []string
	Queries         []string // descriptions of elements
	Selectors       []string
	Typing          bool // text goes to wherever the focus is
}

// Before is what there was before a call.
type Before struct {
	Tab   string   // id; "" is none
	Tabs  []string // ids of all
	Found map[string]Found
	Focus bool // a field for secrets has the focus
	At    time.Time
	// State is the eye's own.
	State any
}

// Found is an element that a ref, a query or a selector names.
type Found struct {
	page.Identity
	Field  bool // it takes text, or another value
	Secret bool // a field for passwords, codes or card numbers
}

// Wish is what to look at after a call.
type Wish struct {
	Follow  bool
	Picture bool
	Hide    func(After) []string // texts that the picture may not show; called when the rest is known
}

// After is what there was after a call.
type After struct {
	Tab, URL     string
	Opened       []string // ids of tabs
	Requests     []Request
	RequestsLeft int
	Console      []Message
	ConsoleLeft  int
	Picture      []byte // JPEG; nil when there is none
	// What must not be kept: of fields for secrets, web storage and cookies.
	Typed, Stored, Cookies []string
}

package recorder

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page"
)

// Observer sees the browsers of sessions. Whatever it cannot see it leaves out: looking never fails a call.
type Observer interface {
	// Observe begins to look at a session's tabs, and at requests of tabs to come from their first one on.
	Observe(session string) SessionObserver
}

// SessionObserver is an eye on one session.
type SessionObserver interface {
	// Baseline looks at what a call is about to touch.
	Baseline(ctx context.Context, q BaselineOptions) Baseline
	// Effects looks at what it did, to the tab of b or, if Follow is set, to the tab that is current now.
	Effects(ctx context.Context, b Baseline, w EffectOptions) Effects
	Close()
}

// BaselineOptions is what to find out before a call. "" is what a call without that argument addresses.
type BaselineOptions struct {
	Connection, Tab string
	Refs            []string
	Queries         []string // descriptions of elements
	Selectors       []string
	TypesAtFocus    bool // text goes to wherever the focus is
}

// Baseline is what there was before a call.
type Baseline struct {
	Tab           string   // id; "" is none
	Tabs          []string // ids of all
	Matches       map[string]ElementMatch
	SecretFocused bool // a field for secrets has the focus
	Time          time.Time
	// State is the eye's own.
	State any
}

// ElementMatch is an element that a ref, a query or a selector names.
type ElementMatch struct {
	page.Identity
	IsField  bool // it takes text, or another value
	IsSecret bool // a field for passwords, codes or card numbers
}

// EffectOptions is what to look at after a call.
type EffectOptions struct {
	FollowCurrent bool
	Screenshot    bool
	HiddenTexts   func(Effects) []string // texts that the picture may not show; called when the rest is known
}

// Effects is what there was after a call.
type Effects struct {
	Tab, URL        string
	OpenedTabs      []string // ids of tabs
	Requests        []Request
	OmittedRequests int
	Console         []Message
	OmittedMessages int
	Screenshot      []byte // JPEG; nil when there is none
	// What must not be kept: of fields for secrets, web storage and cookies.
	FieldValues, StorageValues, CookieValues []string
}

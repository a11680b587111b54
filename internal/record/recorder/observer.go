package recorder

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// Observer observes the browsers of sessions. It leaves out what it cannot read: an observation
// never fails a call.
type Observer interface {
	// Observe starts to observe the tabs of a session. Requests are observed from a tab's first one
	// on.
	Observe(session string) SessionObserver
}

// SessionObserver observes one session.
type SessionObserver interface {
	// Baseline reads what a call is about to touch.
	Baseline(ctx context.Context, q BaselineOptions) Baseline
	// Effects reads what the call did to the tab of b, or to the current tab when o.FollowCurrent
	// is set.
	Effects(ctx context.Context, b Baseline, w EffectOptions) Effects
	// Close stops observing.
	Close()
}

// BaselineOptions says what to read before a call. "" stands for the connection or tab that a call
// without that argument addresses.
type BaselineOptions struct {
	Connection, Tab string
	Refs            []string
	Queries         []string // descriptions of elements
	Selectors       []string
	TypesAtFocus    bool // text goes to wherever the focus is
}

// Baseline is the state of a session before a call.
type Baseline struct {
	Tab           string   // id; "" means none
	Tabs          []string // ids of all
	Matches       map[string]ElementMatch
	SecretFocused bool // a field for secrets has the focus
	Time          time.Time
	// State belongs to the observer.
	State any
}

// ElementMatch is the element that a ref, a query or a selector matches.
type ElementMatch struct {
	locate.Identity
	IsField  bool // it takes text, or another value
	IsSecret bool // a field for passwords, codes or card numbers
}

// EffectOptions says what to read after a call.
type EffectOptions struct {
	FollowCurrent bool
	Screenshot    bool
	HiddenTexts   func(Effects) []string // texts that the picture may not show; called when the rest is known
}

// Effects is the state of a session after a call.
type Effects struct {
	Tab, URL        string
	OpenedTabs      []string // ids of tabs
	Requests        []Request
	OmittedRequests int
	Console         []Message
	OmittedMessages int
	Screenshot      []byte // JPEG; nil without one
	// FieldValues, StorageValues and CookieValues are secret: values of password and code fields,
	// of web storage and of cookies.
	FieldValues, StorageValues, CookieValues []string
}

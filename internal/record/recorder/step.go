// Package recorder records the calls of a session, step by step, so that they can be shown,
// exported, replayed and judged.
//
// A recording is append-only: a step is on disk before its call is answered, so a killed process
// loses no answered call. The package observes calls as middleware of gen/toolkit, and browsers
// through the Observer that it is given. It must not know protocols of clients, nor import
// internal/session.
package recorder

import (
	"encoding/json"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// Recording is one recording without its steps.
type Recording struct {
	ID        string     `json:"id"` // "rec-" and a time that sorts, never reused
	Session   string     `json:"session"`
	Label     string     `json:"label,omitempty"`
	StartedAt time.Time  `json:"started"`
	StoppedAt *time.Time `json:"stopped,omitempty"` // nil: it goes on, or its process was killed
	StepCount int        `json:"steps"`
	// MissedSteps counts the steps that could not be written. Only Stop sets it.
	MissedSteps int `json:"-"`
}

// Step is one call with its arguments and its outcome. It holds no secrets: arguments name secrets,
// never their values.
type Step struct {
	Seq       int             `json:"seq"` // from 1, without gaps
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"` // the JSON object of arguments, after redaction; tab ids in it are aliases
	StartedAt time.Time       `json:"at"`
	Duration  time.Duration   `json:"took"`              // ns
	Outcome   string          `json:"outcome"`           // "ok" or the code of the refusal
	Summary   string          `json:"summary,omitempty"` // the first lines of the answer

	// Tab is the alias of the tab in this recording. t1 is the first tab that was used. A replay
	// opens its own tabs.
	Tab string `json:"tab,omitempty"`
	// OpenedTabs are the aliases of the tabs that the step opened, in the order in which they
	// opened.
	OpenedTabs []string `json:"opened,omitempty"`
	URL        string   `json:"url,omitempty"` // after the step
	// Targets are the elements that arguments name, under the JSON pointer of the argument
	// ("/ref").
	Targets map[string]locate.Identity `json:"targets,omitempty"`
	// MaskedPointers are the JSON pointers of redacted arguments. A replay needs their values as
	// parameters.
	MaskedPointers []string `json:"masked,omitempty"`

	Screenshot string          `json:"screenshot,omitempty"` // artifact id
	Videos     []string        `json:"videos,omitempty"`     // artifact ids of the videos that the answer links
	Requests   []Request       `json:"requests,omitempty"`
	Console    []Message       `json:"console,omitempty"`
	Verdict    json.RawMessage `json:"verdict,omitempty"` // of an oc_assert, as internal/record/contract reports it

	// OmittedRequests and OmittedMessages count the requests and messages beyond those that the
	// step holds.
	OmittedRequests int `json:"requestsLeft,omitempty"`
	OmittedMessages int `json:"consoleLeft,omitempty"`
}

// Request is a request that the page sent during the step, without headers and bodies.
type Request struct {
	Method       string    `json:"method"`
	URL          string    `json:"url"`
	Status       int       `json:"status"`          // 0: no answer
	Error        string    `json:"error,omitempty"` // why there was none
	Kind         string    `json:"kind,omitempty"`  // document, xhr, fetch, image…
	StartedAt    time.Time `json:"at"`
	Milliseconds float64   `json:"took"` // ms
}

// Message is a console message that the page wrote during the step.
type Message struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

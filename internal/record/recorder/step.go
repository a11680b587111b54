// Package recorder keeps what a session did, step by step, so that it can be shown, exported, replayed and judged.
//
// A recording is append-only: a step is on disk before the call that made it is answered, and what a killed process had
// acknowledged is there. It must not know the protocol, and browsers only through what it is handed.
package recorder

import (
	"encoding/json"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page"
)

// Recording is one recording without its steps.
type Recording struct {
	ID        string     `json:"id"` // "rec-" and a time that sorts, never reused
	Session   string     `json:"session"`
	Label     string     `json:"label,omitempty"`
	StartedAt time.Time  `json:"started"`
	StoppedAt *time.Time `json:"stopped,omitempty"` // nil: it goes on, or its process was killed
	StepCount int        `json:"steps"`
}

// Step is one call, as it was made and as it ended. Nothing in it holds a secret: arguments name secrets, they never
// hold their values.
type Step struct {
	Seq       int             `json:"seq"` // from 1, without gaps
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"` // the JSON object of arguments, after redaction; tab ids in it are aliases
	StartedAt time.Time       `json:"at"`
	Duration  time.Duration   `json:"took"`              // ns
	Outcome   string          `json:"outcome"`           // "ok" or the code of the refusal
	Summary   string          `json:"summary,omitempty"` // the first lines of the answer

	// Tab is the tab's alias in this recording: t1 is the first that was used. A replay opens its own.
	Tab string `json:"tab,omitempty"`
	// OpenedTabs are the aliases of the tabs that the step opened, in the order in which they opened.
	OpenedTabs []string `json:"opened,omitempty"`
	URL        string   `json:"url,omitempty"` // after the step
	// Targets are the elements that the arguments name by ref, under the argument's JSON pointer ("/ref").
	Targets map[string]page.Identity `json:"targets,omitempty"`
	// MaskedPointers are JSON pointers of arguments whose value was redacted: a replay has to be given them as parameters.
	MaskedPointers []string `json:"masked,omitempty"`

	Screenshot string          `json:"screenshot,omitempty"` // artifact id
	Requests   []Request       `json:"requests,omitempty"`
	Console    []Message       `json:"console,omitempty"`
	Verdict    json.RawMessage `json:"verdict,omitempty"` // of an oc_assert, as internal/record/contract reports it

	// How many more requests and messages there were than are kept.
	OmittedRequests int `json:"requestsLeft,omitempty"`
	OmittedMessages int `json:"consoleLeft,omitempty"`
}

// Request is what the step asked of the network, without heads and bodies.
type Request struct {
	Method       string    `json:"method"`
	URL          string    `json:"url"`
	Status       int       `json:"status"`          // 0: no answer
	Error        string    `json:"error,omitempty"` // why there was none
	Kind         string    `json:"kind,omitempty"`  // document, xhr, fetch, image…
	StartedAt    time.Time `json:"at"`
	Milliseconds float64   `json:"took"` // ms
}

// Message is what the page wrote to its console during the step.
type Message struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

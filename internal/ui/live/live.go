// Package live keeps the calls of a server for a person who watches it: a timeline for each
// session, and the questions that wait for a person.
//
// It keeps nothing and costs two atomic loads and a look at the clock per call while no person watches. It must not know HTTP,
// browsers, or what any tool does.
package live

import (
	"context"
	"encoding/base64"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// maxCalls bounds the calls that are kept of a session, maxSessions the sessions.
const (
	maxCalls    = 200
	maxSessions = 256
)

// bytesPerToken is the usual estimate for English text.
const bytesPerToken = 4

// Call is one call of a tool by a client.
type Call struct {
	ID        uint64    `json:"id"`
	Session   string    `json:"session"`
	Tool      string    `json:"tool"`
	StartedAt time.Time `json:"at"`
	Arguments Arguments `json:"arguments"`
	Ended     bool      `json:"ended"`
	Duration  int64     `json:"ms"`     // in milliseconds, after the end
	Bytes     int       `json:"bytes"`  // of the result, as it is sent
	Tokens    int       `json:"tokens"` // estimate for the texts of the result; pictures do not count
	Code      string    `json:"code"`   // of the refusal; "error" for a call without a result, "" for success

	change uint64
}

// Arguments are the redacted arguments of a call.
type Arguments struct {
	Text string   `json:"text"`           // without secrets and typed texts
	Refs []string `json:"refs,omitempty"` // the elements that the call names
	Tab  string   `json:"tab,omitempty"`
}

// Hub connects the calls of a process with the people who watch. Its methods are safe for
// concurrent use.
type Hub struct {
	// Describe returns what a person may see of the arguments of a call. It is set before the first
	// call, and runs only while a person watches.
	Describe func(tool string, args []byte) Arguments

	watchers atomic.Int32

	mu        sync.Mutex
	calls     map[string][]*Call // by session, oldest first; nil while no person watches
	lastID    uint64
	change    uint64        // counts changes of calls and questions
	changed   chan struct{} // closed at the next change
	questions []*question   // oldest first
	leaving   *time.Timer   // runs after the last person has left
}

// New returns a hub without calls.
func New() *Hub { return &Hub{changed: make(chan struct{})} }

// Watch counts a person who watches until stop is called.
func (h *Hub) Watch() (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers.Add(1) == 1 {
		h.calls = make(map[string][]*Call)
	}
	return sync.OnceFunc(h.leave)
}

func (h *Hub) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers.Add(-1) > 0 {
		return
	}
	h.calls = nil
	if h.leaving != nil {
		h.leaving.Stop()
	}
	h.leaving = time.AfterFunc(graceTime, h.withdrawUnwatched)
}

// Watched reports whether a person watches.
func (h *Hub) Watched() bool { return h.watchers.Load() > 0 }

// Middleware puts calls on the timeline of their session while a person watches.
func (h *Hub) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		start := time.Now()
		if h.watchers.Load() > 0 {
			c := h.begin(v.ID, req, start)
			res, err := next(ctx, v, req)
			h.end(c, res, err)
			return res, err
		}
		res, err := next(ctx, v, req)
		if h.watchers.Load() > 0 { // a person came meanwhile, and perhaps read the journal before the call was in it
			h.end(h.begin(v.ID, req, start), res, err)
		}
		return res, err
	}
}

func (h *Hub) begin(session string, req toolkit.Request, start time.Time) *Call {
	c := &Call{Session: session, Tool: req.Tool, StartedAt: start}
	if h.Describe != nil {
		c.Arguments = h.Describe(req.Tool, req.Args)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lastID++
	c.ID = h.lastID
	h.keep(c)
	c.change = h.notify()
	return c
}

// keep has a call among those of its session. The caller holds mu.
func (h *Hub) keep(c *Call) {
	list, known := h.calls[c.Session]
	if h.calls == nil || !known && len(h.calls) >= maxSessions || slices.Contains(list, c) {
		return
	}
	if len(list) >= maxCalls {
		list = slices.Delete(list, 0, 1)
	}
	h.calls[c.Session] = append(list, c)
}

func (h *Hub) end(c *Call, res toolkit.CallResult, err error) {
	bytes, texts := size(&res)
	h.mu.Lock()
	defer h.mu.Unlock()
	c.Ended, c.Duration, c.Bytes, c.Tokens = true, time.Since(c.StartedAt).Milliseconds(), bytes, texts/bytesPerToken
	switch {
	case err != nil:
		c.Code = "error"
	case res.Ask != nil:
		c.Code = "asked"
	case res.Refused:
		c.Code = string(res.RefusalCode())
	}
	h.keep(c) // a page that opens its stream again forgets the calls that run
	c.change = h.notify()
}

// size returns the bytes of a result as it is sent, and those of its texts.
func size(res *toolkit.CallResult) (bytes, texts int) {
	if res.Raw != nil {
		return len(res.Raw), len(res.Raw)
	}
	texts = len(res.Structured)
	for i := range res.Content {
		texts += len(res.Content[i].Text)
		bytes += base64.StdEncoding.EncodedLen(len(res.Content[i].Data))
	}
	for i := range res.Links {
		texts += len(res.Links[i].URI) + len(res.Links[i].Name)
	}
	return bytes + texts, texts
}

// notify counts a change and wakes everyone who waits for one. The caller holds mu.
func (h *Hub) notify() uint64 {
	h.change++
	close(h.changed)
	h.changed = make(chan struct{})
	return h.change
}

// Changes are the changes of a session, and the state from which the next request continues.
type Changes struct {
	Calls     []Call // begun or ended since, oldest first
	Questions []Question
	At        uint64
	Next      <-chan struct{} // closed at the next change of any session
}

// Since returns the calls of a session that changed after a state, 0 for all, and the open questions of
// every session.
func (h *Hub) Since(session string, state uint64) Changes {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := Changes{At: h.change, Next: h.changed, Questions: h.openQuestions()}
	for _, c := range h.calls[session] {
		if c.change > state {
			out.Calls = append(out.Calls, *c)
		}
	}
	return out
}

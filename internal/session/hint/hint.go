// Package hint appends one sentence to a result when an agent is stuck: the agent repeats a call
// that changes nothing, gets the same refusal several times in a row, or reads a page that asks for
// a login or for a person.
//
// Hints are fixed texts in a table of rules (rules.go). They quote nothing of a page and name only
// tools that the client may call. The package must not know browsers, nor change what a call does.
package hint

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/text/fence"
)

const (
	// wallLimit is the largest text that is searched for walls, in bytes: login pages and CAPTCHAs
	// are small.
	wallLimit = 4 << 10
	// maxSessions bounds the histories in memory. The session with the oldest first call is
	// dropped.
	maxSessions = 512
)

// Middleware observes the calls of all sessions. Make it with New; it is safe for concurrent use.
type Middleware struct {
	seed maphash.Seed

	mu          sync.Mutex
	sessions    map[string]*history
	byFirstCall []string // ids of sessions in the order of their first calls
}

// history is the part of a session's past calls that decides the next hint.
type history struct {
	lastCall         uint64 // hash of the latest call and its result
	lastFailure      uint64 // hash of the latest refusal; 0 after a success
	repeatedCalls    int    // equal calls in a row
	repeatedFailures int    // equal refusals in a row
	announcedWall    string // rule id of the wall that the latest page showed; "" without one
}

// New returns a middleware without any history.
func New() *Middleware {
	return &Middleware{seed: maphash.MakeSeed(), sessions: make(map[string]*history)}
}

// Wrap implements toolkit.Middleware.
func (m *Middleware) Wrap(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		if toolkit.NestingDepth(ctx) > 0 { // a batch makes many calls without being stuck
			return next(ctx, v, req)
		}
		res, err := next(ctx, v, req)
		if err != nil || res.Ask != nil {
			return res, err
		}
		if text := m.hintFor(v, req, &res); text != "" {
			res.Content = append(slices.Clip(res.Content), toolkit.Content{Text: "hint: " + text})
		}
		return res, nil
	}
}

// hintFor records a call and returns its hint, or "".
func (m *Middleware) hintFor(v *toolkit.Session, req toolkit.Request, res *toolkit.CallResult) string {
	callHash, failureHash := m.hashes(req, res)
	traits := traitsOf(v, req.Tool)
	wall := findWall(traits, res)
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.historyOf(v.ID)
	h.repeatedCalls = countRepeats(&h.lastCall, callHash, h.repeatedCalls)
	if res.Refused {
		h.repeatedFailures = countRepeats(&h.lastFailure, failureHash, h.repeatedFailures)
	} else {
		h.repeatedFailures, h.lastFailure = 0, 0
	}
	announced := h.announcedWall
	if showsPage(traits) && !res.Refused {
		h.announcedWall = ""
		if wall != nil {
			h.announcedWall = wall.id
		}
	}
	allows := v.Surface().Allows
	switch {
	case res.Refused && h.repeatedFailures > 0 && h.repeatedFailures%repeatThreshold == 0:
		return failureRule(res.RefusalCode()).text(req.Tool, allows)
	case wall != nil && wall.id != announced:
		return wall.text(req.Tool, allows)
	case h.repeatedCalls > 0 && h.repeatedCalls%repeatThreshold == 0:
		return loopRule(traits).text(req.Tool, allows)
	}
	return ""
}

// historyOf returns the history of a session, which it creates if need be. The caller holds mu.
func (m *Middleware) historyOf(id string) *history {
	h := m.sessions[id]
	if h == nil {
		if len(m.byFirstCall) == maxSessions {
			delete(m.sessions, m.byFirstCall[0])
			m.byFirstCall = slices.Delete(m.byFirstCall, 0, 1)
		}
		h = new(history)
		m.sessions[id], m.byFirstCall = h, append(m.byFirstCall, id)
	}
	return h
}

// traitsOf returns the traits of a tool; zero if the registry has no such tool.
func traitsOf(v *toolkit.Session, name string) toolkit.Traits {
	if t := v.Surface().Tool(name); t != nil {
		return t.Traits
	}
	return toolkit.Traits{}
}

// hashes returns a hash of the call with its result, and a hash of the tool with its refusal code.
func (m *Middleware) hashes(req toolkit.Request, res *toolkit.CallResult) (call, failure uint64) {
	var h maphash.Hash
	h.SetSeed(m.seed)
	write := func(part string) {
		_, _ = h.WriteString(part) // never fails
		_ = h.WriteByte(0)
	}
	write(req.Tool)
	write(string(res.RefusalCode()))
	failure = h.Sum64()
	_, _ = h.Write(req.Args) // never fails
	for _, c := range res.Content {
		write(fence.WithoutNonce(c.Text))
		_, _ = h.Write(c.Data)
	}
	return h.Sum64(), failure
}

// countRepeats returns count+1 if hash equals *last. Otherwise it stores hash in *last and returns
// 1.
func countRepeats(last *uint64, hash uint64, count int) int {
	if *last != hash {
		*last = hash
		return 1
	}
	return count + 1
}

// findWall returns the rule of the login page or CAPTCHA that a result shows, or nil.
func findWall(traits toolkit.Traits, res *toolkit.CallResult) *rule {
	if res.Refused || !showsPage(traits) || len(res.Content) == 0 {
		return nil
	}
	if len(res.Content[0].Text) > wallLimit {
		return nil
	}
	low := strings.ToLower(res.Content[0].Text)
	for i := range walls {
		if slices.ContainsFunc(walls[i].phrases, func(p string) bool { return strings.Contains(low, p) }) {
			return &walls[i]
		}
	}
	return nil
}

// text returns the message of the rule with the first advice whose tool the client may call and has
// not just called.
func (r *rule) text(called string, allows func(string) bool) string {
	for _, a := range r.advice {
		if a.tool != called && allows(a.tool) {
			return r.message + "; " + strings.ReplaceAll(a.format, "%", a.tool)
		}
	}
	return r.message
}

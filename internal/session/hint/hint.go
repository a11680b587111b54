// Package hint adds one short sentence to a result when an agent is stuck: it repeats a call that changes nothing, meets
// the same failure again and again, or stands before a login or a check for robots.
//
// What is said when is data (rules.go). A hint is a fixed text: nothing of a page gets into it, and it names a tool
// only where this client may call it. The package must not know browsers, nor change what a call does.
package hint

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
)

const (
	// smallPage is how long an answer may be that is searched for walls, in bytes: they are small pages.
	smallPage = 4 << 10
	// maxSessions bounds the sessions that are remembered; beyond it those of old are forgotten.
	maxSessions = 512
)

// Layer watches the calls of all sessions. Make it with New; it is safe for concurrent use.
type Layer struct {
	seed maphash.Seed

	mu       sync.Mutex
	sessions map[string]*history
	order    []string // of their first calls
}

// history is what of a session's calls matters for the next hint.
type history struct {
	call, failure uint64 // the latest call with its answer, and the latest failure, as hashes
	calls, fails  int    // how often in a row
	wall          string // id of the rule of the wall that was told of and still stands
}

// New makes a layer that has seen nothing.
func New() *Layer { return &Layer{seed: maphash.MakeSeed(), sessions: make(map[string]*history)} }

// Around is the layer, as the toolkit wants it.
func (l *Layer) Around(next toolkit.Next) toolkit.Next {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.Result, error) {
		if toolkit.Nested(ctx) > 0 { // who makes many calls at once is not stuck
			return next(ctx, v, req)
		}
		res, err := next(ctx, v, req)
		if err != nil || res.Ask != nil {
			return res, err
		}
		if text := l.judge(v, req, &res); text != "" {
			res.Content = append(slices.Clip(res.Content), toolkit.Content{Text: "hint: " + text})
		}
		return res, nil
	}
}

// judge notes a call and says what there is to say about it, or "".
func (l *Layer) judge(v *toolkit.Session, req toolkit.Request, res *toolkit.Result) string {
	answered, failed := l.hashes(req, res)
	wall := wallIn(req.Tool, res)
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.of(v.ID)
	h.calls = inRow(&h.call, answered, h.calls)
	if res.Refused {
		h.fails = inRow(&h.failure, failed, h.fails)
	} else {
		h.fails, h.failure = 0, 0
	}
	told := h.wall
	if showsPage(req.Tool) && !res.Refused {
		h.wall = ""
		if wall != nil {
			h.wall = wall.id
		}
	}
	allows := v.Surface().Allows
	switch {
	case res.Refused && h.fails > 0 && h.fails%times == 0:
		return failureRule(res.RefusalCode()).text(req.Tool, allows)
	case wall != nil && wall.id != told:
		return wall.text(req.Tool, allows)
	case h.calls > 0 && h.calls%times == 0:
		return loopRule(req.Tool).text(req.Tool, allows)
	}
	return ""
}

// of is the history of a session. The caller holds mu.
func (l *Layer) of(id string) *history {
	h := l.sessions[id]
	if h == nil {
		if len(l.order) == maxSessions {
			delete(l.sessions, l.order[0])
			l.order = slices.Delete(l.order, 0, 1)
		}
		h = new(history)
		l.sessions[id], l.order = h, append(l.order, id)
	}
	return h
}

// hashes identify a call with its answer, and how it failed.
func (l *Layer) hashes(req toolkit.Request, res *toolkit.Result) (answered, failed uint64) {
	var h maphash.Hash
	h.SetSeed(l.seed)
	write := func(part string) {
		_, _ = h.WriteString(part) // never fails
		_ = h.WriteByte(0)
	}
	write(req.Tool)
	write(string(res.RefusalCode()))
	failed = h.Sum64()
	_, _ = h.Write(req.Args) // never fails
	for _, c := range res.Content {
		write(c.Text)
		_, _ = h.Write(c.Data)
	}
	return h.Sum64(), failed
}

// inRow counts how often in a row the same has come.
func inRow(last *uint64, now uint64, before int) int {
	if *last != now {
		*last = now
		return 1
	}
	return before + 1
}

// wallIn finds the rule of the wall that an answer shows.
func wallIn(tool string, res *toolkit.Result) *rule {
	if res.Refused || !showsPage(tool) || len(res.Content) == 0 {
		return nil
	}
	if len(res.Content[0].Text) > smallPage {
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

// text is what the rule says to a client: with the first tool that it may call, and that is not the one it has just called.
func (r *rule) text(called string, allows func(string) bool) string {
	for _, a := range r.advice {
		if a.tool != called && allows(a.tool) {
			return r.says + "; " + strings.ReplaceAll(a.how, "%", a.tool)
		}
	}
	return r.says
}

package toolkit

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// Changes lists the facts that a successful call or an event sets and clears. Sets and Clears are certain; of
// MaySet and MayClear each fact may change or not.
type Changes struct{ Sets, Clears, MaySet, MayClear Facts }

// Event is a change of facts that no call makes. It can happen where When holds.
type Event struct {
	Name    string
	When    func(Facts) bool
	Changes Changes
}

// reported counts how often facts were set from outside of Dispatch.
func (v *Session) reported() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.reports
}

// applyChanges applies the certain changes of a successful call to the session's facts. Facts that
// were reported since the call began, when reported returned reports, are newer and stay. So do
// those of the session when the call addresses a connection, which reports for itself.
func (v dispatcher) applyChanges(t *Tool, args []byte, reports uint64) {
	if t.Changes.Sets|t.Changes.Clears == 0 {
		return
	}
	if address := v.surface.table().reg.Address; address != "" {
		if _, ok := member(args, address); ok {
			return
		}
	}
	v.mu.Lock()
	if v.reports != reports {
		v.mu.Unlock()
		return
	}
	v.facts = v.facts&^t.Changes.Clears | t.Changes.Sets
	moved := v.recompute()
	v.mu.Unlock()
	v.notifyChange(moved)
}

// Explains reports whether events and successful calls of the tools, in any order and number, can
// lead from some facts to others. Its time grows with the number of states on the way, so it is for
// tests and debugging.
func (r *Registry) Explains(from, to Facts, tools ...*Tool) bool { return r.reachable(from, tools)[to] }

// reachable returns every state that events and successful calls of the tools can lead to, from among them.
func (r *Registry) reachable(from Facts, tools []*Tool) map[Facts]bool {
	steps := append([]Event(nil), r.Events...)
	for _, t := range tools {
		steps = append(steps, Event{When: t.Visible, Changes: t.Changes})
	}
	seen, queue := map[Facts]bool{from: true}, []Facts{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, s := range steps {
			if s.When != nil && !s.When(at) {
				continue
			}
			s.Changes.outcomes(at, func(next Facts) {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			})
		}
	}
	return seen
}

// outcomes visits every state that the changes may lead to.
func (c Changes) outcomes(from Facts, visit func(Facts)) {
	from = from&^c.Clears | c.Sets
	for set := c.MaySet; ; set = (set - 1) & c.MaySet {
		for clear := c.MayClear; ; clear = (clear - 1) & c.MayClear {
			visit(from&^clear | set)
			if clear == 0 {
				break
			}
		}
		if set == 0 {
			return
		}
	}
}

// CheckChanges is a layer for tests and debug builds. It calls report, on the goroutine of a call,
// with each change of a session's facts that neither an event nor a call under way explains.
func CheckChanges(report func(error)) Middleware {
	c := &changeChecker{report: report, sessions: make(map[*Session]*checkedSession)}
	return c.around
}

type changeChecker struct {
	report func(error)

	mu       sync.Mutex
	sessions map[*Session]*checkedSession
}

// checkedSession is a session with the facts up to which every change is explained. A session
// begins with its first call: it may join connections that other sessions of its client opened before.
type checkedSession struct {
	facts   Facts
	begun   bool
	subject uint64 // count of the subjects before the one that facts are about
	running map[*Tool]int
}

func (c *changeChecker) around(next CallHandler) CallHandler {
	return func(ctx context.Context, v *Session, req Request) (CallResult, error) {
		t := v.surface.Tool(req.Tool)
		if t == nil {
			return next(ctx, v, req)
		}
		c.begin(v, t)
		defer c.end(v, t)
		return next(ctx, v, req)
	}
}

func (c *changeChecker) begin(v *Session, t *Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[v]
	if s == nil {
		s = &checkedSession{facts: v.Facts(), running: make(map[*Tool]int)}
		c.sessions[v] = s
	}
	if len(s.running) == 0 && s.begun {
		c.check(v, s)
	}
	s.running[t]++
}

func (c *changeChecker) end(v *Session, t *Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[v]
	if s.begun {
		c.check(v, s)
	}
	s.facts, s.begun = v.Facts(), true
	if s.running[t]--; s.running[t] == 0 {
		delete(s.running, t)
	}
}

// check holds the facts of now against those that were explained last. Facts of another subject are
// a new beginning. The caller holds mu.
func (c *changeChecker) check(v *Session, s *checkedSession) {
	reg, now := v.surface.table().reg, v.Facts()
	if subject := v.subjectCount(); subject != s.subject {
		s.facts, s.subject = now, subject
		return
	}
	var tools []*Tool
	var names []string
	for t := range s.running {
		tools, names = append(tools, t), append(names, t.Name)
	}
	if !reg.Explains(s.facts, now, tools...) {
		c.report(fmt.Errorf("no declared change leads from {%s} to {%s}; calls under way: %s",
			reg.factNames(s.facts), reg.factNames(now), strings.Join(names, ", ")))
	}
	s.facts = now
}

func (r *Registry) factNames(f Facts) string {
	var names []string
	for i, name := range r.Facts {
		if f.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

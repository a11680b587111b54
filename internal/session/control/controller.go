package control

import (
	"context"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/session"
)

// controller is the take-over of one session.
type controller struct {
	all *Controls
	id  string
	set *session.Set

	inputMu sync.Mutex // held while a person takes over, acts or hands back, so that these never overlap

	mu          sync.Mutex
	hold        *personhold.Hold // nil while no person controls the session
	person      string
	changes     *changeLog
	stopWatch   func()
	held        map[*browser.Tab]*input.Held
	absence     *time.Timer
	attending   map[string]int // open pages of each person
	endReason   string
	reports     []report
	annotations []annotation
	waiting     int
	concerned   bool
	changed     chan struct{}
	gone        bool          // the session has ended
	ended       chan struct{} // closed then
}

// Take gives a person the control of a session, when the actions that run have ended. An action that takes
// longer than Config.TakeTime is interrupted. The errors are UnknownSessionError, InControlError and ctx's.
func (c *Controls) Take(ctx context.Context, id, person string) error {
	s, err := c.controller(id)
	if err != nil {
		return err
	}
	s.inputMu.Lock()
	defer s.inputMu.Unlock()
	s.mu.Lock()
	if hold := s.hold; hold != nil {
		defer s.mu.Unlock()
		if s.person == person {
			return nil
		}
		return &InControlError{Since: hold.Since}
	}
	if s.gone {
		s.mu.Unlock()
		return &UnknownSessionError{ID: id}
	}
	hold, ok := c.connections.Holds().Start(id)
	if !ok { // of an ended session with the same id
		s.mu.Unlock()
		return &InControlError{}
	}
	s.mu.Unlock()
	settled, cancel := context.WithTimeout(ctx, c.cfg.TakeTime)
	s.endCalls(settled, hold)
	cancel()
	if err := ctx.Err(); err != nil {
		hold.End()
		return err
	}
	s.begin(hold, person)
	return nil
}

// endCalls waits until no call of the agent works on a tab.
func (c *controller) endCalls(ctx context.Context, hold *personhold.Hold) {
	var wg sync.WaitGroup
	for _, t := range c.set.Tabs() {
		wg.Go(func() { t.Calls.End(ctx, hold) })
	}
	wg.Wait()
}

func (c *controller) begin(hold *personhold.Hold, person string) {
	changes := newChangeLog(c.set.Tabs())
	stop := c.set.Watch(c.notify) // dialogs and tabs
	c.mu.Lock()
	if c.gone {
		c.mu.Unlock()
		stop()
		changes.stop()
		hold.End()
		return
	}
	c.hold, c.person, c.changes, c.stopWatch, c.endReason = hold, person, changes, stop, ""
	c.held = make(map[*browser.Tab]*input.Held)
	if c.attending[person] == 0 {
		c.startAbsenceLocked(hold)
	}
	c.concernLocked()
	c.notifyLocked()
	c.mu.Unlock()
}

// Attend says that a page of a person is connected to a session until leave is called. When the last page of
// the person in control has left, the session is handed back after Config.AbsenceTime.
func (c *Controls) Attend(id, person string) (leave func(), err error) {
	s, err := c.controller(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attending[person]++
	if s.absence != nil && s.person == person {
		s.absence.Stop()
		s.absence = nil
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.attending[person]--; s.attending[person] > 0 {
			return
		}
		delete(s.attending, person)
		if s.hold != nil && s.person == person {
			s.startAbsenceLocked(s.hold)
		}
	}), nil
}

// startAbsenceLocked hands back when the person stays away. The caller holds mu.
func (c *controller) startAbsenceLocked(hold *personhold.Hold) {
	limit := c.all.cfg.AbsenceTime
	c.absence = time.AfterFunc(limit, func() {
		c.inputMu.Lock()
		defer c.inputMu.Unlock()
		c.mu.Lock()
		gone := c.hold == hold && c.attending[c.person] == 0
		c.mu.Unlock()
		if gone {
			c.finish(context.Background(), outcome{reason: "the browser of the person was disconnected for " + limit.String()})
		}
	})
}

// Return hands a session back. The next result of the agent has the note, and the changes that the person made.
func (c *Controls) Return(ctx context.Context, id, person, note string) error {
	s, err := c.controller(id)
	if err != nil {
		return err
	}
	s.inputMu.Lock()
	defer s.inputMu.Unlock()
	if s.holdOf(person) == nil {
		return &NotInControlError{}
	}
	s.finish(ctx, outcome{note: note})
	return nil
}

// holdOf returns the hold of a person, or nil if the person does not control the session.
func (c *controller) holdOf(person string) *personhold.Hold {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hold == nil || c.person != person {
		return nil
	}
	return c.hold
}

// outcome is the end of a take-over: by the person with a note, or for a reason.
type outcome struct{ note, reason string }

// finish releases what is held down, reports to the agent and lets its calls go on. The caller holds
// inputMu, and a person controls the session.
func (c *controller) finish(ctx context.Context, o outcome) {
	c.releaseAll(context.WithoutCancel(ctx), nil)
	c.mu.Lock()
	hold, changes, stop := c.hold, c.changes, c.stopWatch
	c.mu.Unlock()
	if hold == nil { // the session ended meanwhile
		return
	}
	stop()
	changes.stop()
	lines, more := changes.lines(c.set.Tabs())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.absence != nil {
		c.absence.Stop()
		c.absence = nil
	}
	c.hold, c.person, c.changes, c.stopWatch = nil, "", nil, nil
	c.endReason = o.reason
	if c.endReason == "" {
		c.endReason = "it was handed back"
	}
	c.addReport(report{outcome: o, from: hold.Since, to: time.Now(), lines: lines, more: more})
	c.concernLocked()
	hold.End()
	c.notifyLocked()
}

// end ends the take-over of a session that has ended. It does not wait for the browser.
func (c *controller) end(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.gone = true
		close(c.ended)
	}
	if c.hold != nil {
		c.changes.stop()
		stop := c.stopWatch
		go stop() // the set may hold its lock
		c.hold.End()
		c.hold, c.person, c.changes, c.stopWatch, c.endReason = nil, "", nil, nil, reason
	}
	if c.absence != nil {
		c.absence.Stop()
		c.absence = nil
	}
	c.reports, c.annotations = nil, nil
	c.concernLocked()
	c.notifyLocked()
}

// concernLocked counts the session while its calls have to look here. The caller holds mu.
func (c *controller) concernLocked() {
	now := c.hold != nil || len(c.reports)+len(c.annotations) > 0
	switch {
	case now && !c.concerned:
		c.all.concerned.Add(1)
	case !now && c.concerned:
		c.all.concerned.Add(-1)
	}
	c.concerned = now
}

func (c *controller) notify() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notifyLocked()
}

func (c *controller) notifyLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *controller) state(person string) (State, <-chan struct{}) {
	var dialogs []Dialog
	for _, t := range c.set.TabsWithDialog() {
		if d := t.Dialogs.Open(); d != nil {
			dialogs = append(dialogs, Dialog{Tab: t.ID(), Kind: d.Kind, Message: d.Message, Default: d.Default})
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := State{Waiting: c.waiting, Untold: len(c.reports) + len(c.annotations), Ended: c.endReason, Dialogs: dialogs}
	if c.hold != nil {
		out.Held, out.Mine, out.Since = true, c.person == person, c.hold.Since
	}
	return out, c.changed
}

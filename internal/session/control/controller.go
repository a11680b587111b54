package control

import (
	"context"
	"sync"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/session"
)

// controller is the take-over of one session.
type controller struct {
	all *Controls
	id  string
	set *session.Set

	inputMu sync.Mutex // held while a person takes over, acts or hands back, so that these never overlap

	mu          sync.Mutex
	hold        *browser.Hold // nil while no person controls the session
	person      string
	changes     *changeLog
	stopWatch   func()
	held        map[*browser.Tab]*page.HeldInput
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
	s, err := c.of(id)
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
func (s *controller) endCalls(ctx context.Context, hold *browser.Hold) {
	var wg sync.WaitGroup
	for _, t := range s.set.Tabs() {
		wg.Go(func() { t.EndCalls(ctx, hold) })
	}
	wg.Wait()
}

func (s *controller) begin(hold *browser.Hold, person string) {
	changes := newChangeLog(s.set.Tabs())
	stop := s.set.Watch(s.notify) // dialogs and tabs
	s.mu.Lock()
	if s.gone {
		s.mu.Unlock()
		stop()
		changes.stop()
		hold.End()
		return
	}
	s.hold, s.person, s.changes, s.stopWatch, s.endReason = hold, person, changes, stop, ""
	s.held = make(map[*browser.Tab]*page.HeldInput)
	if s.attending[person] == 0 {
		s.startAbsenceLocked(hold)
	}
	s.concernLocked()
	s.notifyLocked()
	s.mu.Unlock()
}

// Attend says that a page of a person is connected to a session until leave is called. When the last page of
// the person in control has left, the session is handed back after Config.AbsenceTime.
func (c *Controls) Attend(id, person string) (leave func(), err error) {
	s, err := c.of(id)
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
func (s *controller) startAbsenceLocked(hold *browser.Hold) {
	limit := s.all.cfg.AbsenceTime
	s.absence = time.AfterFunc(limit, func() {
		s.inputMu.Lock()
		defer s.inputMu.Unlock()
		s.mu.Lock()
		gone := s.hold == hold && s.attending[s.person] == 0
		s.mu.Unlock()
		if gone {
			s.finish(context.Background(), outcome{reason: "the browser of the person was disconnected for " + limit.String()})
		}
	})
}

// Return hands a session back. The next result of the agent has the note, and what was changed.
func (c *Controls) Return(ctx context.Context, id, person, note string) error {
	s, err := c.of(id)
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
func (s *controller) holdOf(person string) *browser.Hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hold == nil || s.person != person {
		return nil
	}
	return s.hold
}

// outcome is how a take-over ended: by the person with a note, or for a reason.
type outcome struct{ note, reason string }

// finish releases what is held down, reports to the agent and lets its calls go on. The caller holds
// inputMu, and a person controls the session.
func (s *controller) finish(ctx context.Context, o outcome) {
	s.releaseAll(context.WithoutCancel(ctx), nil)
	s.mu.Lock()
	hold, changes, stop := s.hold, s.changes, s.stopWatch
	s.mu.Unlock()
	if hold == nil { // the session ended meanwhile
		return
	}
	stop()
	changes.stop()
	lines, more := changes.lines(s.set.Tabs())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.absence != nil {
		s.absence.Stop()
		s.absence = nil
	}
	s.hold, s.person, s.changes, s.stopWatch = nil, "", nil, nil
	s.endReason = o.reason
	if s.endReason == "" {
		s.endReason = "it was handed back"
	}
	s.addReport(report{outcome: o, from: hold.Since, to: time.Now(), lines: lines, more: more})
	s.concernLocked()
	hold.End()
	s.notifyLocked()
}

// end ends the take-over of a session that has ended. It does not wait for the browser.
func (s *controller) end(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.gone {
		s.gone = true
		close(s.ended)
	}
	if s.hold != nil {
		s.changes.stop()
		stop := s.stopWatch
		go stop() // the set may hold its lock
		s.hold.End()
		s.hold, s.person, s.changes, s.stopWatch, s.endReason = nil, "", nil, nil, reason
	}
	if s.absence != nil {
		s.absence.Stop()
		s.absence = nil
	}
	s.reports, s.annotations = nil, nil
	s.concernLocked()
	s.notifyLocked()
}

// concernLocked counts the session while its calls have to look here. The caller holds mu.
func (s *controller) concernLocked() {
	now := s.hold != nil || len(s.reports)+len(s.annotations) > 0
	switch {
	case now && !s.concerned:
		s.all.concerned.Add(1)
	case !now && s.concerned:
		s.all.concerned.Add(-1)
	}
	s.concerned = now
}

func (s *controller) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notifyLocked()
}

func (s *controller) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *controller) state(person string) (State, <-chan struct{}) {
	var dialogs []Dialog
	for _, t := range s.set.TabsWithDialog() {
		if d := t.Dialog(); d != nil {
			dialogs = append(dialogs, Dialog{Tab: t.ID(), Kind: d.Kind, Message: d.Message, Default: d.Default})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := State{Waiting: s.waiting, Untold: len(s.reports) + len(s.annotations), Ended: s.endReason, Dialogs: dialogs}
	if s.hold != nil {
		out.Held, out.Mine, out.Since = true, s.person == person, s.hold.Since
	}
	return out, s.changed
}

// Package personhold knows which sessions a person controls, and makes the calls of agents wait.
//
// It knows sessions by their ids, and must not know tabs or browsers.
package personhold

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Holds knows which sessions a person controls. Browsers that share it hold all tabs of a session. The
// zero value holds none. Its methods are safe for concurrent use.
type Holds struct {
	count atomic.Int32  // sessions that are held
	epoch atomic.Uint64 // holds that have ended with changes, of all sessions

	mu        sync.Mutex
	bySession map[string]*Hold
	changed   map[string]pastHold // the latest one with changes, by session
}

// pastHold is a hold in which the person changed something.
type pastHold struct {
	since time.Time
	epoch uint64
}

// Hold is one time in which a person controls the tabs of a session: calls of [WithAgent] wait until
// it ends.
type Hold struct {
	Since time.Time

	holds   *Holds
	session string
	changed atomic.Bool
	ended   chan struct{}
}

// NoteChange says that the person has changed something: calls that began before are not continued.
func (h *Hold) NoteChange() { h.changed.Store(true) }

// Changed reports whether the person has changed something.
func (h *Hold) Changed() bool { return h.changed.Load() }

// Start holds the tabs of a session. It returns false for one that is held already.
func (h *Holds) Start(session string) (*Hold, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bySession[session] != nil {
		return nil, false
	}
	if h.bySession == nil {
		h.bySession = make(map[string]*Hold)
	}
	hold := &Hold{Since: time.Now(), holds: h, session: session, ended: make(chan struct{})}
	h.bySession[session] = hold
	h.count.Add(1)
	return hold, true
}

// Of returns the hold of a session, or nil.
func (h *Holds) Of(session string) *Hold {
	if h == nil || h.count.Load() == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bySession[session]
}

// End lets the calls go on. The second call does nothing.
func (h *Hold) End() {
	h.holds.mu.Lock()
	defer h.holds.mu.Unlock()
	if h.holds.bySession[h.session] != h {
		return
	}
	delete(h.holds.bySession, h.session)
	if h.Changed() {
		if h.holds.changed == nil {
			h.holds.changed = make(map[string]pastHold)
		}
		h.holds.changed[h.session] = pastHold{h.Since, h.holds.epoch.Add(1)}
	}
	h.holds.count.Add(-1)
	close(h.ended)
}

// Forget drops what is known of a session that has ended.
func (h *Holds) Forget(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.changed, session)
}

// changedSince returns the latest hold in which a person changed something since an epoch.
func (h *Holds) changedSince(session string, epoch uint64) (pastHold, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	past := h.changed[session]
	return past, past.epoch > epoch
}

// Ended is closed when the hold ends.
func (h *Hold) Ended() <-chan struct{} { return h.ended }

// HeldError reports that a person controls the session. Begun says that the call may have acted before.
type HeldError struct {
	Since time.Time
	Begun bool
}

func (e *HeldError) Error() string {
	text := "a person took over the session at " + e.Since.UTC().Format(time.TimeOnly) + " UTC"
	if e.Begun {
		text += " during the call, which may have had part of its effect"
	}
	return text + "; read what is there, and call again when it is handed back"
}

// Code is PERSON_IN_CONTROL.
func (*HeldError) Code() codes.Code { return codes.PersonInControl }

// Fields names the time, and whether the call had begun.
func (e *HeldError) Fields() []fault.Field {
	return []fault.Field{{Name: "since", Value: e.Since.UTC().Format(time.RFC3339)}, {Name: "begun", Value: e.Begun}}
}

type agentKey struct{}

// Epoch counts the holds that ended with changes. [WithAgent] takes the epoch before the changes that no
// result of the agent has reported.
func (h *Holds) Epoch() uint64 { return h.epoch.Load() }

// WithAgent marks the context of a call that acts for an agent. Such a call waits while a person controls the
// session, and ends with a HeldError when the person changed something after the epoch. Calls without the mark,
// which read or act for the person, go on.
func WithAgent(ctx context.Context, epoch uint64) context.Context {
	return context.WithValue(ctx, agentKey{}, epoch)
}

// Wait waits while a person controls a session, if the call acts for an agent. At the deadline of the
// call, and when the person has changed something, the error is a HeldError.
func (h *Holds) Wait(ctx context.Context, session string) error {
	if h == nil || h.count.Load() == 0 && h.epoch.Load() == 0 {
		return nil
	}
	epoch, ok := ctx.Value(agentKey{}).(uint64)
	if !ok {
		return nil
	}
	for {
		if past, changed := h.changedSince(session, epoch); changed {
			return &HeldError{Since: past.since, Begun: true}
		}
		hold := h.Of(session)
		if hold == nil {
			return nil
		}
		select {
		case <-hold.ended:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return &HeldError{Since: hold.Since, Begun: true}
			}
			return fmt.Errorf("wait for the person who controls the session: %w", context.Cause(ctx))
		}
	}
}

// MayGoOn reports whether a call need not wait for a person now.
func (h *Holds) MayGoOn(ctx context.Context, session string) bool {
	if h == nil || h.count.Load() == 0 && h.epoch.Load() == 0 {
		return true
	}
	epoch, ok := ctx.Value(agentKey{}).(uint64)
	if !ok {
		return true
	}
	_, changed := h.changedSince(session, epoch)
	return !changed && h.Of(session) == nil
}

package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// How list changes are gathered: one notification when nothing has moved for quiet, and at the latest after ceiling,
// so that a client neither re-reads a list per step of one action nor starves while a page keeps changing facts.
const (
	quiet   = 20 * time.Millisecond
	ceiling = 250 * time.Millisecond
)

// announcer tells one client that its list has become another one: never before the client is initialized, once per
// burst, and not at all when the list is what the client knows.
type announcer struct {
	visible func() toolkit.Set
	send    func(context.Context) error

	mu    sync.Mutex
	ready bool        // the client is initialized and still there
	known toolkit.Set // what the client was told of last
	since time.Time   // when the pending burst began; zero when none is
	timer *time.Timer
}

// newAnnouncer starts one whose client knows nothing but the first list.
func newAnnouncer(visible func() toolkit.Set, send func(context.Context) error) *announcer {
	return &announcer{visible: visible, send: send, known: visible()}
}

// start lets notifications out; what has changed so far is announced.
func (a *announcer) start() {
	a.mu.Lock()
	a.ready = true
	a.mu.Unlock()
	a.poke()
}

// stop ends it; a pending notification is dropped.
func (a *announcer) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ready = false
	if a.timer != nil {
		a.timer.Stop()
	}
}

// listed records that the client is being sent the list of these tools.
func (a *announcer) listed(tools toolkit.Set) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = tools
}

// poke says that the list may have changed.
func (a *announcer) poke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ready {
		return
	}
	now := time.Now()
	if a.since.IsZero() {
		a.since = now
	}
	wait := max(0, min(quiet, ceiling-now.Sub(a.since)))
	if a.timer == nil {
		a.timer = time.AfterFunc(wait, func() { a.flush(context.Background()) })
		return
	}
	a.timer.Reset(wait)
}

// flush announces now if the client's list is not what it knows. A notification that cannot be delivered stays due.
func (a *announcer) flush(ctx context.Context) {
	a.mu.Lock()
	a.since = time.Time{}
	before, now := a.known, a.visible()
	due := a.ready && !now.Equal(before)
	if due {
		a.known = now // at once, so that a flush at the same moment does not say it again
	}
	a.mu.Unlock()
	if !due || a.send(ctx) == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known.Equal(now) {
		a.known = before
	}
}

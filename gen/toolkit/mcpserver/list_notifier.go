package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// List changes are gathered into one notification. It is sent when the list has not changed for
// gatherTime, and after maxGatherTime at the latest, so that a client does not fetch a list for
// each step of one action, and gets one while a page keeps changing facts.
const (
	gatherTime    = 20 * time.Millisecond
	maxGatherTime = 250 * time.Millisecond
)

// listNotifier notifies one client that its list has changed: never before the client is initialized,
// once for a burst of changes, and not when the list is the one that the client has.
type listNotifier struct {
	visible func() toolkit.Shown
	send    func(context.Context) error

	mu    sync.Mutex
	ready bool          // the client is initialized and connected
	stale bool          // a definition has changed since
	sent  toolkit.Shown // what is in the last list or notification
	since time.Time     // when the pending burst began; zero when none is
	timer *time.Timer
}

// newListNotifier starts the notifier of a client that has the first list.
func newListNotifier(visible func() toolkit.Shown, send func(context.Context) error) *listNotifier {
	return &listNotifier{visible: visible, send: send, sent: visible()}
}

// start allows notifications and sends one for earlier changes.
func (a *listNotifier) start() {
	a.mu.Lock()
	a.ready = true
	a.mu.Unlock()
	a.notify()
}

// stop ends notifications; a pending one is dropped.
func (a *listNotifier) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ready = false
	if a.timer != nil {
		a.timer.Stop()
	}
}

// listed records that the client is being sent this list.
func (a *listNotifier) listed(tools toolkit.Shown) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = tools
}

// relist schedules a notification although the tools may be the same, as their definitions are not.
func (a *listNotifier) relist() {
	a.mu.Lock()
	a.stale = true
	a.mu.Unlock()
	a.notify()
}

// notify schedules a notification, as the list may have changed.
func (a *listNotifier) notify() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ready {
		return
	}
	now := time.Now()
	if a.since.IsZero() {
		a.since = now
	}
	wait := max(0, min(gatherTime, maxGatherTime-now.Sub(a.since)))
	if a.timer == nil {
		a.timer = time.AfterFunc(wait, func() { a.flush(context.Background()) })
		return
	}
	a.timer.Reset(wait)
}

// flush sends a notification now if the client's list has changed. After a failure the notification
// stays due.
func (a *listNotifier) flush(ctx context.Context) {
	a.mu.Lock()
	a.since = time.Time{}
	before, now := a.sent, a.visible()
	due, stale := a.ready && (a.stale || !now.Equal(before)), a.stale
	if due {
		a.stale = false
		a.sent = now // before sending, so that a concurrent flush does not send it again
	}
	a.mu.Unlock()
	if !due || a.send(ctx) == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stale = a.stale || stale
	if a.sent.Equal(now) {
		a.sent = before
	}
}

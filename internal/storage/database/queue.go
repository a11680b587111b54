package database

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

const (
	// maxQueued bounds the waiting writes of a queue. Essential ones have maxEssential more, so that
	// droppable ones never take their place.
	maxQueued    = 2048
	maxEssential = 512
	// queueBusyTimeout is the busy timeout of the queue's own connection. It is short, because the
	// queue tries again and must notice its end meanwhile.
	queueBusyTimeout = 100 * time.Millisecond
)

// Write is a change of the database that its caller does not wait for.
type Write struct {
	// Change makes the change in a transaction. It runs again after another process's lock.
	Change func(ctx context.Context, tx *sql.Tx) error
	// Done receives the outcome on the goroutine of the queue; nil ignores it.
	Done func(err error)
	// IsEssential says that the caller reports the loss of the write. A queue that is full of other
	// writes still has room for it.
	IsEssential bool
}

// Queue makes writes in the background, in the order of Add. While another process holds the write
// lock or the disk does not answer, the writes wait and their callers do not. A write that fails for
// another reason is dropped. The methods of a Queue are safe for concurrent use.
type Queue struct {
	store *Store // a connection of its own, with queueBusyTimeout

	mu       sync.Mutex
	waiting  []*queuedWrite // the first one is being made
	isClosed bool
	dropped  int
	ctx      context.Context // of the running goroutine
	cancel   context.CancelFunc
	idle     chan struct{} // closed when the goroutine has ended; nil before the first Add
}

// closedChannel is the idle channel of a queue that never ran.
var closedChannel = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

type queuedWrite struct {
	Write
	finished chan struct{}
}

func newQueue(s *Store) *Queue {
	return &Queue{store: &Store{dir: s.dir, migrations: s.migrations, version: s.version, busyTimeout: queueBusyTimeout}}
}

// Add appends a write, which the queue makes later. It reports false for a queue that is full or
// closed, which counts the write as dropped and does not call Done.
func (q *Queue) Add(w Write) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	limit := maxQueued
	if w.IsEssential {
		limit += maxEssential
	}
	if q.isClosed || len(q.waiting) >= limit {
		q.dropped++
		return false
	}
	q.waiting = append(q.waiting, &queuedWrite{w, make(chan struct{})})
	if len(q.waiting) == 1 { // no goroutine runs
		q.ctx, q.cancel = context.WithCancel(context.Background())
		q.idle = make(chan struct{})
		go q.run(q.ctx, q.waiting[0], q.idle)
	}
	return true
}

// run makes the waiting writes, and ends when none waits.
func (q *Queue) run(ctx context.Context, next *queuedWrite, idle chan struct{}) {
	defer close(idle)
	for next != nil {
		err := q.write(ctx, next)
		if next.Done != nil {
			next.Done(err)
		}
		close(next.finished)
		q.mu.Lock()
		if err != nil {
			q.dropped++
		}
		q.waiting[0] = nil
		q.waiting = q.waiting[1:]
		next = nil
		if len(q.waiting) > 0 {
			next = q.waiting[0]
		} else {
			q.cancel()
		}
		q.mu.Unlock()
	}
}

// write makes one write, as often as another process's lock prevents it.
func (q *Queue) write(ctx context.Context, w *queuedWrite) error {
	for {
		err := q.store.Change(ctx, func(tx *sql.Tx) error { return w.Change(ctx, tx) })
		if !isBusy(err) || ctx.Err() != nil {
			return err
		}
	}
}

// Flush waits until every write that was added before is finished. It returns the cause of ctx when
// ctx ends first.
func (q *Queue) Flush(ctx context.Context) error {
	q.mu.Lock()
	var last *queuedWrite
	if n := len(q.waiting); n > 0 {
		last = q.waiting[n-1]
	}
	q.mu.Unlock()
	if last == nil {
		return nil
	}
	select {
	case <-last.finished:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Waiting returns the number of writes that are not finished.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Dropped returns the number of writes that were never made.
func (q *Queue) Dropped() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

// Close makes the waiting writes until ctx ends, gives up the others, and closes the connection, unless
// the disk does not answer. It returns the number of writes that it gave up. A later Add is refused.
func (q *Queue) Close(ctx context.Context) (lost int) {
	q.mu.Lock()
	q.isClosed = true
	before, idle := q.dropped, q.idle
	q.mu.Unlock()
	if idle == nil {
		idle = closedChannel
	}
	select {
	case <-idle:
	case <-ctx.Done():
		q.cancel()
		timer := time.NewTimer(2 * queueBusyTimeout)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C: // the disk does not answer, and closing the connection would wait for it too
			return q.Waiting()
		}
	}
	_ = q.store.Close() // every write has its outcome
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped - before
}

// Package queue bounds how much work runs at once, and shares it fairly between the owners of the
// work: they take turns, however much one of them asks for.
//
// It must not know the work.
package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Queue hands out a fixed number of slots. Its methods are safe for concurrent use.
type Queue struct {
	what string

	mu     sync.Mutex
	free   int
	owners []*owner // with work that waits; the first is next
}

// owner is a line of waiting work of one owner.
type owner struct {
	name    string
	waiting []chan struct{} // each is closed when its work has a slot
}

// New returns a queue with this many slots. what names the work in errors, such as "tabs to open".
func New(slots int, what string) *Queue { return &Queue{what: what, free: slots} }

// TimeoutError reports that the time of a call was over before its work had a slot.
type TimeoutError struct {
	What   string
	Ahead  int // work that was waiting too, of all owners
	Waited time.Duration
	Err    error // the context's
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the browser is busy: after %v, %d more %s were waiting; nothing was done: try again",
		e.Waited.Round(time.Second), e.Ahead, e.What)
}

// Unwrap returns the context's error.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Code is fault.Timeout.
func (*TimeoutError) Code() codes.Code { return codes.Timeout }

// Fields returns how much work was waiting.
func (e *TimeoutError) Fields() []fault.Field {
	return []fault.Field{{Name: "waiting", Value: e.Ahead}}
}

// Acquire waits for a slot and returns the function that frees it, which must be called once.
// Owners with waiting work take turns; the work of one owner starts in the order of its calls. The
// error is a TimeoutError.
func (q *Queue) Acquire(ctx context.Context, name string) (release func(), err error) {
	began := time.Now()
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return q.release, nil
	}
	turn := make(chan struct{})
	q.line(name).waiting = append(q.line(name).waiting, turn)
	q.mu.Unlock()
	select {
	case <-turn:
		return q.release, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-turn: // it had its turn meanwhile
		q.next()
	default:
		q.leave(name, turn)
	}
	return nil, &TimeoutError{What: q.what, Ahead: q.waiting(), Waited: time.Since(began), Err: context.Cause(ctx)}
}

// Waiting returns how much work waits for a slot.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting()
}

// waiting is Waiting for callers that hold mu.
func (q *Queue) waiting() (n int) {
	for _, o := range q.owners {
		n += len(o.waiting)
	}
	return n
}

func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next()
}

// next gives a freed slot to the next owner, which then goes to the end. The caller holds mu.
func (q *Queue) next() {
	if len(q.owners) == 0 {
		q.free++
		return
	}
	o := q.owners[0]
	q.owners = q.owners[1:]
	close(o.waiting[0])
	if o.waiting = o.waiting[1:]; len(o.waiting) > 0 {
		q.owners = append(q.owners, o)
	}
}

// line returns the waiting work of an owner, which goes to the end if it has none. The caller holds
// mu.
func (q *Queue) line(name string) *owner {
	if at := slices.IndexFunc(q.owners, func(o *owner) bool { return o.name == name }); at >= 0 {
		return q.owners[at]
	}
	o := &owner{name: name}
	q.owners = append(q.owners, o)
	return o
}

// leave removes work that gave up. The caller holds mu.
func (q *Queue) leave(name string, turn chan struct{}) {
	o := q.line(name)
	o.waiting = slices.DeleteFunc(o.waiting, func(t chan struct{}) bool { return t == turn })
	if len(o.waiting) == 0 {
		q.owners = slices.DeleteFunc(q.owners, func(p *owner) bool { return p == o })
	}
}

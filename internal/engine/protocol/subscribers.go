package protocol

import (
	"sync"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
)

// subscribers are the subscriptions of a session. The zero value is ready for use.
type subscribers struct {
	mu     sync.Mutex
	subs   map[*subscription]string // with the method of the events
	closed bool
}

// subscribe buffers the events with a method until stop is called or the session ends. The channel is
// closed then.
func (s *subscribers) subscribe(method string) (<-chan jsonv2.Value, func()) {
	sub := &subscription{out: make(chan jsonv2.Value), wake: make(chan struct{}, 1), stopped: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		close(sub.out)
		return sub.out, func() {}
	}
	if s.subs == nil {
		s.subs = make(map[*subscription]string)
	}
	s.subs[sub] = method
	go sub.pump()
	return sub.out, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, sub)
		close(sub.stopped)
	})
}

// publish passes an event to the subscriptions of its method. It never waits.
func (s *subscribers) publish(method string, params jsonv2.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub, m := range s.subs {
		if m == method {
			sub.push(params, false)
		}
	}
}

// close ends the subscriptions after the events that they hold.
func (s *subscribers) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for sub := range s.subs {
		sub.push(nil, true)
	}
	s.subs = nil
}

// subscription is a queue without a limit, which a goroutine moves to a channel.
type subscription struct {
	out     chan jsonv2.Value
	wake    chan struct{} // one slot
	stopped chan struct{}

	mu       sync.Mutex
	queue    []jsonv2.Value
	finished bool
}

func (s *subscription) push(params jsonv2.Value, last bool) {
	s.mu.Lock()
	if s.finished = last; !last {
		s.queue = append(s.queue, params)
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscription) pump() {
	defer close(s.out)
	for {
		s.mu.Lock()
		queue, finished := s.queue, s.finished
		s.queue = nil
		s.mu.Unlock()
		for _, params := range queue {
			select {
			case s.out <- params:
			case <-s.stopped:
				return
			}
		}
		if finished {
			return
		}
		select {
		case <-s.wake:
		case <-s.stopped:
			return
		}
	}
}

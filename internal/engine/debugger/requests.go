package debugger

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/network"
)

// openRequests are the data and script requests that the page began since reset and that have not
// ended. A step that follows only other steps waits for them, because it may be over an await of one.
type openRequests struct {
	mu    sync.Mutex
	ids   map[network.RequestID]bool
	ended chan struct{} // closed and replaced when the last one ends
}

func newOpenRequests() *openRequests {
	return &openRequests{ids: map[network.RequestID]bool{}, ended: make(chan struct{})}
}

// observe runs on the goroutine that reads the tab's events.
func (r *openRequests) observe(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		switch e.Type {
		case network.ResourceTypeFetch, network.ResourceTypeXHR, network.ResourceTypeScript:
			r.begin(e.RequestID)
		default: // an event stream, for example, does not end
		}
	case *network.EventLoadingFinished:
		r.end(e.RequestID)
	case *network.EventLoadingFailed:
		r.end(e.RequestID)
	}
}

func (r *openRequests) begin(id network.RequestID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[id] = true
}

func (r *openRequests) end(id network.RequestID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ids[id] {
		return
	}
	delete(r.ids, id)
	if len(r.ids) == 0 {
		close(r.ended)
		r.ended = make(chan struct{})
	}
}

// reset forgets the requests that began before.
func (r *openRequests) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.ids)
}

// wait waits until none is open. It reports whether there was one to wait for and ctx is not done.
func (r *openRequests) wait(ctx context.Context) bool {
	r.mu.Lock()
	open, ended := len(r.ids) > 0, r.ended
	r.mu.Unlock()
	if !open {
		return false
	}
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

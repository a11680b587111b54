package debugger

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// openRequests are the data and script requests that the document began since the first of a series
// of steps and that have not ended. A step waits for them, because it may be over an await of one.
type openRequests struct {
	mu    sync.Mutex
	ids   map[network.RequestID]bool
	ended chan struct{} // closed and replaced when none is left
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
	case *page.EventFrameNavigated:
		if e.Frame.ParentID == "" {
			r.reset() // the end of those of the old document may not be reported
		}
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
	if r.ids[id] {
		delete(r.ids, id)
		r.notifyLocked()
	}
}

// reset forgets all requests.
func (r *openRequests) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.ids)
	r.notifyLocked()
}

func (r *openRequests) notifyLocked() {
	if len(r.ids) == 0 {
		close(r.ended)
		r.ended = make(chan struct{})
	}
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

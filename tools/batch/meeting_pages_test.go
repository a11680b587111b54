package batch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// meetingPages is a server that answers requests in groups of a fixed size, and counts those that
// are pending.
type meetingPages struct {
	url string

	mu            sync.Mutex
	group         []chan struct{} // requests that wait for the rest of their group
	pending, most int             // most is the highest value of pending
}

func newMeetingPages(t *testing.T, size int) *meetingPages {
	t.Helper()
	p := &meetingPages{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		complete := make(chan struct{})
		p.mu.Lock()
		p.pending++
		p.most = max(p.most, p.pending)
		if p.group = append(p.group, complete); len(p.group) == size {
			for _, c := range p.group {
				close(c)
			}
			p.group = nil
		}
		p.mu.Unlock()
		select {
		case <-complete:
		case <-r.Context().Done():
		}
		p.mu.Lock()
		p.pending--
		p.mu.Unlock()
		fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,><title>Met</title>")
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	p.url = srv.URL
	return p
}

package screencast

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
)

// recordingTab is a tab whose browser sends the next frame of an animation when the one before is
// acknowledged, and remembers the commands.
type recordingTab struct {
	mu       sync.Mutex
	listen   func(any)
	commands []string
	next     int64
	busy     int // how often it refuses to start
}

func (r *recordingTab) Protocol(context.Context) (cdp.Session, error) { return r, nil }

func (r *recordingTab) Listen(fn func(any)) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listen = fn
	return func() {}
}

func (r *recordingTab) Subscribe(string) (<-chan jsonv2.Value, func()) { return nil, func() {} }

func (r *recordingTab) Call(_ context.Context, method string, _, _ any) error {
	r.mu.Lock()
	if r.busy--; method == page.CommandStartScreencast && r.busy >= 0 {
		r.mu.Unlock()
		return errors.New(notActive + " (-32000)")
	}
	r.commands = append(r.commands, method)
	listen := r.listen
	r.next++
	ev := &page.EventScreencastFrame{SessionID: r.next, Data: []byte{byte(r.next)}, Metadata: &page.ScreencastFrameMetadata{DeviceWidth: 100, DeviceHeight: 50, PageScaleFactor: 1}}
	r.mu.Unlock()
	if method != page.CommandStopScreencast {
		go listen(ev)
	}
	return nil
}

func (r *recordingTab) count(method string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.commands {
		if c == method {
			n++
		}
	}
	return n
}

// TestViewersShareAScreencast watches a tab twice at once, and again after both have left.
func TestViewersShareAScreencast(t *testing.T) {
	t.Parallel()
	var s Screencasts
	tab := &recordingTab{busy: 2}
	for round := 1; round <= 2; round++ {
		var viewers sync.WaitGroup
		both := make(chan struct{}, 2)
		leave := make(chan struct{})
		for range 2 {
			viewers.Go(func() {
				seen := 0
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				err := s.Watch(ctx, tab, ForPerson(), func(f *Frame) error {
					if f.Width != 100 || f.Height != 50 {
						t.Errorf("%+v", f)
					}
					if seen++; seen == 3 {
						both <- struct{}{}
						<-leave
						cancel()
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		<-both
		<-both
		if tab.count(page.CommandStopScreencast) != round-1 {
			t.Error("the screencast stopped while two watch")
		}
		close(leave)
		viewers.Wait()
		if begun, ended := tab.count(page.CommandStartScreencast), tab.count(page.CommandStopScreencast); begun != round || ended != round {
			t.Errorf("round %d: %d screencasts began and %d ended", round, begun, ended)
		}
	}
}

// TestAViewerLearnsOfTheEnd ends a tab, and has a viewer refuse a picture.
func TestAViewerLearnsOfTheEnd(t *testing.T) {
	t.Parallel()
	var s Screencasts
	tab := &recordingTab{}
	err := s.Watch(t.Context(), tab, ForPerson(), func(*Frame) error {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		go tab.listen(&inspector.EventDetached{})
		return nil
	})
	if !errors.Is(err, ErrEnded) {
		t.Errorf("%v, want %v", err, ErrEnded)
	}
	gone := errors.New("the viewer has gone")
	if err := s.Watch(t.Context(), tab, ForPerson(), func(*Frame) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("%v, want %v", err, gone)
	}
}

// TestOvertakenFramesAreNotShown sends frames in another order than that in which the browser drew them. Each is
// acknowledged.
func TestOvertakenFramesAreNotShown(t *testing.T) {
	t.Parallel()
	c := &cast{changed: make(chan struct{})}
	received := make(chan arrival, 1)
	for i, step := range []struct {
		drawn cdp.MonotonicTime // s; 0 where the browser does not say it
		shown bool
	}{{10, true}, {12, true}, {11, false}, {12, true}, {13, true}, {0, true}} {
		c.onEvent(&page.EventScreencastFrame{
			SessionID: int64(i), Data: []byte{byte(i)}, Metadata: &page.ScreencastFrameMetadata{MonotonicTimestamp: step.drawn},
		}, received)
		if frame, _, _ := c.latest(); (frame.JPEG[0] == byte(i)) != step.shown {
			t.Errorf("after frame %d, frame %d is shown", i, frame.JPEG[0])
		}
		if a := <-received; a.number != int64(i) {
			t.Errorf("frame %d is not acknowledged: %+v", i, a)
		}
	}
}

// Package screencast sends the pictures of tabs to those who watch or record them. The viewers of a tab
// share one screencast, which begins with the first of them and ends with the last.
//
// It takes no lock of a tab, so no call waits for it. It must not know who watches or why.
package screencast

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// commandTime bounds a command, such as the acknowledgement of a picture.
const commandTime = 5 * time.Second

// Settings say which pictures a viewer needs. The browser sends none while the page looks the same.
type Settings struct {
	MaxSide  int           // pixels of a picture on a side, at most
	Quality  int           // of JPEG, 1 to 100
	Interval time.Duration // between two pictures, at least
	// Sparing costs the browser less while the page changes all the time. What a page shows when it stops
	// changing comes two intervals later.
	Sparing bool
}

// ForPerson are the settings for a person who watches.
func ForPerson() Settings {
	return Settings{MaxSide: 1024, Quality: 60, Interval: 200 * time.Millisecond}
}

// union returns settings that serve both viewers. The zero value serves none.
func (a Settings) union(b Settings) Settings {
	out := Settings{MaxSide: max(a.MaxSide, b.MaxSide), Quality: max(a.Quality, b.Quality), Interval: min(a.Interval, b.Interval), Sparing: a.Sparing && b.Sparing}
	if a.Interval == 0 || b.Interval == 0 {
		out.Interval, out.Sparing = max(a.Interval, b.Interval), a.Sparing || b.Sparing
	}
	return out
}

// ErrEnded says that the tab has ended.
var ErrEnded = fault.New(codes.NoTab, "the tab has ended")

// Tab is the part of *browser.Tab that a screencast uses.
type Tab interface {
	Protocol(ctx context.Context) (cdp.Session, error)
	Listen(fn func(event any)) (stop func())
}

// Frame is one picture of the viewport. Lengths are in CSS pixels of the top viewport.
type Frame struct {
	JPEG          []byte
	Time          time.Time // when the browser drew it
	Width, Height float64   // of the viewport that the picture shows, without Top
	Top           float64   // of the viewport in the picture: the height of what the browser draws above it
	Scale         float64   // of a page that is zoomed by two fingers; 1 otherwise
	Hidden        bool      // the tab is in the background of its window, which draws no pictures

	swapped cdp.MonotonicTime // Time by a clock that is never set; 0 where the browser does not say it
}

// Screencasts are the running screencasts of a process. The zero value is ready for use.
type Screencasts struct {
	mu    sync.Mutex
	byTab map[Tab]*cast
}

// cast is the screencast of one tab.
type cast struct {
	session cdp.Session
	stop    context.CancelFunc
	ended   chan struct{} // closed when the screencast has stopped

	viewers map[*Settings]bool // under Screencasts.mu
	retuned chan Settings      // has the settings that the browser does not know yet; one slot
	// refreshing says that the next frame comes because the screencast began anew: see quietIntervals.
	refreshing atomic.Bool

	mu      sync.Mutex
	frame   *Frame        // the latest; nil before the first
	changed chan struct{} // closed at the next frame, or the end of the tab
	gone    bool
}

// Watch calls fn with the latest picture of a tab, and with each later one, until ctx ends or fn returns
// an error. A viewer that is slower than the page misses pictures between, and gets more and larger ones
// than it needs while another viewer needs them. The error is that of fn, ErrEnded, or that of the tab's
// protocol session; nil when ctx has ended.
func (s *Screencasts) Watch(ctx context.Context, tab Tab, needs Settings, fn func(*Frame) error) error {
	c, leave, err := s.join(ctx, tab, needs)
	if err != nil {
		return err
	}
	defer leave()
	var shown *Frame
	for {
		frame, changed, gone := c.latest()
		if frame != nil && frame != shown {
			if err := fn(frame); err != nil {
				return err
			}
			shown = frame
		}
		if gone {
			return ErrEnded
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// join returns the screencast of a tab, which it starts for the first viewer.
func (s *Screencasts) join(ctx context.Context, tab Tab, needs Settings) (*cast, func(), error) {
	session, err := tab.Protocol(ctx)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.byTab[tab]
	if c == nil {
		c = start(tab, session, needs)
		if s.byTab == nil {
			s.byTab = make(map[Tab]*cast)
		}
		s.byTab[tab] = c
	}
	c.viewers[&needs] = true
	c.retune()
	return c, func() { s.leave(tab, c, &needs) }, nil
}

// retune has the browser send what the present viewers need. The caller holds Screencasts.mu.
func (c *cast) retune() {
	var all Settings
	for needs := range c.viewers {
		all = all.union(*needs)
	}
	select {
	case <-c.retuned:
	default:
	}
	c.retuned <- all
}

// leave stops the screencast of a tab after its last viewer, and waits until it has stopped: the next
// one would be stopped with it otherwise.
func (s *Screencasts) leave(tab Tab, c *cast, needs *Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(c.viewers, needs); len(c.viewers) > 0 {
		c.retune()
		return
	}
	delete(s.byTab, tab)
	c.stop()
	<-c.ended
}

// notActive is how the browser refuses a screencast while the page changes its process.
const notActive = "Not attached to an active page"

// start begins a screencast.
func start(tab Tab, session cdp.Session, settings Settings) *cast {
	ctx, cancel := context.WithCancel(context.Background())
	c := &cast{
		session: session, stop: cancel, ended: make(chan struct{}), changed: make(chan struct{}),
		viewers: make(map[*Settings]bool), retuned: make(chan Settings, 1),
	}
	received := make(chan arrival, 8) // frames to acknowledge; the browser sends fewer before it waits
	unlisten := tab.Listen(func(ev any) { c.onEvent(ev, received) })
	go func() {
		defer close(c.ended)
		defer unlisten()
		c.run(ctx, settings, received)
	}()
	return c
}

// arrival is a frame that the browser waits for the acknowledgement of.
type arrival struct {
	number  int64
	repeats bool // it shows what the one before it does
}

// quietIntervals is how many intervals a sparing screencast waits for the next frame before it begins
// anew. A screencast drops what the page draws before a frame is acknowledged, and begins with what the
// page shows.
const quietIntervals = 2

// run starts the screencast in the browser, acknowledges its frames one interval apart, and stops it.
func (c *cast) run(ctx context.Context, settings Settings, received <-chan arrival) {
	tick := time.NewTicker(settings.Interval)
	defer tick.Stop()
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	quiet.Stop()
	if !c.begin(ctx, settings, tick) {
		return
	}
	defer func() { c.end(context.WithoutCancel(ctx)) }()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-c.retuned:
			if now == settings {
				continue
			}
			settings = now
			tick.Reset(settings.Interval)
			c.end(ctx)
			if !c.begin(ctx, settings, tick) {
				return
			}
		case <-quiet.C:
			c.end(ctx)
			c.refreshing.Store(true)
			if !c.begin(ctx, settings, tick) {
				return
			}
		case frame := <-received:
			quiet.Stop()
			c.acknowledge(ctx, frame, tick)
			if settings.Sparing && !frame.repeats {
				quiet.Reset(quietIntervals * settings.Interval)
			}
		}
	}
}

// acknowledge has the browser send the next frame, an interval after the one before.
func (c *cast) acknowledge(ctx context.Context, frame arrival, tick *time.Ticker) {
	if !frame.repeats {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	// It fails for a frame of a document that was replaced, and where the tab has ended.
	_ = send(ctx, c.session, page.ScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: frame.number})
}

// begin starts the screencast in the browser, and tries again while the page changes its process. It
// reports whether the browser has started it.
func (c *cast) begin(ctx context.Context, settings Settings, tick *time.Ticker) bool {
	quality, sendLast, inFlight := int64(settings.Quality), !settings.Sparing, int64(1)
	if settings.Sparing {
		inFlight = 2 // so that a change right after a frame that repeats another is not dropped
	}
	params := page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: int64(settings.MaxSide), MaxHeight: int64(settings.MaxSide),
		EveryNthFrame: 1, MaxFramesInFlight: inFlight, SendLastFrame: &sendLast,
	}
	for {
		err := send(ctx, c.session, page.StartScreencast, params)
		if err == nil {
			return true
		}
		if !strings.Contains(err.Error(), notActive) {
			c.finish()
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// end stops the screencast in the browser; it fails where the tab is gone.
func (c *cast) end(ctx context.Context) {
	_ = send(ctx, c.session, page.StopScreencast, cdp.Empty{})
}

func send[P any](ctx context.Context, s cdp.Session, command cdp.Command[P, cdp.Empty], params P) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	if _, err := cdp.Call(ctx, s, command, params); err != nil {
		return fmt.Errorf("screencast: %w", err)
	}
	return nil
}

// onEvent takes the frames of the page. It runs on the goroutine that reads the tab's events.
func (c *cast) onEvent(ev any, received chan<- arrival) {
	switch ev := ev.(type) {
	case *page.EventScreencastFrame:
		frame := &Frame{JPEG: ev.Data, Time: time.Now(), Scale: 1}
		if m := ev.Metadata; m != nil {
			if m.Timestamp > 0 {
				frame.Time = time.UnixMicro(int64(m.Timestamp.Float64() * 1e6))
			}
			frame.Width, frame.Height, frame.Top, frame.Scale = m.DeviceWidth, m.DeviceHeight-m.OffsetTop, m.OffsetTop, m.PageScaleFactor
			frame.swapped = m.MonotonicTimestamp
		}
		late := c.isLate(frame)
		repeats := !late && c.refreshing.Swap(false) && c.shows(frame.JPEG)
		if !late && !repeats {
			c.publish(frame)
		}
		select {
		case received <- arrival{ev.SessionID, repeats}:
		default:
		}
	case *page.EventScreencastVisibilityChanged:
		c.mu.Lock()
		frame := Frame{}
		if c.frame != nil {
			frame = *c.frame
		}
		c.mu.Unlock()
		frame.Hidden = !ev.Visible
		c.publish(&frame)
	case *inspector.EventDetached:
		c.finish()
	}
}

// isLate reports whether the browser drew a frame before the latest one. It encodes two frames of a sparing
// screencast at once, and sends first the one that is ready first.
func (c *cast) isLate(f *Frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frame != nil && f.swapped > 0 && f.swapped < c.frame.swapped
}

// shows reports whether the latest frame has this picture.
func (c *cast) shows(jpeg []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frame != nil && bytes.Equal(c.frame.JPEG, jpeg)
}

func (c *cast) publish(f *Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frame = f
	close(c.changed)
	c.changed = make(chan struct{})
}

// finish tells the viewers that there will be no more frames.
func (c *cast) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		c.gone = true
		close(c.changed)
		c.changed = make(chan struct{})
	}
}

func (c *cast) latest() (frame *Frame, changed <-chan struct{}, gone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frame, c.changed, c.gone
}

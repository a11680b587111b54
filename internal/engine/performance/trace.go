package performance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/emulation"
	"github.com/callsheet/callsheet/internal/fault"
)

// completeTimeout bounds the wait for the browser to gather a trace from its processes.
const completeTimeout = 20 * time.Second

// busyTimeout is how long another recording is waited for, busyRetry how often it is asked whether it has ended.
const (
	busyTimeout = 30 * time.Second
	busyRetry   = 100 * time.Millisecond
)

// categories are those that the insights and the Performance panel of DevTools need. Without the CPU profiler a trace is a
// tenth of the size, and what it measures is not slowed down.
func categories() []string {
	return []string{
		"devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "blink.user_timing",
		"loading", "latencyInfo", "v8.execute", "v8",
	}
}

// BusyError says that the browser records a trace already; it can record one at a time.
type BusyError struct{}

func (e *BusyError) Error() string {
	return "the browser records another trace now, and can record one at a time; try again when that has ended"
}

// Code implements fault.Coded.
func (e *BusyError) Code() fault.Code { return fault.Failed }

// Fields implements fault.Coded.
func (e *BusyError) Fields() []fault.Field { return nil }

// RecordOptions says what to record.
type RecordOptions struct {
	URL    string // to load; "" is none
	Reload bool   // the page; without URL
	// CPU and Network slow the page down for the time of the recording; 0 and nil leave them as they are.
	CPU     float64
	Network *emulation.Conditions
	After   time.Duration // to go on recording after the load
}

// recordingKey is of the slot that a recording of a tab holds: two at once would take the end of one for that of the other.
type recordingKey struct{}

// acquire waits for the tab's other recordings.
func acquire(ctx context.Context, tab *browser.Tab) (release func(), err error) {
	turn := tab.Instrument(recordingKey{}, func() any { return make(chan struct{}, 1) }).(chan struct{})
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-time.After(busyTimeout):
	case <-ctx.Done():
	}
	return nil, &BusyError{}
}

// Record records a trace of the tab while it does what the recipe says, and hands it to keep as gzipped JSON that DevTools can
// open. Overrides are as before afterwards, whatever happens. The errors are BusyError and those of browser.Tab.Navigate.
func Record(ctx context.Context, tab *browser.Tab, r RecordOptions, keep func(context.Context, io.Reader) error) error {
	release, err := acquire(ctx, tab)
	if err != nil {
		return err
	}
	defer release()
	restore, err := throttle(ctx, tab, r)
	if err != nil {
		return err
	}
	defer restore()
	session, err := tab.Protocol(ctx)
	if err != nil {
		return err
	}
	complete := make(chan *tracing.EventTracingComplete, 1)
	defer tab.Listen(func(ev any) {
		if done, ok := ev.(*tracing.EventTracingComplete); ok {
			select {
			case complete <- done:
			default:
			}
		}
	})()
	if err := startTracing(ctx, session); err != nil {
		return err
	}
	loadErr := loadPage(ctx, tab, r)
	// The recording ends even when the call has run out of time: the browser can make only one.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeTimeout)
	defer cancel()
	if _, err := cdp.Call(ending, session, tracing.End, cdp.Empty{}); err != nil {
		return errors.Join(loadErr, fmt.Errorf("end the trace: %w", err))
	}
	select {
	case done := <-complete:
		stream := &stream{ctx: ending, session: session, handle: done.Stream}
		defer stream.close()
		if loadErr != nil {
			return loadErr
		}
		return keep(ending, stream)
	case <-ending.Done():
		return errors.Join(loadErr, errors.New("end the trace: the browser did not gather it in time"))
	}
}

// startTracing begins the recording. One of another tab is waited for: the browser tells nobody when that ends.
func startTracing(ctx context.Context, session cdp.Session) error {
	limit := time.After(busyTimeout)
	for {
		err := tryStartTracing(ctx, session)
		var busy *BusyError
		if !errors.As(err, &busy) {
			return err
		}
		select {
		case <-time.After(busyRetry):
		case <-limit:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

func tryStartTracing(ctx context.Context, session cdp.Session) error {
	_, err := cdp.Call(ctx, session, tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReturnAsStream, StreamFormat: tracing.StreamFormatJSON, StreamCompression: tracing.StreamCompressionGzip,
		TraceConfig: &tracing.TraceConfig{IncludedCategories: categories(), ExcludedCategories: []string{"*"}},
	})
	var refused *cdproto.Error
	if errors.As(err, &refused) && strings.Contains(refused.Message, "already been started") {
		return &BusyError{}
	}
	if err != nil {
		return fmt.Errorf("start a trace: %w", err)
	}
	return nil
}

// throttle applies the recipe's conditions; restore brings back those that were.
func throttle(ctx context.Context, tab *browser.Tab, r RecordOptions) (restore func(), err error) {
	var parts []emulation.Part
	if r.CPU > 1 {
		parts = append(parts, emulation.CPUPart)
	}
	if r.Network != nil {
		parts = append(parts, emulation.NetworkPart)
	}
	if len(parts) == 0 {
		return func() {}, nil
	}
	e := emulation.Of(tab)
	before := e.Current()
	err = e.Change(ctx, func(o *emulation.Overrides) {
		if r.CPU > 1 {
			o.CPU = r.CPU
		}
		if r.Network != nil {
			o.Network = r.Network
		}
	}, parts...)
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeTimeout)
		defer cancel()
		_ = e.Change(ctx, func(o *emulation.Overrides) { o.CPU, o.Network = before.CPU, before.Network }, parts...)
	}, err
}

// loadPage does what is to be recorded.
func loadPage(ctx context.Context, tab *browser.Tab, r RecordOptions) error {
	var err error
	switch {
	case r.URL != "":
		_, err = tab.Navigate(ctx, r.URL, browser.NavigateOptions{})
	case r.Reload:
		_, err = tab.Reload(ctx, false, browser.NavigateOptions{})
	}
	var late *browser.TimeoutError
	if err != nil && !errors.As(err, &late) { // a page that is late is what a trace is for
		return err
	}
	timer := time.NewTimer(r.After)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// stream reads a stream of the protocol.
type stream struct {
	ctx     context.Context
	session cdp.Session
	handle  cdpio.StreamHandle
	rest    []byte
	end     bool
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.end {
			return 0, io.EOF
		}
		part, err := cdp.Call(s.ctx, s.session, cdpio.Read, cdpio.ReadParams{Handle: s.handle, Size: 1 << 20})
		if err != nil {
			return 0, fmt.Errorf("read the trace: %w", err)
		}
		s.rest, s.end = part.Data, part.EOF
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stream) close() {
	_, _ = cdp.Call(s.ctx, s.session, cdpio.Close, cdpio.CloseParams{Handle: s.handle}) // it goes with the tab at the latest
}

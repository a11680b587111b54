package performance

import (
	"cmp"
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

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/emulation"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/fault"
)

// completeTimeout is the least time that the browser has to collect a trace from its processes.
const completeTimeout = 20 * time.Second

// busyTimeout bounds the wait for another recording; busyRetry is the interval of attempts to
// start.
const (
	busyTimeout = 30 * time.Second
	busyRetry   = 100 * time.Millisecond
)

// categories returns the trace categories that the insights and the Performance panel of DevTools
// need. Without the CPU profiler a trace has a tenth of the size, and recording does not slow the
// page down.
func categories() []string {
	return []string{
		"devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "blink.user_timing",
		"loading", "latencyInfo", "v8.execute", "v8",
	}
}

// BusyError says that the browser already records a trace. It can record one at a time.
type BusyError struct{}

func (e *BusyError) Error() string {
	return "the browser records another trace now, and can record one at a time; try again when that has ended"
}

// Code implements fault.Coded.
func (e *BusyError) Code() codes.Code { return codes.Failed }

// RecordOptions configure a recording.
type RecordOptions struct {
	URL    string // URL to load; "" loads none
	Reload bool   // reload the page; ignored with URL
	// CPU and Network throttle the page during the recording; 0 and nil leave it unthrottled.
	CPU     float64
	Network *emulation.Conditions
	After   time.Duration // time to record after the load
}

// recordingKey is the key of the tab's recording slot. CDP does not tell which of two recordings a
// completion event ends.
type recordingKey struct{}

// acquire takes the tab's recording slot. The error is BusyError, or a DialogError: a load answers the
// dialogs in its way.
func acquire(ctx context.Context, tab *browser.Tab, loads bool) (release func(), err error) {
	if !loads {
		if err := tab.Calls.Beside(ctx, func(context.Context) error { return nil }); err != nil {
			return nil, err
		}
	}
	slot := tab.Instruments.Get(recordingKey{}, func() any { return make(chan struct{}, 1) }).(chan struct{})
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-time.After(busyTimeout):
	case <-ctx.Done():
	}
	return nil, &BusyError{}
}

// Record records a trace while the tab loads a page, and calls store with the trace as gzipped
// JSON, which DevTools can open. It restores earlier overrides in every case. The errors are
// BusyError, those of browser.Tab.Navigate and of store.
func Record(
	ctx context.Context, p power.Navigation, tab *browser.Tab, r RecordOptions, store func(context.Context, io.Reader) error,
) error {
	release, err := acquire(ctx, tab, r.URL != "" || r.Reload)
	if err != nil {
		return err
	}
	defer func() { release() }()
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
	loadErr := loadPage(ctx, p, tab, r)
	// The recording ends even if the call has timed out, because the browser can record only one.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToComplete(ctx))
	defer cancel()
	if _, err := cdp.Call(ending, session, tracing.End, cdp.Empty{}); err != nil {
		return errors.Join(loadErr, fmt.Errorf("end the trace: %w", err))
	}
	done, err := waitForTrace(ending, tab, complete)
	if err != nil {
		end := release
		release = func() { go endAfter(complete, end) }
		return cmp.Or(loadErr, err)
	}
	stream := &stream{ctx: ending, session: session, handle: done.Stream}
	defer stream.close()
	if loadErr != nil {
		return loadErr
	}
	return store(ending, stream)
}

// waitForTrace waits for the end of a trace. A dialog keeps the page from giving its part.
func waitForTrace(ctx context.Context, tab *browser.Tab, complete <-chan *tracing.EventTracingComplete) (done *tracing.EventTracingComplete, err error) {
	err = tab.Calls.Beside(ctx, func(ctx context.Context) error {
		select {
		case done = <-complete:
			return nil
		case <-ctx.Done():
			return fault.New(codes.Failed, "end the trace: the browser did not gather it in time")
		}
	})
	return done, err
}

// endAfter calls end when the trace is complete: a page gives its part after its dialog is closed.
func endAfter(complete <-chan *tracing.EventTracingComplete, end func()) {
	select {
	case <-complete:
	case <-time.After(completeTimeout):
	}
	end()
}

// timeToComplete is the time that ctx has left, and at least completeTimeout.
func timeToComplete(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return max(completeTimeout, time.Until(deadline))
}

// startTracing begins the recording. It retries while another tab records, because CDP reports no
// end of that.
func startTracing(ctx context.Context, session cdp.Session) error {
	for begun := time.Now(); ; {
		err := tryStartTracing(ctx, session)
		if _, busy := errors.AsType[*BusyError](err); !busy || time.Since(begun) > busyTimeout || settle.Pause(ctx, busyRetry) != nil {
			return err
		}
	}
}

func tryStartTracing(ctx context.Context, session cdp.Session) error {
	_, err := cdp.Call(ctx, session, tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReturnAsStream, StreamFormat: tracing.StreamFormatJSON,
		StreamCompression: tracing.StreamCompressionGzip,
		TraceConfig:       &tracing.TraceConfig{IncludedCategories: categories(), ExcludedCategories: []string{"*"}},
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

// throttle sets the throttling of r; restore resets it to the earlier values.
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

// loadPage loads or reloads the page and waits for r.After.
func loadPage(ctx context.Context, p power.Navigation, tab *browser.Tab, r RecordOptions) error {
	var err error
	switch {
	case r.URL != "":
		_, err = tab.Navigate(ctx, p, r.URL, browser.NavigateOptions{})
	case r.Reload:
		_, err = tab.Reload(ctx, p, false, browser.NavigateOptions{})
	}
	var late *browser.TimeoutError
	if err != nil && !errors.As(err, &late) { // traces of slow pages are wanted
		return err
	}
	err = tab.Calls.Beside(ctx, func(ctx context.Context) error {
		select {
		case <-time.After(r.After):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// stream reads a CDP stream.
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
	_, _ = cdp.Call(s.ctx, s.session, cdpio.Close, cdpio.CloseParams{Handle: s.handle}) // the browser closes it with the tab at the latest
}

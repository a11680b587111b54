package heap

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/profiler"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/fault"
)

// samplingInterval is the time between two samples of a CPU profile.
const samplingInterval = 200 * time.Microsecond

// stopTimeout bounds the end of a recording, which happens even if its call is over.
const stopTimeout = 20 * time.Second

// CPURecorder records CPU profiles of one tab, one at a time.
type CPURecorder struct {
	mu      sync.Mutex
	session cdp.Session // of the recording; nil without one
}

type recorderKey struct{}

// CPURecorderOf returns the recorder of a tab.
func CPURecorderOf(tab *browser.Tab) *CPURecorder {
	return tab.Instruments.Get(recorderKey{}, func() any { return &CPURecorder{} }).(*CPURecorder)
}

// Start begins a recording. It fails while one runs, and while the page cannot run.
func (r *CPURecorder) Start(ctx context.Context, tab *browser.Tab) error {
	if err := tab.Calls.Blocked(); err != nil {
		return err
	}
	if err := tab.CrashError(); err != nil {
		return err
	}
	session, err := tab.Protocol(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != nil {
		return fault.New(codes.Failed, "a CPU profile of the tab is being recorded; stop it first")
	}
	if _, err := cdp.Call(ctx, session, profiler.Enable, cdp.Empty{}); err != nil {
		return fmt.Errorf("start a CPU profile: %w", err)
	}
	params := profiler.SetSamplingIntervalParams{Interval: samplingInterval.Microseconds()}
	if _, err := cdp.Call(ctx, session, profiler.SetSamplingInterval, params); err != nil {
		return fmt.Errorf("start a CPU profile: %w", err)
	}
	if _, err := cdp.Call(ctx, session, profiler.Start, cdp.Empty{}); err != nil {
		_, _ = cdp.Call(ctx, session, profiler.Disable, cdp.Empty{}) // it begins behind a dialog
		return fmt.Errorf("start a CPU profile: %w", err)
	}
	r.session = session
	return nil
}

// Stop ends the recording and returns the profile. The recording is over after an error too, unless that
// is a DialogError.
func (r *CPURecorder) Stop(ctx context.Context, tab *browser.Tab) (*CPUProfile, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == nil {
		return nil, fault.New(codes.Failed, "no CPU profile of the tab is being recorded")
	}
	if err := tab.Calls.Beside(ctx, func(context.Context) error { return nil }); err != nil {
		return nil, err // the page would end the recording behind the dialog, and its profile would be lost
	}
	session := r.session
	r.session = nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	res, err := cdp.Call(ctx, session, profiler.Stop, cdp.Empty{})
	if err != nil {
		return nil, fmt.Errorf("stop the CPU profile, which is lost where the page has moved to another process: %w", err)
	}
	_, _ = cdp.Call(ctx, session, profiler.Disable, cdp.Empty{}) // a page that is gone has no profiler
	if res.Profile == nil || len(res.Profile.Nodes) == 0 {
		return nil, fault.New(codes.Failed, "the browser has recorded no samples")
	}
	return &CPUProfile{res.Profile}, nil
}

// CPUProfile is a recorded profile.
type CPUProfile struct{ profile *profiler.Profile }

// JSON is the profile as DevTools reads it (.cpuprofile).
func (p *CPUProfile) JSON() ([]byte, error) { return json.Marshal(p.profile) }

// FunctionTime is the time that a function took.
type FunctionTime struct {
	Function     string // "(anonymous)" without a name
	URL          string
	Line, Column int           // from 1; 0 for the browser's own
	Self         time.Duration // in the function itself
	Total        time.Duration // with what it called
}

// CPUSummary sums up a profile.
type CPUSummary struct {
	Duration  time.Duration // of the recording
	Idle      time.Duration // without work
	Collector time.Duration // collecting garbage
	Program   time.Duration // in the browser, outside of scripts
	Samples   int
	Functions []FunctionTime // by time of their own, the longest first
}

// Summary returns where the time went.
func (p *CPUProfile) Summary() CPUSummary {
	s := CPUSummary{Duration: time.Duration(p.profile.EndTime-p.profile.StartTime) * time.Microsecond, Samples: len(p.profile.Samples)}
	self := make(map[int64]time.Duration, len(p.profile.Nodes))
	for i, id := range p.profile.Samples {
		if i+1 < len(p.profile.TimeDeltas) { // a sample lasts until the next one
			self[id] += time.Duration(max(p.profile.TimeDeltas[i+1], 0)) * time.Microsecond
		}
	}
	byID := make(map[int64]*profiler.ProfileNode, len(p.profile.Nodes))
	for _, n := range p.profile.Nodes {
		byID[n.ID] = n
	}
	w := walker{nodes: byID, self: self, sums: make(map[FunctionTime]*FunctionTime), open: make(map[FunctionTime]int)}
	w.walk(p.profile.Nodes[0])
	for key, f := range w.sums {
		switch {
		case key.Line > 0 || key.URL != "":
			s.Functions = append(s.Functions, *f)
		case key.Function == "(idle)":
			s.Idle = f.Self
		case key.Function == "(garbage collector)":
			s.Collector = f.Self
		case key.Function == "(program)":
			s.Program = f.Self
		case key.Function != "(root)":
			s.Functions = append(s.Functions, *f) // of the browser, such as sort
		}
	}
	slices.SortFunc(s.Functions, func(a, b FunctionTime) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return s
}

// walker sums up the times of functions over a tree of calls.
type walker struct {
	nodes map[int64]*profiler.ProfileNode
	self  map[int64]time.Duration
	sums  map[FunctionTime]*FunctionTime
	open  map[FunctionTime]int // how often a function is on the way from the root, as it may call itself
}

// functionKey identifies a function by its place.
func functionKey(n *profiler.ProfileNode) FunctionTime {
	f := FunctionTime{Function: "(anonymous)"}
	if c := n.CallFrame; c != nil {
		f.Function, f.URL = cmp.Or(c.FunctionName, f.Function), c.URL
		if c.LineNumber >= 0 && c.URL != "" {
			f.Line, f.Column = int(c.LineNumber)+1, int(c.ColumnNumber)+1
		}
	}
	return f
}

// walk returns the time of a node and of those below it.
func (w *walker) walk(n *profiler.ProfileNode) time.Duration {
	key := functionKey(n)
	sum := w.sums[key]
	if sum == nil {
		sum = &FunctionTime{Function: key.Function, URL: key.URL, Line: key.Line, Column: key.Column}
		w.sums[key] = sum
	}
	w.open[key]++
	total := w.self[n.ID]
	for _, id := range n.Children {
		if child := w.nodes[id]; child != nil {
			total += w.walk(child)
		}
	}
	w.open[key]--
	sum.Self += w.self[n.ID]
	if w.open[key] == 0 {
		sum.Total += total
	}
	return total
}

package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
)

// Kind is the kind of a breakpoint.
type Kind string

// The kinds.
const (
	LineBreakpoint    Kind = "line"    // a location in a script
	RequestBreakpoint Kind = "request" // a fetch or XMLHttpRequest
	EventBreakpoint   Kind = "event"   // the call of an event listener
)

// Breakpoint is a breakpoint.
type Breakpoint struct {
	ID   string // "b1", "b2" and so on, never reused while the debugger is on
	Kind Kind
	// Pattern selects scripts or original files (LineBreakpoint; see Line), or is a substring
	// of a URL, where "" matches any (RequestBreakpoint).
	Pattern   string
	Line      int // 1-based
	Column    int // 1-based; 0 is the first location on the line
	Condition string
	Event     string // such as "click"
	Target    string // the interface of the event's target, such as "Window"; "" is any
	// Locations are its resolved locations; empty while no matching script is loaded.
	Locations []Location
}

// Line describes a breakpoint in a script or original file. The pattern is a URL, the end of a
// path, a glob with *, or a regular expression between slashes.
type Line struct {
	Pattern   string
	Line      int    // 1-based
	Column    int    // 1-based; 0 is the first location on the line
	Condition string // JavaScript; the page pauses only if it is truthy. "" always pauses
}

type breakpoint struct {
	Breakpoint
	pattern *pattern
	id      cdpdebugger.BreakpointID   // set by URL; it survives navigations
	mapped  []cdpdebugger.BreakpointID // set through source maps; they end with their scripts
}

// Breakpoints sets and removes the breakpoints of a Debugger. Its methods are safe for concurrent use.
type Breakpoints struct {
	state *state
	tab   Tab

	// idMu is held while the browser sets a line breakpoint and its id is kept, so that later
	// events, which name the id, are handled after that. It is locked before mu.
	idMu sync.Mutex
}

// SetLine sets a breakpoint on a line of a loaded or future script. On a line without code it moves
// to the next line with code. An equal breakpoint is returned instead of a second one. The error
// for an invalid argument is an InvalidError. Only a condition needs the power.
func (bs *Breakpoints) SetLine(ctx context.Context, script power.Script, at Line) (Breakpoint, error) {
	if at.Condition != "" {
		if err := script.Check(); err != nil {
			return Breakpoint{}, err
		}
	}
	p, err := parsePattern(at.Pattern)
	if err != nil {
		return Breakpoint{}, err
	}
	if at.Line < 1 || at.Column < 0 {
		return Breakpoint{}, invalid("line", strconv.Itoa(at.Line), "lines count from 1")
	}
	b := &breakpoint{pattern: p, Breakpoint: Breakpoint{
		Kind: LineBreakpoint, Pattern: at.Pattern, Line: at.Line, Column: at.Column, Condition: at.Condition,
	}}
	return bs.add(ctx, b, func(ctx context.Context, r *run) error {
		if p.tells() { // an address may have what was typed: whether it matches would tell it part by part
			if err := bs.tab.Scripts.Begin(ctx); err != nil {
				return err
			}
		}
		if err := bs.checkCondition(ctx, at.Condition); err != nil {
			return err
		}
		if err := bs.placeByURL(ctx, r, b); err != nil {
			return err
		}
		return bs.updateInstrumentation(ctx)
	})
}

// SetRequest pauses where a fetch or XMLHttpRequest to a URL that contains part is sent; ""
// matches any.
func (bs *Breakpoints) SetRequest(ctx context.Context, part string) (Breakpoint, error) {
	b := &breakpoint{Breakpoint: Breakpoint{Kind: RequestBreakpoint, Pattern: part}}
	return bs.add(ctx, b, func(ctx context.Context, _ *run) error {
		if part != "" { // a page may send what was typed: whether it pauses would tell it part by part
			if err := bs.tab.Scripts.Begin(ctx); err != nil {
				return err
			}
		}
		return call(ctx, bs.state.session, domdebugger.SetXHRBreakpoint, domdebugger.SetXHRBreakpointParams{URL: part})
	})
}

// SetEvent pauses at the start of each listener of the event. target is the interface of the
// event target, such as "Window"; "" matches any.
func (bs *Breakpoints) SetEvent(ctx context.Context, event, target string) (Breakpoint, error) {
	if event == "" {
		return Breakpoint{}, invalid("event", event, "is empty")
	}
	b := &breakpoint{Breakpoint: Breakpoint{Kind: EventBreakpoint, Event: event, Target: target}}
	return bs.add(ctx, b, func(ctx context.Context, _ *run) error {
		return call(ctx, bs.state.session, domdebugger.SetEventListenerBreakpoint,
			domdebugger.SetEventListenerBreakpointParams{EventName: event, TargetName: target})
	})
}

// add adds a breakpoint unless an equal one exists.
func (bs *Breakpoints) add(ctx context.Context, b *breakpoint, place func(context.Context, *run) error) (Breakpoint, error) {
	var set Breakpoint
	err := bs.state.command(ctx, true, func(ctx context.Context) error {
		bs.state.mu.Lock()
		r := bs.state.run
		for _, o := range bs.state.settings.breakpoints {
			if o.equals(b) {
				set = o.clone()
			}
		}
		if set.ID == "" {
			bs.state.settings.lastID++
			b.ID = "b" + strconv.Itoa(bs.state.settings.lastID)
			// The breakpoint may be hit before the browser responds, so it is in the list before it
			// is set.
			bs.state.settings.breakpoints = append(bs.state.settings.breakpoints, b)
		}
		bs.state.mu.Unlock()
		if set.ID != "" || r == nil {
			return nil
		}
		if err := place(ctx, r); err != nil {
			_ = b.remove(ctx, bs.state.session) // the part of it that was set
			bs.forget(b)
			bs.state.mu.Lock()
			bs.state.settings.lastID-- // the id was not returned
			bs.state.mu.Unlock()
			return err
		}
		bs.state.mu.Lock()
		set = b.clone()
		bs.state.mu.Unlock()
		return nil
	})
	return set, err
}

func (b *breakpoint) equals(o *breakpoint) bool {
	return b.Kind == o.Kind && b.Pattern == o.Pattern && b.Line == o.Line && b.Column == o.Column &&
		b.Condition == o.Condition && b.Event == o.Event && b.Target == o.Target
}

func (b *breakpoint) clone() Breakpoint {
	c := b.Breakpoint
	c.Locations = slices.Clone(b.Locations)
	return c
}

func (bs *Breakpoints) forget(b *breakpoint) {
	bs.state.mu.Lock()
	defer bs.state.mu.Unlock()
	bs.state.settings.breakpoints = slices.DeleteFunc(bs.state.settings.breakpoints, func(o *breakpoint) bool { return o == b })
}

// checkCondition returns an InvalidError for a condition that does not compile, which the browser
// would accept silently.
func (bs *Breakpoints) checkCondition(ctx context.Context, condition string) error {
	if condition == "" {
		return nil
	}
	if err := bs.tab.Scripts.Begin(ctx); err != nil {
		return err
	}
	res, err := cdp.Call(ctx, bs.state.session, runtime.CompileScript, runtime.CompileScriptParams{Expression: "(" + condition + "\n)"})
	if err != nil {
		return fmt.Errorf("check the condition: %w", err)
	}
	if res.ExceptionDetails != nil {
		return invalid("condition", condition, exceptionMessage(res.ExceptionDetails))
	}
	return nil
}

// Remove removes a breakpoint. The error for an unknown id lists those that are set, in order of creation.
func (bs *Breakpoints) Remove(ctx context.Context, id string) error {
	if bs.state.scriptSource() != "" {
		_ = bs.tab.Scripts.Begin(ctx) // its condition may have run on the document
	}
	return bs.state.command(ctx, true, func(ctx context.Context) error {
		bs.state.mu.Lock()
		var found *breakpoint
		var known []string
		for _, b := range bs.state.settings.breakpoints {
			known = append(known, b.ID)
			if b.ID == id {
				found = b
			}
		}
		bs.state.mu.Unlock()
		if found == nil {
			are := "none is set"
			if len(known) > 0 {
				are = "set are: " + strings.Join(known, ", ")
			}
			return fault.Errorf(codes.NotFound, "unknown breakpoint %q; %s", id, are).With("breakpoints", known)
		}
		if err := found.remove(ctx, bs.state.session); err != nil {
			return fmt.Errorf("remove breakpoint %s: %w", id, err)
		}
		bs.forget(found)
		return bs.updateInstrumentation(ctx)
	})
}

func (b *breakpoint) remove(ctx context.Context, s cdp.Session) error {
	switch b.Kind {
	case RequestBreakpoint:
		return call(ctx, s, domdebugger.RemoveXHRBreakpoint, domdebugger.RemoveXHRBreakpointParams{URL: b.Pattern})
	case EventBreakpoint:
		return call(ctx, s, domdebugger.RemoveEventListenerBreakpoint,
			domdebugger.RemoveEventListenerBreakpointParams{EventName: b.Event, TargetName: b.Target})
	case LineBreakpoint:
	}
	var errs []error
	for _, id := range append(slices.Clone(b.mapped), b.id) {
		if id != "" {
			errs = append(errs, call(ctx, s, cdpdebugger.RemoveBreakpoint, cdpdebugger.RemoveBreakpointParams{BreakpointID: id}))
		}
	}
	return errors.Join(errs...)
}

// removeAll removes the breakpoints that outlive CDP's Debugger.disable. It sends all commands at
// once, because a crashed page responds to none of them yet.
func (s settings) removeAll(ctx context.Context, session cdp.Session) error {
	errs := make([]error, len(s.breakpoints))
	var wg sync.WaitGroup
	for i, b := range s.breakpoints {
		if b.Kind != LineBreakpoint {
			wg.Go(func() { errs[i] = b.remove(ctx, session) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (bs *Breakpoints) removeAll(ctx context.Context) error {
	bs.state.mu.Lock()
	s := bs.state.settings
	bs.state.mu.Unlock()
	return s.removeAll(ctx, bs.state.session)
}

// List returns all breakpoints in order of creation.
func (bs *Breakpoints) List() []Breakpoint {
	bs.state.mu.Lock()
	defer bs.state.mu.Unlock()
	return slicesx.List(bs.state.settings.breakpoints, func(b *breakpoint) Breakpoint { return b.clone() })
}

// String returns the breakpoint in one line.
func (b Breakpoint) String() string {
	var s strings.Builder
	switch s.WriteString(b.ID + " "); b.Kind {
	case RequestBreakpoint:
		fmt.Fprintf(&s, "request containing %q", b.Pattern)
	case EventBreakpoint:
		s.WriteString("event " + b.Event)
		if b.Target != "" {
			s.WriteString(" on " + b.Target)
		}
	case LineBreakpoint:
		fmt.Fprintf(&s, "%s:%d", b.Pattern, b.Line)
		if b.Condition != "" {
			fmt.Fprintf(&s, " if %s", b.Condition)
		}
		if len(b.Locations) == 0 {
			s.WriteString(" (no such script or line is loaded yet)")
		}
		for i, l := range b.Locations {
			s.WriteString([]string{" → ", ", "}[min(i, 1)] + l.String())
		}
	}
	return s.String()
}

package debugger

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/text"
)

// Reason is the reason of a pause.
type Reason string

// The reasons.
const (
	AtBreakpoint        Reason = "breakpoint"
	AtDebuggerStatement Reason = "debugger statement"
	AtException         Reason = "exception"
	AtRejection         Reason = "promise rejection"
	AtRequest           Reason = "request"
	AtEvent             Reason = "event"
	AtStep              Reason = "step"
	AtCommand           Reason = "pause" // requested by Debugger.Pause
	AtOther             Reason = "other"
)

// Pause describes a paused page.
type Pause struct {
	Reason Reason
	// Detail is the text of the exception, the URL of the request or the name of the event.
	Detail      string
	Breakpoints []string // ids of the breakpoints that were hit
	Function    string   // "" at the top level of a script
	Location    Location

	Source []SourceLine // around the location
	Frames []Frame      // the call stack, innermost first
	Scopes []Scope      // scopes of the innermost frame, innermost first, without the global scope
	This   string
	// ReturnValue is the value of a return statement, "" elsewhere.
	ReturnValue string
	Watches     []Watch
	Changes     []Change // since the previous pause in the same call
}

// SourceLine is one line of a script or original file.
type SourceLine struct {
	Number  int // 1-based
	Text    string
	Current bool // the page is paused on this line
}

// Frame is one call of the stack.
type Frame struct {
	ID       string // "f0" is the innermost; "" for frames of asynchronous callers (see Async)
	Function string
	Location Location
	// Async, if not "", names the asynchronous operation between this frame and the previous
	// one. The frame is from the stack at the time of scheduling.
	Async string
}

// Scope is one scope and its variables.
type Scope struct {
	Kind      string // local, block, closure, catch, module and so on
	Name      string // function of a closure
	Variables []Variable
	Omitted   int // number of omitted variables
}

// Variable is a variable with its shortened value.
type Variable struct{ Name, Value string }

// Watch is a watched expression with its value.
type Watch struct {
	Expression string
	Value      string
	Failed     bool // Value is the text of an error
}

// Change is a variable that is new or changed.
type Change struct {
	Name string
	Old  string // "" if it is new
	New  string
}

// reasonText returns the reason with its detail.
func (p Pause) reasonText() string {
	s := string(p.Reason)
	if len(p.Breakpoints) > 0 {
		if p.Reason == AtBreakpoint {
			return s + " " + strings.Join(p.Breakpoints, ", ")
		}
		s += " " + strings.Join(p.Breakpoints, ", ")
	}
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	return s
}

// pauseState is the state of one pause.
type pauseState struct {
	event   *cdpdebugger.EventPaused
	run     *run
	summary Pause
	// notified reports that the tab is blocked and Events.Paused has run.
	notified bool

	mu     sync.Mutex // held while the report is read
	report *Pause
}

func (s *pauseState) pausedError() *PausedError {
	return &PausedError{Reason: s.summary.reasonText(), Function: s.summary.Function, Location: s.summary.Location}
}

// topFrame returns the innermost frame, or nil.
func (s *pauseState) topFrame() *cdpdebugger.CallFrame {
	if len(s.event.CallFrames) == 0 {
		return nil
	}
	return s.event.CallFrames[0]
}

// leadsTo reports whether the pause to continues a step from this pause: its function was on the
// synchronous or asynchronous stack. After a step over the last statement the browser pauses at the
// next script that runs, which may be an unrelated event listener minutes later.
func (s *pauseState) leadsTo(to *pauseState) bool {
	f := to.topFrame()
	if f == nil {
		return false
	}
	for _, o := range s.event.CallFrames {
		if o.FunctionName == f.FunctionName && o.Location.ScriptID == f.Location.ScriptID {
			return true
		}
	}
	for t := s.event.AsyncStackTrace; t != nil; t = t.Parent {
		for _, o := range t.CallFrames {
			if o.FunctionName == f.FunctionName && o.ScriptID == f.Location.ScriptID {
				return true
			}
		}
	}
	return false
}

// summarize sets the fields of a pause that need no command to the page.
func (d *Debugger) summarize(ctx context.Context, r *run, s *pauseState) {
	p := &s.summary
	d.setReason(s, p)
	if f := s.topFrame(); f != nil {
		p.Function = f.FunctionName
		p.Location, _ = r.scripts.original(ctx, f.Location)
	}
}

// setReason sets the reason of the pause. CDP reports line breakpoints, debugger statements and
// requested pauses as "other".
func (d *Debugger) setReason(s *pauseState, p *Pause) {
	kind, data := s.event.Reason, json.RawMessage(s.event.Data)
	if kind == cdpdebugger.PausedReasonAmbiguous {
		kind, data = mainReason(data)
	}
	d.Breakpoints.idMu.Lock()
	defer d.Breakpoints.idMu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.settings.breakpoints {
		if b.wasHit(s.event.HitBreakpoints) {
			p.Breakpoints = append(p.Breakpoints, b.ID)
		}
	}
	switch kind {
	case cdpdebugger.PausedReasonException:
		p.Reason, p.Detail = AtException, exceptionText(data)
	case cdpdebugger.PausedReasonPromiseRejection:
		p.Reason, p.Detail = AtRejection, exceptionText(data)
	case cdpdebugger.PausedReasonXHR:
		p.Reason = AtRequest
		d.settings.requestLocked(p, data)
	case cdpdebugger.PausedReasonEventListener:
		p.Reason = AtEvent
		d.settings.eventLocked(p, data)
	case cdpdebugger.PausedReasonStep:
		p.Reason = AtStep
	case cdpdebugger.PausedReasonOther:
		switch {
		case len(p.Breakpoints) > 0:
		case d.pausePending:
			p.Reason = AtCommand
		default:
			p.Reason = AtDebuggerStatement
		}
	default:
		p.Reason, p.Detail = AtOther, string(kind)
	}
	if len(p.Breakpoints) > 0 && (p.Reason == "" || p.Reason == AtStep) {
		p.Reason = AtBreakpoint
	}
}

// mainReason returns the most specific of several reasons.
func mainReason(data json.RawMessage) (cdpdebugger.PausedReason, json.RawMessage) {
	var several struct {
		Reasons []struct {
			Reason cdpdebugger.PausedReason `json:"reason"`
			Data   json.RawMessage          `json:"auxData"`
		} `json:"reasons"`
	}
	if json.Unmarshal(data, &several) != nil {
		return cdpdebugger.PausedReasonOther, nil
	}
	kind, best := cdpdebugger.PausedReasonOther, json.RawMessage(nil)
	for _, r := range several.Reasons {
		switch r.Reason {
		case cdpdebugger.PausedReasonInstrumentation, cdpdebugger.PausedReasonOther:
		default:
			if kind == cdpdebugger.PausedReasonOther || kind == cdpdebugger.PausedReasonStep {
				kind, best = r.Reason, r.Data
			}
		}
	}
	return kind, best
}

func (b *breakpoint) wasHit(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		return b.id != "" && id == string(b.id) || slices.Contains(b.mapped, cdpdebugger.BreakpointID(id))
	})
}

func (s *settings) requestLocked(p *Pause, data json.RawMessage) {
	var x struct {
		Part string `json:"breakpointURL"`
		URL  string `json:"url"`
	}
	_ = json.Unmarshal(data, &x) // without it the detail stays empty
	p.Detail = text.ClipBytes(x.URL, 200)
	for _, b := range s.breakpoints {
		if b.Kind == RequestBreakpoint && b.Pattern == x.Part {
			p.Breakpoints = append(p.Breakpoints, b.ID)
		}
	}
}

func (s *settings) eventLocked(p *Pause, data json.RawMessage) {
	var x struct {
		Event  string `json:"eventName"`
		Target string `json:"targetName"`
	}
	_ = json.Unmarshal(data, &x) // without it the detail stays empty
	x.Event = strings.TrimPrefix(x.Event, "listener:")
	p.Detail = x.Event
	if x.Target != "" {
		p.Detail += " on " + x.Target
	}
	for _, b := range s.breakpoints {
		if b.Kind == EventBreakpoint && b.Event == x.Event && (b.Target == "" || strings.EqualFold(b.Target, x.Target)) {
			p.Breakpoints = append(p.Breakpoints, b.ID)
		}
	}
}

// exceptionText returns the text of a thrown value without its stack.
func exceptionText(data json.RawMessage) string {
	var o runtime.RemoteObject
	if json.Unmarshal(data, &o) != nil {
		return ""
	}
	return text.ClipBytes(errorText(&o), 300)
}

func errorText(o *runtime.RemoteObject) string {
	if o.Type == runtime.RemoteObjectTypeObject && o.Description != "" {
		text, _, _ := strings.Cut(o.Description, "\n    at ")
		return text
	}
	return formatValue(o, 300)
}

func exceptionMessage(details *runtime.ExceptionDetails) string {
	if details.Exception != nil {
		return errorText(details.Exception)
	}
	return details.Text
}

// callPaused runs a CDP command that is valid only during the pause of a reader.
func callPaused[P, R any](ctx context.Context, r *pauseReader, c cdp.Command[P, R], params P) (R, error) {
	res, err := cdp.Call(ctx, r.session, c, params)
	return res, r.checkPaused(r.pause, err)
}

package network

import (
	"time"

	"github.com/chromedp/cdproto/runtime"
)

// maxInitiatorFrames bounds the stack of an initiator.
const maxInitiatorFrames = 8

// Initiator is the cause of a request.
type Initiator struct {
	Type  string  // parser, script, preload, SignedExchange, preflight or other
	Stack []Frame // of script, innermost first; of the parser the place in the document
}

// Frame is a place in a script or document; Line and Column are 1-based, 0 if unknown.
type Frame struct {
	Function, URL string
	Line, Column  int
}

// Initiator returns what made the browser send the request. Its addresses have no secrets.
func (e Entry) Initiator() Initiator {
	if e.initiator == nil {
		return Initiator{Type: "other"}
	}
	out := Initiator{Type: string(e.initiator.Type)}
	for s := e.initiator.Stack; s != nil; s = s.Parent {
		out.addStack(s)
	}
	if len(out.Stack) == 0 && e.initiator.URL != "" {
		place := Frame{URL: RedactURL(e.initiator.URL)}
		if e.initiator.LineNumber > 0 || e.initiator.ColumnNumber > 0 {
			place.Line, place.Column = int(e.initiator.LineNumber)+1, int(e.initiator.ColumnNumber)+1
		}
		out.Stack = []Frame{place}
	}
	return out
}

func (i *Initiator) addStack(s *runtime.StackTrace) {
	for _, f := range s.CallFrames {
		if len(i.Stack) == maxInitiatorFrames {
			return
		}
		i.Stack = append(i.Stack, Frame{
			Function: f.FunctionName, URL: RedactURL(f.URL), Line: int(f.LineNumber) + 1, Column: int(f.ColumnNumber) + 1,
		})
	}
}

// Phase is one part of a request's time.
type Phase struct {
	Name           string
	Start, Took    time.Duration // Start counts from when the page asked for the request
	IncludesTLS    time.Duration // of connect
	IsOnlyEstimate bool          // the browser reported no timing; the whole time is one phase
}

// Phases returns the parts of a finished request's time, in order. Parts that did not happen are left
// out.
func (e Entry) Phases() (out []Phase) {
	t := newHARTimings(e)
	at := time.Duration(0)
	for _, p := range []struct {
		name string
		ms   float64
	}{{"blocked", t.Blocked}, {"dns", t.DNS}, {"connect", t.Connect}, {"send", t.Send}, {"wait", t.Wait}, {"receive", t.Receive}} {
		if p.ms <= 0 {
			continue
		}
		took := time.Duration(p.ms * float64(time.Millisecond))
		phase := Phase{Name: p.name, Start: at, Took: took, IsOnlyEstimate: e.Timing == nil}
		if p.name == "connect" && t.SSL > 0 {
			phase.IncludesTLS = time.Duration(t.SSL * float64(time.Millisecond))
		}
		out = append(out, phase)
		at += took
	}
	return out
}

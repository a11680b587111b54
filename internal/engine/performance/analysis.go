package performance

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// Trace describes the tab's main frame as a recording shows it. Times are in milliseconds from the
// last navigation, or from the start of a recording without one.
type Trace struct {
	URL       string // URL of the document
	Loaded    bool   // the recording contains a navigation
	FCP, LCP  float64
	DCL, Load float64
	CLS       float64
	TBT       float64 // total blocking time, from FCP on
	Requests  []Request
	Tasks     []Task // longer than 50 ms, on the main thread
	Shifts    []Shift

	lcp   paint
	end   float64
	start float64 // microseconds
}

// Request is one request in a trace.
type Request struct {
	URL, Type, MIME string
	Status          int
	Start, Response float64 // Response is the time of the response headers
	End             float64 // 0 if it did not finish
	Blocking        bool    // it blocked rendering
	Encoded         int64   // bytes on the wire
	Decoded         int64
	Compressed      bool
	Failed          bool
	Wait            float64 // milliseconds until the server responded
	Cached          bool

	id string
}

// Task is one long task of the main thread with its longest parts.
type Task struct {
	Start, Duration float64
	Parts           []Part // longest first
}

// Part is the execution of one function or step of the rendering pipeline within a task.
type Part struct {
	Name, URL string
	Duration  float64

	start, end float64
}

// Shift is one layout shift without recent input.
type Shift struct {
	At, Score float64
	Nodes     int
	Area      string // rectangles of the largest shifted element before and after
}

// paint describes the element of the largest contentful paint.
type paint struct {
	text bool
	node int64
	name string
	url  string
	size int64
}

// payload is the union of the arguments of all relevant trace events.
type payload struct {
	Frame string `json:"frame"`
	Name  string `json:"name"`
	Data  struct {
		Frame  string `json:"frame"`
		Parent string `json:"parent"`
		Frames []struct {
			Frame   string `json:"frame"`
			URL     string `json:"url"`
			Main    bool   `json:"isOutermostMainFrame"`
			Process int64  `json:"processId"`
		} `json:"frames"`
		DocumentURL string          `json:"documentLoaderURL"`
		Main        bool            `json:"isOutermostMainFrame"`
		Loading     bool            `json:"isLoadingMainFrame"`
		Type        string          `json:"type"`
		NodeID      int64           `json:"nodeId"`
		DOMNodeID   int64           `json:"DOMNodeId"`
		NodeName    string          `json:"nodeName"`
		ImageURL    string          `json:"imageUrl"`
		Size        json.Number     `json:"size"`
		Score       float64         `json:"weighted_score_delta"`
		Input       bool            `json:"had_recent_input"`
		Nodes       []impactedNode  `json:"impacted_nodes"`
		RequestID   string          `json:"requestId"`
		URL         string          `json:"url"`
		Resource    string          `json:"resourceType"`
		Blocking    string          `json:"renderBlocking"`
		Status      int             `json:"statusCode"`
		MIME        string          `json:"mimeType"`
		FromCache   bool            `json:"fromCache"`
		Encoded     float64         `json:"encodedDataLength"`
		Decoded     float64         `json:"decodedBodyLength"`
		Failed      bool            `json:"didFail"`
		Finish      float64         `json:"finishTime"`
		Timing      *resourceTiming `json:"timing"`
		Headers     []struct{ Name, Value string }
		Function    string `json:"functionName"`
	} `json:"data"`
	Begin struct {
		URL string `json:"url"`
	} `json:"beginData"`
}

type impactedNode struct {
	Old [4]float64 `json:"old_rect"`
	New [4]float64 `json:"new_rect"`
}

type resourceTiming struct {
	Sent     float64 `json:"sendEnd"`
	Received float64 `json:"receiveHeadersEnd"`
}

// reader collects events in one pass. Only the end of the trace tells the main frame and its last
// navigation.
type reader struct {
	events      []parsedEvent
	main        string
	process     int64
	threadNames map[[2]int64]string // names of threads by process and thread id
	frames      map[string]bool     // frames of the tab; other tabs may share its processes
}

type parsedEvent struct {
	event
	args payload
}

// isRelevant reports whether the analysis uses events of this name. About nine tenths are not.
func isRelevant(name string) bool {
	switch name {
	case "TracingStartedInBrowser", "navigationStart", "firstContentfulPaint", "largestContentfulPaint::Candidate", "LargestImagePaint::Candidate",
		"LayoutShift", "ResourceSendRequest", "ResourceReceiveResponse", "ResourceFinish", "MarkDOMContent", "MarkLoad", "thread_name",
		"RunTask", "EvaluateScript", "FunctionCall", "ParseHTML", "Layout", "UpdateLayoutTree", "Paint", "EventDispatch", "TimerFire",
		"FireAnimationFrame", "MajorGC", "MinorGC", "v8.compile", "RunMicrotasks", "FrameCommittedInBrowser":
		return true
	}
	return false
}

// Read reads a gzipped trace. The error wraps ErrNoTrace.
func Read(r io.Reader) (*Trace, error) {
	in := &reader{threadNames: map[[2]int64]string{}, frames: map[string]bool{}}
	err := eachEvent(r, func(raw json.RawMessage) error {
		var e parsedEvent
		if json.Unmarshal(raw, &e.event) != nil || !isRelevant(e.Name) || e.Name == "RunTask" && e.Dur < longTask*1000 {
			return nil // a malformed event is none of the relevant ones
		}
		if len(e.Args) > 0 && json.Unmarshal(e.Args, &e.args) != nil {
			return nil
		}
		e.Args = nil
		in.add(e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(in.events, func(a, b parsedEvent) int {
		switch {
		case a.TS < b.TS:
			return -1
		case a.TS > b.TS:
			return 1
		}
		return 0
	})
	return in.trace(), nil
}

func (in *reader) add(e parsedEvent) {
	switch e.Name {
	case "TracingStartedInBrowser":
		for _, f := range e.args.Data.Frames {
			in.frames[f.Frame] = true
			if f.Main && in.main == "" {
				in.main, in.process = f.Frame, f.Process
			}
		}
	case "thread_name":
		in.threadNames[[2]int64{e.PID, e.TID}] = e.args.Name
		return
	}
	in.events = append(in.events, e)
}

func (e *parsedEvent) frame() string {
	if e.args.Frame != "" {
		return e.args.Frame
	}
	return e.args.Data.Frame
}

// trace builds the result from the collected events.
func (in *reader) trace() *Trace {
	t := &Trace{}
	if len(in.events) > 0 {
		t.start = in.events[0].TS
	}
	for _, e := range in.events { // the last navigation counts, because scripts may redirect before
		if e.Name == "navigationStart" && e.frame() == in.main && e.args.Data.DocumentURL != "" && e.args.Data.DocumentURL != "about:blank" {
			t.start, t.URL, t.Loaded, in.process = e.TS, e.args.Data.DocumentURL, true, e.PID
		}
	}
	for _, e := range in.events {
		if e.Name == "FrameCommittedInBrowser" && in.frames[e.args.Data.Parent] {
			in.frames[e.args.Data.Frame] = true
		}
	}
	images := map[int64]string{}
	for _, e := range in.events {
		at := (e.TS - t.start) / 1000
		t.end = max(t.end, at)
		if at < -1 && e.Name != "ResourceSendRequest" && e.Name != "ResourceReceiveResponse" && e.Name != "ResourceFinish" {
			continue
		}
		if e.Name == "LargestImagePaint::Candidate" {
			images[e.args.Data.DOMNodeID] = e.args.Data.ImageURL
		}
		in.mark(t, e, at)
		in.request(t, e, at)
		in.task(t, e, at)
	}
	t.lcp.url = images[t.lcp.node]
	t.finish()
	return t
}

// mark records the paints, load events and layout shifts of the main frame.
func (in *reader) mark(t *Trace, e parsedEvent, at float64) {
	if f := e.frame(); f != "" && f != in.main {
		return
	}
	switch e.Name {
	case "firstContentfulPaint":
		t.FCP = at
	case "largestContentfulPaint::Candidate":
		size, _ := e.args.Data.Size.Int64()
		t.LCP, t.lcp = at, paint{text: e.args.Data.Type == "text", node: e.args.Data.NodeID, name: e.args.Data.NodeName, size: size}
	case "MarkDOMContent":
		t.DCL = at
	case "MarkLoad":
		t.Load = at
	case "LayoutShift":
		if !e.args.Data.Input {
			t.Shifts = append(t.Shifts, Shift{At: at, Score: e.args.Data.Score, Nodes: len(e.args.Data.Nodes), Area: describeShift(e.args.Data.Nodes)})
		}
	}
}

// request merges the events of one request.
func (in *reader) request(t *Trace, e parsedEvent, at float64) {
	find := func() *Request {
		for i := len(t.Requests) - 1; i >= 0; i-- {
			if t.Requests[i].id == e.args.Data.RequestID {
				return &t.Requests[i]
			}
		}
		return nil
	}
	switch e.Name {
	case "ResourceSendRequest":
		if !in.frames[e.frame()] {
			return // the request of another tab, or of a worker, which has no frame
		}
		t.Requests = append(t.Requests, Request{
			id: e.args.Data.RequestID, URL: e.args.Data.URL, Type: strings.ToLower(e.args.Data.Resource), Start: at,
			Blocking: e.args.Data.Blocking == "blocking" || e.args.Data.Blocking == "in_body_parser_blocking",
		})
	case "ResourceReceiveResponse":
		if r := find(); r != nil {
			r.Response, r.Status, r.MIME, r.Cached = at, e.args.Data.Status, e.args.Data.MIME, e.args.Data.FromCache
			if e.args.Data.Timing != nil {
				r.Wait = max(0, e.args.Data.Timing.Received-max(0, e.args.Data.Timing.Sent))
			}
			for _, h := range e.args.Data.Headers {
				r.Compressed = r.Compressed || strings.EqualFold(h.Name, "content-encoding")
			}
		}
	case "ResourceFinish":
		if r := find(); r != nil {
			r.End, r.Encoded, r.Decoded, r.Failed = at, int64(e.args.Data.Encoded), int64(e.args.Data.Decoded), e.args.Data.Failed
			if f := e.args.Data.Finish*1000 - t.start/1000; e.args.Data.Finish > 0 && f >= r.Start && f <= at {
				r.End = f
			}
		}
	}
}

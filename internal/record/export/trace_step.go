package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/text"
)

// maxTraceValue bounds an argument in a trace, in bytes.
const maxTraceValue = 8000

// contextOptions returns the first event of a trace.
func (w *traceWriter) contextOptions() traceContext {
	return traceContext{
		Type: "context-options", Version: traceVersion, Origin: "library", BrowserName: "chromium", Title: recordingTitle(w.source.Recording),
		WallTime: w.start.UnixMilli(), MonotonicTime: traceClock, SDKLanguage: "javascript", ContextID: "context@1",
	}
}

// traceStep is a step with its times and ids in a trace.
type traceStep struct {
	recorder.Step

	view         stepView
	callID, page string
	start, end   float64 // ms of the trace's clock
	wallEnd      int64   // ms since 1970
	clock        func(time.Time) float64
}

func newTraceStep(w *traceWriter, s recorder.Step) traceStep {
	end := s.StartedAt.Add(s.Duration)
	t := traceStep{
		Step: s, view: newStepView(s, w.start), callID: "call@" + strconv.Itoa(s.Seq), start: w.clock(s.StartedAt), end: w.clock(end),
		wallEnd: end.UnixMilli(), clock: w.clock,
	}
	if s.Tab != "" || s.Screenshot != "" {
		t.page = "page@" + cmp.Or(s.Tab, "none")
	}
	return t
}

// snapshotName names the snapshot of the step's end.
func (t traceStep) snapshotName() string { return "after@" + t.callID }

// events returns the action of the step with its log and its console messages.
func (t traceStep) events() []any {
	out := []any{traceBefore{
		Type: "before", CallID: t.callID, StartTime: t.start, Class: "Callsheet", Method: t.Tool,
		Title: strings.Join(strings.Fields(t.view.Title), " "), Params: traceParams(t.Tool, t.Args), PageID: t.page,
	}}
	for _, line := range t.log() {
		out = append(out, traceLog{Type: "log", CallID: t.callID, Time: t.end, Message: line})
	}
	for _, m := range t.Console {
		out = append(out, traceConsole{Type: "console", MessageType: m.Level, Text: m.Text, Args: []any{}, Time: t.end, PageID: t.page})
	}
	after := traceAfter{Type: "after", CallID: t.callID, EndTime: t.end, Error: t.failure()}
	if t.URL != "" {
		after.Result = map[string]any{"url": t.URL}
	}
	if t.Screenshot != "" {
		after.AfterSnapshot = t.snapshotName()
	}
	return append(out, after)
}

// log returns the lines of the action's log: the call, its elements and its answer.
func (t traceStep) log() []string {
	first := "tool " + t.Tool
	if t.Tab != "" {
		first += ", tab " + t.Tab
	}
	lines := []string{first}
	for _, target := range t.view.Targets {
		lines = append(lines, target.Pointer+" is "+target.Identity)
	}
	for _, pointer := range t.MaskedPointers {
		lines = append(lines, pointer+" is masked")
	}
	if t.Summary != "" {
		lines = append(lines, strings.Split(t.Summary, "\n")...)
	}
	for _, tab := range t.OpenedTabs {
		lines = append(lines, "opened tab "+tab)
	}
	if t.view.Verdict != nil {
		lines = append(lines, t.verdict())
	}
	if t.OmittedRequests > 0 {
		lines = append(lines, fmt.Sprintf("%d more requests are not kept", t.OmittedRequests))
	}
	if t.OmittedMessages > 0 {
		lines = append(lines, fmt.Sprintf("%d more messages are not kept", t.OmittedMessages))
	}
	return lines
}

// verdict shows the verdict of an assertion: its reason, and each condition that does not hold.
func (t traceStep) verdict() string {
	v := t.view.Verdict
	lines := []string{strings.TrimSuffix("verdict "+v.Name+": "+v.Reason, ": ")}
	for _, n := range v.Nodes {
		if n.Verdict != "pass" {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s, found %s %s", n.Verdict, n.Kind, n.Expected, n.Actual, n.Reason)))
		}
	}
	return strings.Join(lines, "\n")
}

// failure returns the error of a refused step, or of an assertion that does not hold; nil for
// others.
func (t traceStep) failure() *traceError {
	switch {
	case t.Outcome != "ok" && strings.Contains(t.Summary, t.Outcome):
		return &traceError{Name: t.Outcome, Message: t.Summary}
	case t.Outcome != "ok":
		return &traceError{Name: t.Outcome, Message: strings.TrimSuffix(t.Outcome+": "+t.Summary, ": ")}
	case t.view.Verdict != nil && t.view.Verdict.Name != "pass":
		return &traceError{Name: t.view.Verdict.Name, Message: t.verdict()}
	}
	return nil
}

// traceParams returns the arguments of a tool under the names that the viewer shows. The viewer
// decodes arguments of Playwright under some names, and more of them for methods that evaluate, so
// these names get a prefix.
func traceParams(tool string, args json.RawMessage) map[string]any {
	decoded := []string{"selector", "files", "eventInit", "expectedValue"}
	if strings.Contains(tool, "eval") {
		decoded = append(decoded, "arg", "value")
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(args, &all) // whatever can be read
	out := make(map[string]any, len(all))
	for name, raw := range all {
		if slices.Contains(decoded, name) {
			name = "args." + name
		}
		var value string
		switch {
		case json.Unmarshal(raw, &value) == nil && raw[0] == '"':
			out[name] = text.ClipBytes(value, maxTraceValue)
		case len(raw) > maxTraceValue:
			out[name] = text.ClipBytes(string(raw), maxTraceValue)
		default:
			out[name] = raw
		}
	}
	return out
}

// frame returns the frame of the film strip at the step's end.
func (t traceStep) frame(p tracePicture) traceFrame {
	return traceFrame{Type: "screencast-frame", PageID: t.page, File: p.file, Width: p.width, Height: p.height, Time: t.end, WallTime: t.wallEnd}
}

// snapshot returns a page that consists of the picture. The viewer shows it for the step.
func (t traceStep) snapshot(p tracePicture) traceSnapshotEvent {
	type attributes = map[string]string
	alternative := fmt.Sprintf("The page after step %d", t.Seq)
	return traceSnapshotEvent{Type: "frame-snapshot", Snapshot: traceSnapshot{
		CallID: t.callID, Name: t.snapshotName(), PageID: t.page, FrameID: "frame@" + t.page, URL: cmp.Or(t.URL, "about:blank"), Doctype: "html",
		HTML: []any{
			"HTML", attributes{"lang": "en"},
			[]any{"HEAD", attributes{}, []any{"STYLE", attributes{}, "body { margin: 0 } img { display: block }"}},
			[]any{"BODY", attributes{}, []any{"IMG", attributes{
				"src": string(dataURL("image/jpeg", p.jpeg)), "alt": alternative, "width": strconv.Itoa(p.width), "height": strconv.Itoa(p.height),
			}}},
		},
		Viewport: traceSize{p.width, p.height}, Time: t.end, WallTime: t.wallEnd, Overrides: []any{}, IsMainFrame: true,
	}}
}

// resource returns a request of the step. Heads and bodies are not recorded, so its kind stands for
// the type of the content, by which the viewer filters.
func (t traceStep) resource(q recorder.Request) traceResourceEvent {
	at := q.StartedAt
	if at.IsZero() {
		at = t.StartedAt
	}
	status := q.Status
	if status == 0 {
		status = -1
	}
	return traceResourceEvent{Type: "resource-snapshot", Snapshot: traceResource{
		PageRef: t.page, Started: at.UTC().Format("2006-01-02T15:04:05.000Z07:00"), Time: q.Milliseconds,
		Request: traceRequest{Method: q.Method, URL: q.URL, Cookies: []any{}, Headers: []any{}, Query: []any{}, HeadersSize: -1, BodySize: -1},
		Response: traceResponse{
			Status: status, Cookies: []any{}, Headers: []any{}, Content: traceContent{Size: -1, MIME: cmp.Or(q.Kind, "x-unknown")},
			HeadersSize: -1, BodySize: -1, Transferred: -1, Failure: q.Error,
		},
		Timings: map[string]float64{"send": -1, "wait": q.Milliseconds, "receive": -1}, Clock: t.clock(at),
	}}
}

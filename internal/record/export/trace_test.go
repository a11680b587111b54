package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// writeTrace exports a trace and returns its files by name, and the events of trace.trace.
func writeTrace(t *testing.T, s export.Source) (files map[string]string, events []map[string]any) {
	t.Helper()
	format, ok := export.ForFile("order.trace.zip")
	if !ok || format.Name != "trace" {
		t.Fatalf("order.trace.zip has the format %+v", format)
	}
	data, err := format.Write(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Steps) < 10 { // writing takes its time
		again, err := format.Write(s)
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("the same recording gives other bytes, %v", err)
		}
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	for line := range strings.Lines(files["trace.trace"]) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v in %.200s", err, line)
		}
		events = append(events, event)
	}
	return files, events
}

// find returns the events of a type.
func find(events []map[string]any, kind string) (out []map[string]any) {
	for _, e := range events {
		if e["type"] == kind {
			out = append(out, e)
		}
	}
	return out
}

// picture returns a JPEG.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTraceOfUnusualSteps: names that the viewer decodes are changed, what does not hold is an error, and
// what is gone is said.
func TestTraceOfUnusualSteps(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	small := picture(t, 40, 30)
	files, events := writeTrace(t, export.Source{
		Recording: recorder.Recording{ID: "rec-1", Label: "Order", StartedAt: begun},
		Artifact: func(id string, _ int) []byte {
			return map[string][]byte{"kept": small, "text": []byte("no picture")}[id]
		},
		Steps: []recorder.Step{
			{Seq: 1, Tool: "debugger_evaluate_on_call_frame", Args: json.RawMessage(`{"selector":["#a"],"files":7,"value":{"n":1},"long":"` + strings.Repeat("x", 9000) + `"}`), StartedAt: begun.Add(-time.Second), Duration: time.Second, Outcome: "ok", Tab: "t1", Screenshot: "kept"},
			{Seq: 2, Tool: "interact", Args: json.RawMessage(`{"value":"v"}`), StartedAt: begun, Outcome: "STALE_REF", Summary: "the page changed", Screenshot: "text", Requests: []recorder.Request{{Method: "GET", URL: "https://x.org/", Error: "net::ERR_FAILED"}}},
			{Seq: 3, Tool: "oc_assert", Args: json.RawMessage(`no JSON`), StartedAt: begun, Outcome: "ok", Screenshot: "gone", Verdict: json.RawMessage(`{"verdict":"fail","reason":"one of two","nodes":[{"kind":"url","verdict":"fail","expected":"/a","actual":"/b"}]}`)},
		},
	})
	context := events[0]
	if context["type"] != "context-options" || context["version"] != 8.0 || context["title"] != "Order" || context["wallTime"] != float64(begun.Add(-time.Second).UnixMilli()) {
		t.Errorf("the context is %v", context)
	}
	actions, ends := find(events, "before"), find(events, "after")
	params, _ := actions[0]["params"].(map[string]any)
	for _, name := range []string{"args.selector", "args.files", "args.value", "long"} {
		if params[name] == nil {
			t.Errorf("the parameters lack %s: %.300v", name, params)
		}
	}
	if long, _ := params["long"].(string); len(long) > 8000 {
		t.Errorf("an argument has %d bytes", len(long))
	}
	if got, _ := actions[1]["params"].(map[string]any); got["value"] != "v" {
		t.Errorf("the second call has the parameters %v", got)
	}
	for i, want := range []string{"", "STALE_REF: the page changed", "verdict fail: one of two\nfail url /a, found /b"} {
		failed, _ := ends[i]["error"].(map[string]any)
		if got, _ := failed["message"].(string); got != want {
			t.Errorf("the error of step %d is %q, want %q", i+1, got, want)
		}
	}
	if actions[0]["startTime"] != 1.0 || ends[0]["endTime"] != 1001.0 {
		t.Errorf("the first step takes from %v to %v", actions[0]["startTime"], ends[0]["endTime"])
	}
	if files["resources/step-1.jpeg"] != string(small) || len(files) != 3 || len(find(events, "screencast-frame")) != 1 || len(find(events, "frame-snapshot")) != 1 {
		t.Errorf("%d files, %d frames, %d snapshots of one picture", len(files), len(find(events, "screencast-frame")), len(find(events, "frame-snapshot")))
	}
	if said := find(events, "stderr"); len(said) != 1 || said[0]["text"] != "2 pictures are gone, or left out for the size of this trace" {
		t.Errorf("the console says %v", said)
	}
	if !strings.Contains(files["trace.network"], `"status":-1`) || !strings.Contains(files["trace.network"], "net::ERR_FAILED") {
		t.Errorf("the requests are %s", files["trace.network"])
	}
}

// TestTraceIsBounded exports more pictures and more text than a trace may have.
func TestTraceIsBounded(t *testing.T) {
	t.Parallel()
	large := append(picture(t, 40, 30), make([]byte, 5<<20)...)
	s := export.Source{
		Recording: recorder.Recording{ID: "rec-1", StartedAt: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)},
		Artifact:  func(string, int) []byte { return large },
	}
	message := recorder.Message{Level: "log", Text: strings.Repeat("x", 500_000)}
	for i := range 40 {
		s.Steps = append(s.Steps, recorder.Step{Seq: i + 1, Tool: "navigate", Outcome: "ok", StartedAt: s.Recording.StartedAt, Screenshot: "p", Console: []recorder.Message{message}})
	}
	files, events := writeTrace(t, s)
	pictures, actions := len(files)-2, len(find(events, "before"))
	if pictures != 3 || actions == 0 || actions >= len(s.Steps) {
		t.Errorf("%d pictures of 5 MB and %d of %d actions", pictures, actions, len(s.Steps))
	}
	if said := find(events, "stderr"); len(said) != 2 || !strings.HasSuffix(said[1]["text"].(string), "steps are left out for the size of this trace") {
		t.Errorf("the console says %v", said)
	}
}

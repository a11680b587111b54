package replay_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// TestPersistentReason: a missing element may appear later, another one in its place does not go.
func TestPersistentReason(t *testing.T) {
	t.Parallel()
	gone := func(near ...string) replay.Drift {
		return replay.Drift{Kind: "gone", Expected: `button "Place order" beside "Cart"`, Reason: "no button is called so", Similar: near}
	}
	for _, c := range []struct {
		drift replay.Drift
		want  string // a part; "" means none
	}{
		{gone(), ""},
		{gone(`button "Retry"`, `link "Place order"`), ""},
		{gone(`button "Place order"`), ""}, // in another place
		{gone(`button "Retry"`, `button "Order now"`), `seems to be button "Order now" now`},
		{replay.Drift{Kind: "gone", Expected: `button with text "Order"`, Similar: []string{`button "Order"`}}, ""},
		{replay.Drift{Kind: "ambiguous", Reason: "2 elements fit"}, "2 elements fit"},
		{replay.Drift{Kind: "role", Reason: "it is a link now"}, "it is a link now"},
		{replay.Drift{Kind: replay.DriftStart, Reason: "open it"}, "open it"},
		{replay.Drift{Kind: replay.DriftAddress, Reason: "to none now"}, ""},
		{replay.Drift{Kind: replay.DriftOutcome, Code: "TIMEOUT"}, ""},
		{replay.Drift{Kind: replay.DriftOutcome, Code: "CAPABILITY_DISABLED"}, "CAPABILITY_DISABLED"},
		{replay.Drift{Kind: replay.DriftVerdict}, ""},
	} {
		if got := c.drift.PersistentReason(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.drift, got, c.want)
		}
	}
}

// TestFirstURL is the address that a script goes to before anything else, with parameters.
func TestFirstURL(t *testing.T) {
	t.Parallel()
	step := func(tool, args string) recorder.Step {
		return recorder.Step{Seq: 1, Tool: tool, Args: json.RawMessage(args), Tab: "t1", Outcome: "ok"}
	}
	home := "a.example"
	of := func(steps ...recorder.Step) replay.Script {
		return replay.Script{Steps: steps, Parameters: []replay.Parameter{{Name: "host", Default: &home}}}
	}
	there, read := step(toolset.ToolNavigate, `{"url":"https://{param:host}/x"}`), step(toolset.ToolReadPage, `{}`)
	refused := there
	refused.Outcome = "NAVIGATION_FAILED"
	for _, c := range []struct {
		script replay.Script
		params map[string]string
		want   string
	}{
		{of(there, read), nil, "https://a.example/x"},
		{of(there), map[string]string{"host": "b.example"}, "https://b.example/x"},
		{of(refused, there), nil, "https://a.example/x"},
		{of(read, there), nil, ""},
		{of(), nil, ""},
	} {
		if got := c.script.FirstURL(c.params); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

package check_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/callsheet/callsheet/internal/site/check"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/site/traffic"
)

// runner answers for each tool, and counts the runs that made the last step.
type runner struct{ acted []string }

func (r *runner) Observe(context.Context, string) (run.Facts, error) { return run.Facts{}, nil }

func (r *runner) Run(_ context.Context, tool string, args json.RawMessage, o run.Options) (run.Result, error) {
	if !o.StopBeforeLast {
		r.acted = append(r.acted, tool)
	}
	switch tool {
	case "login":
		return run.Result{}, &run.NotVisibleError{Tool: tool, Needs: "!logged_in"}
	case "list":
		return run.Result{Via: []string{"login"}}, nil
	case "edit":
		if string(args) == "{}" {
			return run.Result{}, &run.MissingArgumentsError{Tool: tool, Names: []string{"name"}}
		}
		d := &run.Drift{Tool: tool, Step: 2, Action: "interact", Kind: "gone", Expected: `button "Save"`, Found: "nothing",
			Repair: &run.Repair{Tool: tool, Why: "it shares a word", Changes: []run.Change{{Op: "replace", Path: "/steps/1/targets/~1ref/name", Old: "Save", New: "Save all"}}}}
		return run.Result{Drift: d, Evidence: []run.Evidence{{Name: "edit.png", URI: "callsheet://artifact/1"}}}, nil
	}
	return run.Result{}, nil
}

func TestCheck(t *testing.T) {
	t.Parallel()
	args := func(texts ...string) (out []json.RawMessage) {
		for _, s := range texts {
			out = append(out, json.RawMessage(s))
		}
		return out
	}
	name := []run.Parameter{{Name: "name", Required: true}}
	site := &run.Site{Name: "shop", Tools: []run.Tool{
		{Name: "login"}, {Name: "add", Parameters: name}, {Name: "edit", Parameters: name, Examples: args(`{"name":"a"}`, `{"name":"b"}`, `{}`)},
		{Name: "delete", Parameters: name, Examples: args(`{"name":"a"}`), Destructive: true}, {Name: "list"},
	}}
	r := &runner{}
	report, err := check.Check(t.Context(), r, site, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const drift = "  edit, step 2 (interact): gone: expected button \"Save\", found nothing\n" +
		"  proposed repair, not applied: replace /steps/1/targets/~1ref/name \"Save\" → \"Save all\" (it shares a word)\n  edit.png callsheet://artifact/1\n"
	want := "passed    login: on the way to another tool\nunchecked add: it has no examples, and needs name\n" +
		"drifted   edit {\"name\":\"a\"}\n" + drift + "drifted   edit {\"name\":\"b\"}\n" + drift +
		"failed    edit: example: edit needs a value for name\nprepared  delete {\"name\":\"a\"}\npassed    list\n" +
		"shop: 2 passed, 1 prepared, 2 drifted, 1 failed, 1 unchecked\n"
	if got := report.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n := len(report.Repairs()); n != 1 {
		t.Errorf("%d repairs", n)
	}
	for _, tool := range r.acted {
		if tool == "delete" {
			t.Error("a destructive tool was run to its end")
		}
	}
}

// TestHiddenToolsOfAStaleRecording replays a recording that lacks the page on which a tool depends: a hidden tool says
// nothing about the site, and the exit code must not be that of a site without drift.
func TestHiddenToolsOfAStaleRecording(t *testing.T) {
	t.Parallel()
	site := &run.Site{Name: "shop", Tools: []run.Tool{{Name: "login"}}}
	for kind, want := range map[string]check.Status{"document": check.Stale, "image": check.Unchecked} {
		report, err := check.Check(t.Context(), &runner{}, site, check.Options{Missing: func() []traffic.Request {
			return []traffic.Request{{Method: "GET", URL: "https://shop.example/login", Type: kind}}
		}})
		if err != nil || report.Tools[0].Status != want {
			t.Errorf("without a request of type %s: %+v, %v", kind, report.Tools, err)
		}
	}
}

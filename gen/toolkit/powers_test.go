package toolkit_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

func TestPowersOf(t *testing.T) {
	t.Parallel()
	tool := &toolkit.Tool{Powers: []toolkit.Use{
		{Power: "file_write", Param: "path"},
		{Power: "network"},
		{Power: "script", Param: "type", Values: []string{"function", "both"}},
		{Power: "window", Param: "fresh", Values: []string{"true"}, Default: true},
	}}
	for args, want := range map[string]string{
		`{}`:                                   "network window",
		`{"fresh":false}`:                      "network",
		`{"type":"text","fresh":false}`:        "network",
		`{"type":"function","fresh":false}`:    "network script",
		`{"fresh":false,"path":""}`:            "file_write network",
		`{"fresh":false,"path":null}`:          "network",
		`{"fresh":false,"type":"both"}`:        "network script",
		`{"fresh":false,"\u0074ype":"both"}`:   "network script",
		`{"fresh":true,"type":["function"]}`:   "network window",
		`not json`:                             "network window",
		`{"type":"text","type":"function"`:     "network script window",
		`{"type":"text","type":"function"}`:    "network script window",
		`{"deep":{"type":"function"}}`:         "network window",
		`{"path":"type","fresh":true}`:         "file_write network window",
		`{"other":"function","path":"a/type"}`: "file_write network window",
	} {
		if got := strings.Join(tool.PowersOf([]byte(args)), " "); got != want {
			t.Errorf("%s uses %q, want %q", args, got, want)
		}
	}
}

// TestWithheldPowers calls a tool that runs script under a condition, of which the handler is only
// handed the power in such calls, and one that always runs script.
func TestWithheldPowers(t *testing.T) {
	t.Parallel()
	reg := sample()
	reg.Powers = []toolkit.Power{{Name: "script", Surface: "evaluate", Changes: true}}
	for i := range reg.Tools {
		switch tool := &reg.Tools[i]; tool.Name {
		case "look":
			tool.Powers = []toolkit.Use{{Power: "script", Param: "mode", Values: []string{"run"}}}
			tool.Invoke = func(_ context.Context, _ *toolkit.Call, g grant.Grant, _ []byte) (toolkit.CallResult, error) {
				if err := g.Check("script"); err != nil {
					return toolkit.Unstructured(toolkit.Text("without"), nil)
				}
				return toolkit.Unstructured(toolkit.Text("with"), nil)
			}
		case "click":
			tool.Powers = []toolkit.Use{{Power: "script"}}
		}
	}
	reg.Surfaces = []toolkit.PolicySurface{{Name: "evaluate", Flag: "no-evaluate"}, {Name: "file"}}
	for _, c := range []struct {
		options toolkit.Options
		tool    string
		args    string
		want    string
	}{
		{toolkit.Options{}, "look", `{}`, "without"},
		{toolkit.Options{}, "look", `{"mode":"run"}`, "with"},
		{toolkit.Options{DisableSurfaces: []string{"evaluate"}}, "look", `{}`, "without"},
		{toolkit.Options{DisableSurfaces: []string{"evaluate"}}, "look", `{"mode":"run"}`, "POLICY_DENIED: look uses the power script when mode is run, and this server runs with --no-evaluate"},
		{toolkit.Options{ReadOnly: true}, "look", `{"mode":"run"}`, "and this server runs with --read-only"},
		{toolkit.Options{DisableSurfaces: []string{"evaluate"}}, "click", `{}`, "--no-evaluate"},
		{toolkit.Options{Powers: []string{}}, "look", `{}`, "without"},
		{toolkit.Options{Powers: []string{}}, "look", `{"mode":"run"}`, "this server runs with limited powers for this caller"},
		{toolkit.Options{Powers: []string{}}, "click", `{}`, "limited powers for this caller"},
		{toolkit.Options{Powers: []string{"script"}}, "look", `{"mode":"run"}`, "with"},
		{toolkit.Options{ExcludeTools: []string{"click"}}, "look", `{}`, "without"},
		{toolkit.Options{ExcludeTools: []string{"click"}}, "look", `{"mode":"run"}`, "look uses the power script when mode is run, and this server runs with --exclude-tools click"},
		{toolkit.Options{ExcludeTools: []string{"press"}}, "look", `{"mode":"run"}`, "with"},
	} {
		surface, err := toolkit.NewSurface(reg, c.options)
		if err != nil {
			t.Fatal(err)
		}
		res, err := surface.NewSession("s", func() {}).Dispatch(t.Context(), toolkit.Request{Tool: c.tool, Args: []byte(c.args)})
		if err != nil || !strings.Contains(res.Content[0].Text, c.want) {
			t.Errorf("%+v %s %s: %v %v", c.options, c.tool, c.args, res.Content, err)
		}
		if c.tool == "click" && slices.ContainsFunc(surface.AllowedTools(), func(t *toolkit.Tool) bool { return t.Name == "click" }) {
			t.Error("a tool each of whose calls uses a withheld power is served")
		}
	}
}

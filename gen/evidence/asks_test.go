package evidence

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/spec"
)

// A handler asks for what the functions that it calls ask for. What leaves the package is not known.
func TestAsks(t *testing.T) {
	t.Parallel()
	const helpers = `
func form() toolkit.Input { return toolkit.Input{Key: "a", Question: &toolkit.Question{Message: "m"}} }
func page() toolkit.Input { return toolkit.Input{Key: "b", Question: &toolkit.Question{URL: "https://example.com"}} }
func put(ctx context.Context, call *toolkit.Call, in ...toolkit.Input) { _, _ = call.Ask(ctx, in...) }
`
	for body, want := range map[string]string{
		`put(ctx, call, form())`:                                             "elicitation | elicitation",
		`put(ctx, call, form(), page())`:                                     "elicitation elicitation.url | elicitation elicitation.url",
		`_, _ = call.Ask(ctx, toolkit.Input{Sampling: &toolkit.Sampling{}})`: "sampling | sampling",
		`_, _ = call.Ask(ctx, toolkit.Input{Roots: true})`:                   "roots | roots",
		`form := toolkit.Input{Roots: true}; _, _ = call.Ask(ctx, form)`:     "roots | elicitation roots",
		`each(form, func(in toolkit.Input) { put(ctx, call, in) })`:          " | elicitation",
		`form()`:                  " | ",
		`people.Put(ctx, call)`:   " |  open",
		`t.people.Put(ctx, call)`: " |  open",
		`in := toolkit.Input{}; in.Question = q; _, _ = call.Ask(ctx, in)`: " |  open",
		`_, _ = call.Ask(ctx, people.Question())`:                          " |  open",
		`_, _ = call.Ask(ctx, toolkit.Input{Question: q})`:                 " |  open",
		`policy.Ask(ctx, form())`:                                          " | ",
	} {
		source := "package p\n\nimport (\n\"example.com/m/internal/people\"\n\"example.com/m/internal/policy\"\n)\n" + helpers +
			"func (t *Tools) Read(ctx context.Context, call *toolkit.Call) {\n" + body + "\n}\n"
		code := Read([]spec.File{{Name: "tools/p/p.go", Data: []byte(source)}}, Packages{Toolset: "toolset", Codes: "codes", Registry: "generated/registry"})
		if len(code.Handlers) != 1 {
			t.Fatalf("%s: %d handlers", body, len(code.Handlers))
		}
		asks := code.Handlers[0].Asks
		got := strings.Join(asks.Kinds, " ") + " | " + strings.Join(asks.Maybe, " ")
		if asks.Open {
			got += " open"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

package recorder_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// TestNestedCallsAreNotSteps records a tool that calls another one: it is one step, with the secret
// that the other has met taken out. A verdict is kept with its step, a refused one is none.
func TestNestedCallsAreNotSteps(t *testing.T) {
	archive := recorder.NewArchive(opened(t, t.TempDir()))
	r := recorder.New(recorder.Config{Archive: archive, Redact: strings.NewReplacer("from the vault", "[secret:X]").Replace})
	tool := func(name string, invoke func(context.Context, *toolkit.Call, []byte) (toolkit.CallResult, error)) toolkit.Tool {
		return toolkit.Tool{Name: name, Scopes: []string{"s"}, Tier: 1, Timeout: 1 << 40, Invoke: func(ctx context.Context, call *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
			return invoke(ctx, call, args)
		}, Traits: toolset.TraitsOf(name)}
	}
	surface, err := toolkit.NewSurface((&toolkit.Registry{Scopes: []string{"s"}, Tools: []toolkit.Tool{
		tool("oc_assert", func(_ context.Context, _ *toolkit.Call, args []byte) (toolkit.CallResult, error) {
			if strings.Contains(string(args), "bad") {
				return toolkit.CallResult{}, toolkit.Refuse(toolkit.InvalidArguments, "no contract")
			}
			return toolkit.CallResult{Result: toolkit.Text("pass"), Structured: []byte(`{"verdict":"pass","nodes":[{"actual":"from the vault 13579246"}]}`)}, nil
		}),
		tool("oc_totp_generate", func(context.Context, *toolkit.Call, []byte) (toolkit.CallResult, error) {
			return toolkit.Unstructured(toolkit.Text("13579246, for 9 s more"), nil)
		}),
		tool("plan", func(ctx context.Context, call *toolkit.Call, _ []byte) (toolkit.CallResult, error) {
			_, err := call.Dispatch(ctx, "oc_totp_generate", nil, nil)
			res := toolkit.Text("one\ntwo 13579246\nthree\nfour\nfive")
			res.Links = []toolkit.Link{
				{URI: artifact.Scheme + "film", MIME: "video/webm"}, {URI: artifact.Scheme + "page", MIME: "image/png"}, {URI: "https://x.org/film", MIME: "video/webm"},
			}
			return toolkit.Unstructured(res, err)
		}),
	}}).Index(), toolkit.Options{}, r.Middleware)
	if err != nil {
		t.Fatal(err)
	}
	v := surface.NewSession("s", nil)
	rec, err := r.Start(t.Context(), "s", recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"plan", `{"password":"x{secret:A}","pin":1234,"headers":["X-Api-Key: abc","Accept: */*"],"plain":13579246,"token":"{secret:A}"}`},
		{"oc_assert", `{"url":"https://ann:pw@x.org/?token=1&a=2"}`}, {"oc_assert", `{"bad":1}`}, {"plan", ``},
	} {
		if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: c[0], Args: []byte(c[1])}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "nothing"}); err == nil {
		t.Fatal("there is such a tool")
	}
	steps, err := archive.Steps(t.Context(), rec.ID)
	if err != nil || len(steps) != 4 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	if !slices.Equal(steps[0].Videos, []string{"film"}) || steps[1].Videos != nil {
		t.Errorf("the videos of steps are %q and %q", steps[0].Videos, steps[1].Videos)
	}
	for i, want := range []string{
		`{"headers":["X-Api-Key: [masked]","Accept: */*"],"password":"[masked]","pin":"[masked]","plain":"[masked]","token":"{secret:A}"}`,
		`{"url":"https://REDACTED@x.org/?token=REDACTED&a=2"}`, `{"bad":1}`, `{}`,
	} {
		if string(steps[i].Args) != want {
			t.Errorf("step %d has %s, want %s", i+1, steps[i].Args, want)
		}
	}
	if got := strings.Join(steps[0].MaskedPointers, " "); got != "/headers/0 /password /pin /plain" {
		t.Errorf("masked are %s", got)
	}
	if got := steps[0].Summary; got != "one\ntwo [masked]\nthree\nfour" {
		t.Errorf("the summary is %q", got)
	}
	if got := string(steps[1].Verdict); got != `{"nodes":[{"actual":"[secret:X] [masked]"}],"verdict":"pass"}` {
		t.Errorf("the verdict is %s", got)
	}
	if steps[2].Verdict != nil || steps[2].Outcome != "INVALID_ARGUMENTS" {
		t.Errorf("the refusal is %+v", steps[2])
	}
}

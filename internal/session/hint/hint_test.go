package hint_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/session/hint"
)

func session(tb testing.TB, names ...string) *toolkit.Session {
	tb.Helper()
	var all []toolkit.Tool
	for _, name := range names {
		all = append(all, toolkit.Tool{Name: name, Scopes: []string{"s"}, Tier: 1, Traits: toolset.TraitsOf(name)})
	}
	surface, err := toolkit.NewSurface((&toolkit.Registry{Scopes: []string{"s"}, Tools: all}).Index(), toolkit.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return surface.NewSession("one", nil)
}

// shown is a result of one text.
func shown(text string) toolkit.CallResult { return toolkit.CallResult{Result: toolkit.Text(text)} }

func hintOf(t *testing.T, m *hint.Middleware, v *toolkit.Session, tool, args string, res toolkit.CallResult) string {
	t.Helper()
	out, err := m.Wrap(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) { return res, nil })(
		t.Context(), v, toolkit.Request{Tool: tool, Args: []byte(args)})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Content) == len(res.Content) {
		return ""
	}
	return out.Content[len(out.Content)-1].Text
}

func TestHintNamesOnlyCallableTools(t *testing.T) {
	gone := toolkit.RefusalResult("interact", toolkit.Refuse(codes.StaleRef, "gone"))
	for _, tc := range []struct {
		tools []string
		want  string
	}{
		{[]string{toolset.ToolInteract, toolset.ToolReadPage}, "; read_page shows"},
		{[]string{toolset.ToolInteract, toolset.ToolPageScreenshot}, "; page_screenshot shows"},
		{[]string{toolset.ToolInteract}, "older page"},
	} {
		m, v := hint.New(), session(t, tc.tools...)
		for i := range 2 * 3 {
			got := hintOf(t, m, v, "interact", fmt.Sprintf(`{"ref":"e%d"}`, i), gone)
			if (i%3 == 2) != (got != "") || got != "" && !strings.HasSuffix(got, tc.want) && !strings.Contains(got, tc.want) {
				t.Errorf("%v: the hint of failure %d is %q", tc.tools, i+1, got)
			}
			for _, name := range []string{"read_page", "page_screenshot"} {
				if strings.Contains(got, name) && !v.Surface().Allows(name) {
					t.Errorf("%q names %s, which this client does not have", got, name)
				}
			}
		}
	}
}

func TestOtherCallsResetRepeats(t *testing.T) {
	m, v := hint.New(), session(t, toolset.ToolReadPage, toolset.ToolWaitFor)
	same := shown("the same")
	for i := range 10 {
		if got := hintOf(t, m, v, "read_page", "{}", same); got != "" {
			t.Fatalf("the hint of call %d is %q", i, got)
		}
		if got := hintOf(t, m, v, "read_page", "{}", shown(fmt.Sprintf("other %d", i))); got != "" {
			t.Fatalf("the hint of call %d is %q", i, got)
		}
	}
	hintOf(t, m, v, "read_page", "{}", same)
	hintOf(t, m, v, "read_page", "{}", same)
	if got := hintOf(t, m, v, "read_page", "{}", same); !strings.Contains(got, "wait_for") {
		t.Errorf("the hint of the third equal call is %q", got)
	}
}

func TestWallIsAnnouncedOnce(t *testing.T) {
	m, v := hint.New(), session(t, toolset.ToolReadPage, toolset.ToolNavigate, toolset.ToolFillForm)
	login := shown("<page>\n- heading \"Please log in\"\n</page>")
	if got := hintOf(t, m, v, "read_page", "{}", login); !strings.Contains(got, "login first; fill_form") {
		t.Errorf("the hint of a login page is %q", got)
	}
	if got := hintOf(t, m, v, "read_page", `{"mode":"full"}`, login); got != "" {
		t.Errorf("the same wall is announced again: %q", got)
	}
	if got := hintOf(t, m, v, "read_page", "{}", shown("Verify you are HUMAN")); !strings.Contains(got, "robots") {
		t.Errorf("the hint of a CAPTCHA is %q", got)
	}
	hintOf(t, m, v, "read_page", "{}", shown("all is well"))
	if got := hintOf(t, m, v, "read_page", "{}", login); got == "" {
		t.Error("the wall came back without a hint")
	}
}

// BenchmarkNoHint measures a call without a hint whose result is a page of usual size.
func BenchmarkNoHint(b *testing.B) {
	v := session(b, toolset.ToolReadPage)
	texts := make([]toolkit.CallResult, 16)
	for i := range texts {
		texts[i].Result = toolkit.Textf("%d %s", i, strings.Repeat("- button \"Save the draft\" [e12]\n", 300))
	}
	i := 0
	run := hint.New().Wrap(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.CallResult, error) {
		i++
		return texts[i%16], nil
	})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = run(b.Context(), v, toolkit.Request{Tool: "read_page", Args: []byte("{}")})
	}
}

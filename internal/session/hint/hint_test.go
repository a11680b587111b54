package hint_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/session/hint"
)

func session(tb testing.TB, names ...string) *toolkit.Session {
	tb.Helper()
	var all []toolkit.Tool
	for _, name := range names {
		all = append(all, toolkit.Tool{Name: name, Scopes: []string{"s"}, Tier: 1})
	}
	surface, err := toolkit.NewSurface((&toolkit.Registry{Scopes: []string{"s"}, Tools: all}).Index(), toolkit.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return surface.NewSession("one", nil)
}

func ask(t *testing.T, l *hint.Layer, v *toolkit.Session, tool, args string, res toolkit.Result) string {
	t.Helper()
	out, err := l.Around(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.Result, error) { return res, nil })(
		t.Context(), v, toolkit.Request{Tool: tool, Args: []byte(args)})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Content) == len(res.Content) {
		return ""
	}
	return out.Content[len(out.Content)-1].Text
}

func TestAHintNamesOnlyToolsOfTheClient(t *testing.T) {
	gone := toolkit.RefusalResult("interact", toolkit.Refuse(toolkit.StaleRef, "gone"))
	for _, tc := range []struct {
		tools []string
		want  string
	}{
		{[]string{toolset.ToolInteract, toolset.ToolReadPage}, "; read_page shows"},
		{[]string{toolset.ToolInteract, toolset.ToolPageScreenshot}, "; page_screenshot shows"},
		{[]string{toolset.ToolInteract}, "older page"},
	} {
		l, v := hint.New(), session(t, tc.tools...)
		for i := range 2 * 3 {
			got := ask(t, l, v, "interact", fmt.Sprintf(`{"ref":"e%d"}`, i), gone)
			if (i%3 == 2) != (got != "") || got != "" && !strings.HasSuffix(got, tc.want) && !strings.Contains(got, tc.want) {
				t.Errorf("%v: failure %d is told %q", tc.tools, i+1, got)
			}
			for _, name := range []string{"read_page", "page_screenshot"} {
				if strings.Contains(got, name) && !v.Surface().Allows(name) {
					t.Errorf("%q names %s, which this client does not have", got, name)
				}
			}
		}
	}
}

func TestOtherCallsEndARow(t *testing.T) {
	l, v := hint.New(), session(t, toolset.ToolReadPage, toolset.ToolWaitFor)
	same := toolkit.Text("the same")
	for i := range 10 {
		if got := ask(t, l, v, "read_page", "{}", same); got != "" {
			t.Fatalf("call %d is told %q", i, got)
		}
		if got := ask(t, l, v, "read_page", "{}", toolkit.Textf("other %d", i)); got != "" {
			t.Fatalf("call %d is told %q", i, got)
		}
	}
	ask(t, l, v, "read_page", "{}", same)
	ask(t, l, v, "read_page", "{}", same)
	if got := ask(t, l, v, "read_page", "{}", same); !strings.Contains(got, "wait_for") {
		t.Errorf("the third of the same calls is told %q", got)
	}
}

func TestAWallIsToldOnce(t *testing.T) {
	l, v := hint.New(), session(t, toolset.ToolReadPage, toolset.ToolNavigate, toolset.ToolFillForm)
	login := toolkit.Text("<page>\n- heading \"Please log in\"\n</page>")
	if got := ask(t, l, v, "read_page", "{}", login); !strings.Contains(got, "login first; fill_form") {
		t.Errorf("a login is told %q", got)
	}
	if got := ask(t, l, v, "read_page", `{"mode":"full"}`, login); got != "" {
		t.Errorf("the same wall is told again: %q", got)
	}
	if got := ask(t, l, v, "read_page", "{}", toolkit.Text("Verify you are HUMAN")); !strings.Contains(got, "robots") {
		t.Errorf("a check for robots is told %q", got)
	}
	ask(t, l, v, "read_page", "{}", toolkit.Text("all is well"))
	if got := ask(t, l, v, "read_page", "{}", login); got == "" {
		t.Error("the wall came back and is not told")
	}
}

// BenchmarkSilent is what the layer costs when it has nothing to say, for an answer of a usual page.
func BenchmarkSilent(b *testing.B) {
	v := session(b, toolset.ToolReadPage)
	texts := make([]toolkit.Result, 16)
	for i := range texts {
		texts[i] = toolkit.Textf("%d %s", i, strings.Repeat("- button \"Save the draft\" [e12]\n", 300))
	}
	i := 0
	run := hint.New().Around(func(context.Context, *toolkit.Session, toolkit.Request) (toolkit.Result, error) {
		i++
		return texts[i%16], nil
	})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = run(b.Context(), v, toolkit.Request{Tool: "read_page", Args: []byte("{}")})
	}
}

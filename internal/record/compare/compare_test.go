package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/compare"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

func step(seq int, tool, args string, change ...func(*recorder.Step)) recorder.Step {
	s := recorder.Step{Seq: seq, Tool: tool, Args: []byte(args), Outcome: "ok", URL: "https://a.example/", Tab: "t1"}
	for _, c := range change {
		c(&s)
	}
	return s
}

func element(name string) func(*recorder.Step) {
	return func(s *recorder.Step) {
		s.Targets = map[string]locate.Identity{"/ref": {Role: "button", Name: name}}
	}
}

func text(rows []compare.Row) string {
	var out []string
	for _, r := range rows {
		line := string(r.Kind)
		if r.A != nil {
			line += fmt.Sprintf(" a%d", r.A.Seq)
		}
		if r.B != nil {
			line += fmt.Sprintf(" b%d", r.B.Seq)
		}
		out = append(out, strings.TrimSpace(line+" "+strings.Join(r.Differences, "+")))
	}
	return strings.Join(out, "; ")
}

func TestStepsAreAligned(t *testing.T) {
	t.Parallel()
	a := []recorder.Step{
		step(1, "navigate", `{"url":"https://a.example/"}`),
		step(2, "read_page", `{}`),
		step(3, "interact", `{"ref":"e3"}`, element("Buy")),
		step(4, "oc_assert", `{"contract":"{}"}`, func(s *recorder.Step) { s.Verdict = []byte(`{"verdict":"pass"}`) }),
	}
	for name, c := range map[string]struct {
		b    []recorder.Step
		want string
	}{
		"the same": {a, "same a1 b1; same a2 b2; same a3 b3; same a4 b4"},
		"nothing":  {nil, "onlyA a1; onlyA a2; onlyA a3; onlyA a4"},
		"another ref of the same element": {
			[]recorder.Step{a[0], a[1], step(3, "interact", `{"ref":"e77"}`, element("Buy")), a[3]}, "same a1 b1; same a2 b2; same a3 b3; same a4 b4",
		},
		"another element": {
			[]recorder.Step{a[0], a[1], step(3, "interact", `{"ref":"e3"}`, element("Sell")), a[3]}, "same a1 b1; same a2 b2; changed a3 b3 element; same a4 b4",
		},
		"a step more and one less": {
			[]recorder.Step{a[0], step(2, "screenshot", `{}`), step(3, "interact", `{"ref":"e3"}`, element("Buy")), step(4, "oc_assert", `{"contract":"{}"}`, func(s *recorder.Step) {
				s.Verdict, s.URL = []byte(`{"verdict":"fail"}`), "https://a.example/error"
			})},
			"same a1 b1; onlyA a2; onlyB b2; same a3 b3; changed a4 b4 verdict+address",
		},
		"a repeated step": {
			[]recorder.Step{a[0], a[1], step(3, "interact", `{"ref":"e3"}`, element("Buy"), func(s *recorder.Step) { s.Outcome = "STALE_REF" }), step(4, "interact", `{"ref":"e4"}`, element("Buy")), a[3]},
			"same a1 b1; same a2 b2; onlyB b3; same a3 b4; same a4 b4",
		},
	} {
		if got := text(compare.Steps(a, c.b)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
	if rows := compare.Steps(nil, nil); len(rows) != 0 {
		t.Errorf("two empty recordings: %v", rows)
	}
}

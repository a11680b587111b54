package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/record/contract"
)

// table is evidence of which only verdicts matter: the selector #pN matches what the third value
// says. Everything else is not to be had. What is costly is the measure lN.
type table struct {
	verdicts map[string]contract.Verdict
	looks    int // at elements
	costly   int // at measures

	audit      contract.AuditReport
	auditError error
}

var errNone = errors.New("not available")

func (t *table) URL(context.Context) (string, string, error) { return "", "", errNone }

func (t *table) Elements(_ context.Context, selectors []string) ([]contract.Elements, error) {
	t.looks++
	out := make([]contract.Elements, len(selectors))
	for i, s := range selectors {
		switch t.verdicts[s] {
		case contract.Pass:
			out[i].Total = 1
		case contract.Inconclusive:
			out[i].Problem = "not available"
		case contract.Fail:
		}
	}
	return out, nil
}

func (t *table) Requests(context.Context, contract.Since) ([]contract.Request, bool, error) {
	return nil, false, errNone
}
func (t *table) Messages(context.Context) ([]contract.Message, bool, error) {
	return nil, false, errNone
}

func (t *table) Measures(context.Context) (map[string]float64, error) {
	t.costly++
	out := map[string]float64{}
	for _, name := range contract.Metrics() {
		switch t.verdicts[name] {
		case contract.Pass:
			out[name] = 0
		case contract.Fail:
			out[name] = 10
		case contract.Inconclusive:
		}
	}
	return out, nil
}

func (t *table) Heap(context.Context) (contract.HeapUsage, error) {
	return contract.HeapUsage{Now: 5_000_000, Before: 4_000_000, HasBaseline: t.verdicts["heap"] == contract.Pass}, nil
}

func (t *table) Fingerprint(context.Context, string) (contract.Fingerprint, error) { return 0, errNone }
func (t *table) Difference(context.Context, string, string) (contract.Difference, error) {
	return contract.Difference{}, errNone
}
func (t *table) Exemplars(context.Context, string) ([]contract.Fingerprint, error) { return nil, nil }
func (t *table) Downloads(context.Context, contract.Since) ([]contract.Download, error) {
	return nil, errNone
}
func (t *table) Dialog(context.Context) (string, error) { return "", errNone }
func (t *table) Audit(context.Context, []string, []string) (contract.AuditReport, error) {
	return t.audit, t.auditError
}

func parse(t interface{ Fatalf(string, ...any) }, text string) *contract.Contract {
	c, problems := contract.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return c
}

// atoms are the observations of the leaves of random contracts; the last two are costly.
var atoms = []string{"#p0", "#p1", "#p2", "#p3", "lcp", "cls"}

func atom(name string) string {
	if name[0] != '#' {
		return fmt.Sprintf(`{"performance":{"metric":%q,"max":1}}`, name)
	}
	return fmt.Sprintf(`{"dom_count":{"selector":%q,"eq":1}}`, name)
}

// formula draws a contract.
func formula(depth int) *rapid.Generator[string] {
	leaf := rapid.Map(rapid.SampledFrom(atoms), atom)
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		switch kind := rapid.SampledFrom([]string{"leaf", "not", "and", "or"}).Draw(t, "kind"); kind {
		case "leaf":
			return leaf.Draw(t, "leaf")
		case "not":
			return not(formula(depth-1).Draw(t, "child"))
		default:
			return many(kind, rapid.SliceOfN(formula(depth-1), 1, 3).Draw(t, "children")...)
		}
	})
}

func not(c string) string { return `{"not":` + c + `}` }
func many(kind string, list ...string) string {
	return `{"` + kind + `":[` + strings.Join(list, ",") + `]}`
}
func and(list ...string) string { return many("and", list...) }
func or(list ...string) string  { return many("or", list...) }

var verdict = rapid.SampledFrom([]contract.Verdict{contract.Fail, contract.Inconclusive, contract.Pass})

func facts(t *rapid.T) map[string]contract.Verdict {
	out := map[string]contract.Verdict{}
	for _, name := range atoms {
		out[name] = verdict.Draw(t, name)
	}
	return out
}

func judge(t *rapid.T, text string, known map[string]contract.Verdict) contract.Verdict {
	return parse(t, text).Judge(context.Background(), &table{verdicts: known}, contract.Options{}).Verdict
}

// TestKleene holds judged contracts against the laws of the strong three-valued logic.
func TestKleene(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := formula(3).Draw(t, "a"), formula(3).Draw(t, "b"), formula(2).Draw(t, "c")
		known := facts(t)
		for _, law := range []struct{ name, left, right string }{
			{"De Morgan of and", not(and(a, b)), or(not(a), not(b))},
			{"De Morgan of or", not(or(a, b)), and(not(a), not(b))},
			{"double negation", not(not(a)), a},
			{"and commutes", and(a, b), and(b, a)},
			{"or commutes", or(a, b), or(b, a)},
			{"and associates", and(a, and(b, c)), and(and(a, b), c)},
			{"or associates", or(a, or(b, c)), or(or(a, b), c)},
			{"and is flat", and(a, b, c), and(a, and(b, c))},
			{"and is idempotent", and(a, a), a},
			{"or is idempotent", or(a, a), a},
			{"and absorbs", and(a, or(a, b)), a},
			{"or absorbs", or(a, and(a, b)), a},
			{"and distributes", and(a, or(b, c)), or(and(a, b), and(a, c))},
			{"or distributes", or(a, and(b, c)), and(or(a, b), or(a, c))},
		} {
			if left, right := judge(t, law.left, known), judge(t, law.right, known); left != right {
				t.Fatalf("%s: %s and %s", law.name, left, right)
			}
		}
	})
}

// TestMoreEvidenceKeepsVerdicts is monotonicity in the order of information.
func TestMoreEvidenceKeepsVerdicts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, less := formula(4).Draw(t, "contract"), facts(t)
		more := map[string]contract.Verdict{}
		for _, name := range atoms {
			if more[name] = less[name]; less[name] == contract.Inconclusive {
				more[name] = verdict.Draw(t, "more "+name)
			}
		}
		before, after := judge(t, text, less), judge(t, text, more)
		if before != contract.Inconclusive && before != after {
			t.Fatalf("%s was %s, and is %s when more is known", text, before, after)
		}
	})
}

// TestNotKeepsInconclusive: a negation is inconclusive exactly when its child is.
func TestNotKeepsInconclusive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, known := formula(4).Draw(t, "contract"), facts(t)
		v, n := judge(t, text, known), judge(t, not(text), known)
		if (v == contract.Inconclusive) != (n == contract.Inconclusive) || v == n && v != contract.Inconclusive {
			t.Fatalf("%s is %s, its negation %s", text, v, n)
		}
	})
}

// TestReportsAgreeWithTheirVerdict: a failure names what failed, an unknown why, and a pass
// nothing.
func TestReportsAgreeWithTheirVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, known := formula(4).Draw(t, "contract"), facts(t)
		r := parse(t, text).Judge(context.Background(), &table{verdicts: known}, contract.Options{})
		if (len(r.Failures) > 0) != (r.Verdict == contract.Fail) || (r.Reason != "") != (r.Verdict == contract.Inconclusive) {
			t.Fatalf("%s: %+v", text, r)
		}
		for _, f := range r.Failures {
			if f.Expected == "" || f.Actual == "" || f.Kind == "" {
				t.Fatalf("%s: a failure says too little: %+v", text, f)
			}
		}
	})
}

// TestWaitingKeepsVerdict: what is left out while waiting changes no verdict.
func TestWaitingKeepsVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, known := formula(3).Draw(t, "contract"), facts(t)
		var during []contract.Verdict
		r := parse(t, text).Judge(context.Background(), &table{verdicts: known}, contract.Options{
			Deadline: time.Now().Add(60 * time.Millisecond), Progress: func(r contract.Report) { during = append(during, r.Verdict) },
		})
		if want := judge(t, text, known); r.Verdict != want {
			t.Fatalf("%s: %s, want %s", text, r.Verdict, want)
		}
		for _, v := range during {
			if v != r.Verdict {
				t.Fatalf("%s: %s while waiting, %s at the end", text, v, r.Verdict)
			}
		}
		if r.Verdict == contract.Pass && r.Attempts != 1 {
			t.Fatalf("%s passes at once, after %d attempts", text, r.Attempts)
		}
	})
}

func TestCostlyEvidenceWaits(t *testing.T) {
	t.Parallel()
	c := parse(t, `{"dom_count":{"selector":"#p0","eq":1},"performance":{"metric":"lcp","max":1}}`)
	e := &table{verdicts: map[string]contract.Verdict{"#p0": contract.Fail, "lcp": contract.Pass}}
	r := c.Judge(t.Context(), e, contract.Options{Deadline: time.Now().Add(400 * time.Millisecond)})
	if r.Verdict != contract.Fail || r.Attempts < 3 || e.looks != r.Attempts || e.costly != 2 {
		t.Errorf("%s after %d attempts, %d looks, %d of them costly; want costly ones at first and at last", r.Verdict, r.Attempts, e.looks, e.costly)
	}
}

// TestFirstPassEndsJudging: the page changes at the third look.
func TestFirstPassEndsJudging(t *testing.T) {
	t.Parallel()
	e := &delayedPass{at: 3}
	r := parse(t, `{"dom_count":{"selector":"#p0","eq":1}}`).Judge(t.Context(), e, contract.Options{Deadline: time.Now().Add(time.Minute)})
	if r.Verdict != contract.Pass || r.Attempts != 3 {
		t.Errorf("%s after %d attempts", r.Verdict, r.Attempts)
	}
}

type delayedPass struct {
	table
	at int
}

func (d *delayedPass) Elements(ctx context.Context, selectors []string) ([]contract.Elements, error) {
	d.verdicts = map[string]contract.Verdict{"#p0": contract.Fail}
	if d.looks+1 >= d.at {
		d.verdicts["#p0"] = contract.Pass
	}
	return d.table.Elements(ctx, selectors)
}

func TestFailuresHavePaths(t *testing.T) {
	t.Parallel()
	c := parse(t, `{"or":[{"dom_count":{"selector":"#p0","eq":1}},{"and":[{"not":{"dom_count":{"selector":"#p1","min":1}}}]}]}`)
	r := c.Judge(t.Context(), &table{verdicts: map[string]contract.Verdict{"#p0": contract.Fail, "#p1": contract.Pass}}, contract.Options{})
	want := []contract.Failure{
		{Path: "/or/0/dom_count", Kind: "dom_count", Expected: "#p0 matches 1", Actual: "0", Location: "#p0"},
		{Path: "/or/1/and/0/not", Kind: "not", Expected: "not: #p1 matches at least 1", Actual: "1", Location: "#p1"},
	}
	if diff := cmp.Diff(want, r.Failures); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"verdict":"fail"`) {
		t.Errorf("%s, %v", text, err)
	}
	var back contract.Report
	if err := json.Unmarshal(text, &back); err != nil || back.Verdict != contract.Fail {
		t.Errorf("%+v, %v", back, err)
	}
}

func BenchmarkJudge(b *testing.B) {
	var list []string
	for i := range 20 {
		list = append(list, atom(fmt.Sprintf("#p%d", i)))
	}
	c := parse(b, or(and(list[:10]...), not(and(list[10:]...))))
	e := &table{verdicts: map[string]contract.Verdict{}}
	for i := range 20 {
		e.verdicts[fmt.Sprintf("#p%d", i)] = contract.Pass
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := c.Judge(b.Context(), e, contract.Options{}); r.Verdict != contract.Pass {
			b.Fatal(r.Verdict)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"url":"/done","dom_text":{"selector":"h1","matches":"^Thank(s| you)"},"network":{"contains":"/api","status":"2xx"},"not":{"element":".error"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := contract.Parse(text); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

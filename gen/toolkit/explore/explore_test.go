package explore_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/explore"
)

const (
	open toolkit.Facts = 1 << iota
	locked
)

// drawer is a registry whose tools lead to a drawer that is open, and locked by an event.
func drawer() *toolkit.Registry {
	isOpen := func(f toolkit.Facts) bool { return f.Has(open) }
	r := &toolkit.Registry{
		Capabilities: []toolkit.Capability{{Name: "core"}, {Name: "extra"}}, Scopes: []string{"default"}, Facts: []string{"open", "locked"},
		Events:    []toolkit.Event{{Name: "lock.fell", When: isOpen, Changes: toolkit.Changes{Sets: locked}}},
		Scenarios: []toolkit.Scenario{{Name: "closed"}, {Name: "open", Facts: open}, {Name: "impossible", Facts: locked}},
		Advice:    []toolkit.Advice{{Requires: "open", Ways: []toolkit.Way{{Steps: []toolkit.Step{{Tool: "pull"}}}}}},
		Deferred:  []toolkit.Deferral{{Name: "kick", Envelope: `{"ok":false,"reason":"planned"}`}},
		Tools: []toolkit.Tool{
			{Name: "count", Capability: "extra", Tier: 2},
			{Name: "pull", Capability: "core", Tier: 1, Changes: toolkit.Changes{Sets: open}},
			{Name: "take", Capability: "core", Tier: 1, Requires: "open", Visible: isOpen},
		},
	}
	for i := range r.Tools {
		r.Tools[i].Scopes = []string{"default"}
		r.Tools[i].Definition = `{"name":"` + r.Tools[i].Name + `"}`
	}
	return r.Index()
}

func describe(t *testing.T, opt explore.Options) explore.Report {
	t.Helper()
	r, err := explore.Describe(drawer(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStatesHaveTheListThatAClientIsSent(t *testing.T) {
	t.Parallel()
	r := describe(t, explore.Options{Facts: []string{"open", "locked"}})
	pull := []explore.Step{{Tool: "pull"}}
	want := []explore.State{
		{Name: "closed", Facts: []string{}, Path: []explore.Step{}, Listed: 1, Bytes: len(`[{"name":"pull"}]`)},
		{Name: "open", Facts: []string{"open"}, Requires: "open", Path: pull, Listed: 2, Bytes: len(`[{"name":"pull"},{"name":"take"}]`)},
		{Name: "impossible", Facts: []string{"locked"}, Path: []explore.Step{}, Listed: 1, Bytes: 17},
		{Name: "tried", Facts: []string{"open", "locked"}, Requires: "open", Path: pull, Listed: 2, Bytes: 33},
	}
	if d := cmp.Diff(want, r.States); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if d := cmp.Diff([]explore.Deferred{{Name: "kick", Record: json.RawMessage(`{"ok":false,"reason":"planned"}`)}}, r.Deferred); d != "" {
		t.Error(d)
	}
}

func TestCellsSayWhyAToolIsHidden(t *testing.T) {
	t.Parallel()
	cell := func(options toolkit.Options, tool string, state int) explore.Cell {
		t.Helper()
		r := describe(t, explore.Options{Options: options})
		at := slices.IndexFunc(r.Tools, func(x explore.Tool) bool { return x.Name == tool })
		return r.Tools[at].Cells[state]
	}
	facts := explore.Cell{Cause: toolkit.CauseFacts, Reason: "needs open", Path: []explore.Step{{Tool: "pull"}}}
	for name, c := range map[string]struct {
		got, want explore.Cell
	}{
		"facts":       {cell(toolkit.Options{}, "take", 0), facts},
		"they hold":   {cell(toolkit.Options{}, "take", 1), explore.Cell{Listed: true}},
		"tier":        {cell(toolkit.Options{}, "count", 0), explore.Cell{Cause: toolkit.CauseTier, Reason: "tier 2: until it is revealed"}},
		"all tools":   {cell(toolkit.Options{AllTools: true}, "count", 0), explore.Cell{Listed: true}},
		"a flag":      {cell(toolkit.Options{DisableTools: []string{"extra"}}, "count", 0), explore.Cell{Cause: toolkit.CauseFlag, Reason: "excluded by --disable-tools"}},
		"static list": {cell(toolkit.Options{Visibility: toolkit.Static}, "take", 0), explore.Cell{Listed: true, Cause: facts.Cause, Reason: facts.Reason, Path: facts.Path}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
	if r := describe(t, explore.Options{Options: toolkit.Options{ExcludeTools: []string{"pull"}, AllTools: true}}); !r.States[1].Blocked {
		t.Errorf("without the tool that opens, the states are %+v", r.States)
	}
}

func TestHandlerReadsOptionsAndSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := explore.Handler(drawer)
	for address, want := range map[string]string{
		"/?tools-only=core&visibility=static": `"static":true`,
		"/?all-tools=true":                    `{"listed":true}`,
		"/?tools-only=cor":                    `did you mean \"core\"?`,
		"/?read-only=maybe":                   "neither true nor false",
		"/?visibility=half":                   "is none of",
		"/?facts=opened":                      `unknown fact \"opened\"; known: open, locked`,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		if fails := strings.Contains(w.Body.String(), `{"error":`); !strings.Contains(w.Body.String(), want) || fails != (w.Code == http.StatusBadRequest) {
			t.Errorf("%s: %d %s", address, w.Code, w.Body)
		}
	}
	opt := explore.Options{
		Options: toolkit.Options{Scope: "default", ToolsOnly: []string{"core"}, ExcludeTools: []string{"take", "pull"}, ReadOnly: true, Visibility: toolkit.Static}, Facts: []string{"open"},
	}
	again, err := explore.ParseOptions(explore.Values(opt))
	if d := cmp.Diff(opt, again); d != "" || err != nil {
		t.Errorf("%v: %s", err, d)
	}
}

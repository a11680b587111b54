package toolkit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func surface(t *testing.T, opt toolkit.Options) *toolkit.Surface {
	t.Helper()
	s, err := toolkit.NewSurface(sample(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listed returns the names in a session's list.
func listed(t *testing.T, v *toolkit.Session) []string {
	t.Helper()
	var list []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(v.List(), &list); err != nil {
		t.Fatalf("the list %s is not JSON: %v", v.List(), err)
	}
	out := []string{}
	for _, x := range list {
		out = append(out, x.Name)
	}
	return out
}

func TestGatesDecideTheList(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt  toolkit.Options
		want []string
	}{
		"default":          {toolkit.Options{}, []string{"boom", "click", "fail", "long", "look", "slow"}},
		"all tiers":        {toolkit.Options{AllTools: true}, []string{"boom", "click", "fail", "long", "look", "rare", "slow", "wide"}},
		"one capability":   {toolkit.Options{ToolsOnly: []string{"store"}, AllTools: true}, []string{"rare"}},
		"but a capability": {toolkit.Options{DisableTools: []string{"core"}, AllTools: true}, []string{"rare", "wide"}},
		"single tools":     {toolkit.Options{Tools: []string{"rare", "press"}}, []string{"click", "rare"}},
		"but single tools": {toolkit.Options{ExcludeTools: []string{"press", "boom"}}, []string{"fail", "long", "look", "slow"}},
		"read only":        {toolkit.Options{ReadOnly: true}, []string{"look"}},
		"slim":             {toolkit.Options{Slim: true}, []string{"click"}},
		"another scope":    {toolkit.Options{Scope: "other"}, []string{"remote"}},
	} {
		if d := cmp.Diff(c.want, listed(t, surface(t, c.opt).NewSession("s", nil))); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
	if got := string(surface(t, toolkit.Options{Tools: []string{"wide"}, OutputSchemas: true}).NewSession("s", nil).List()); got != `[{"name":"wide","outputSchema":{"type":"object"}}]` {
		t.Errorf("the list with output schemas is %s", got)
	}
	if got := string(surface(t, toolkit.Options{Tools: []string{"wide"}}).NewSession("s", nil).List()); got != `[{"name":"wide"}]` {
		t.Errorf("the list without output schemas is %s", got)
	}
	if got := string(surface(t, toolkit.Options{Slim: true}).NewSession("s", nil).List()); got != `[{"name":"click","slim":true}]` {
		t.Errorf("the slim list is %s", got)
	}
}

func TestGatesFailClosed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt  toolkit.Options
		want []string
	}{
		"unknown capability": {toolkit.Options{ToolsOnly: []string{"croe"}}, []string{`--tools-only: unknown capability "croe"`, `did you mean "core"?`, "known: core, debug, store"}},
		"two mistakes":       {toolkit.Options{DisableTools: []string{"x"}, Tools: []string{"clik"}}, []string{`unknown capability "x"`, `unknown tool "clik", did you mean "click"?`}},
		"other scope's tool": {toolkit.Options{Tools: []string{"remote"}}, []string{`unknown tool "remote"`}},
		"both lists":         {toolkit.Options{ToolsOnly: []string{"core"}, DisableTools: []string{"core"}}, []string{`"core" is in both`}},
		"both tool lists":    {toolkit.Options{Tools: []string{"click"}, ExcludeTools: []string{"press"}}, []string{`"click" is in both`}},
		"tool out of filter": {toolkit.Options{Tools: []string{"rare"}, DisableTools: []string{"store"}}, []string{`--tools asks for "rare"`, "--disable-tools", `"store"`}},
		"tool that writes":   {toolkit.Options{Tools: []string{"click"}, ReadOnly: true}, []string{`"click"`, "--read-only"}},
		"slim and all":       {toolkit.Options{Slim: true, AllTools: true}, []string{"--slim and --all-tools"}},
		"nothing left":       {toolkit.Options{ToolsOnly: []string{"store"}, ReadOnly: true}, []string{"leave no tool", "--tools-only, --read-only"}},
		"unknown scope":      {toolkit.Options{Scope: "browsr"}, []string{`unknown scope "browsr"`, "default, other"}},
	} {
		_, err := toolkit.NewSurface(sample(), c.opt)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
	}
}

// TestDeadlineOfAPart has a handler give a part of its work less time than the call has.
func TestDeadlineOfAPart(t *testing.T) {
	t.Parallel()
	part := tool("part", "core", 1, func(context.Context, *toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{}, fmt.Errorf("read the trace: %w", context.DeadlineExceeded)
	})
	part.Timeout = time.Minute
	r := &toolkit.Registry{Tools: []toolkit.Tool{part}, Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"}}
	s, err := toolkit.NewSurface(r.Index(), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.NewSession("s", nil).Dispatch(t.Context(), toolkit.Request{Tool: "part"})
	if err != nil || !strings.Contains(string(res.Structured), `"code":"TIMEOUT"`) || !strings.Contains(res.Content[0].Text, "a part of the call") {
		t.Errorf("%v %s", err, res.Structured)
	}
}

// TestErrorsAreOpaque has a handler fail with an error that was not made for clients.
func TestErrorsAreOpaque(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	v := surface(t, toolkit.Options{}).NewSession("s", nil)
	ids := map[string]bool{}
	for range 2 {
		res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "fail", Logger: logger})
		if err != nil {
			t.Fatal(err)
		}
		text := res.Content[0].Text
		_, rest, _ := strings.Cut(text, "internal error, id ")
		id, _, _ := strings.Cut(rest, ";")
		if strings.Contains(text+string(res.Structured), "disk is full") || !strings.Contains(string(res.Structured), `"error_id":"`+id+`"`) || len(id) < 8 {
			t.Errorf("the client gets %q, %s", text, res.Structured)
		}
		if !strings.Contains(log.String(), "error_id="+id) || !strings.Contains(log.String(), "disk is full") {
			t.Errorf("the log has %s", log.String())
		}
		ids[id] = true
	}
	if len(ids) != 2 {
		t.Error("two errors have one id")
	}
}

func TestDispatch(t *testing.T) {
	t.Parallel()
	v := surface(t, toolkit.Options{DisableTools: []string{"store"}, ExcludeTools: []string{"look"}}).NewSession("s", nil)
	for name, c := range map[string]struct{ tool, args, text, structured string }{
		"result":       {"click", `{"ref":"e1"}`, "clicked e1 1 left", ""},
		"old name":     {"press", `{"ref":"e2"}`, "clicked e2 1 left", ""},
		"bad args":     {"click", `{"rf":1}`, "INVALID_ARGUMENTS", `{"code":"INVALID_ARGUMENTS","tool":"click","violations":[{"path":"/rf","problem":"unknown property","hint":"did you mean \"ref\"?"},{"path":"/ref","problem":"required, but missing"}],"message":"/rf: unknown property (did you mean \"ref\"?); /ref: required, but missing"}`},
		"capability":   {"rare", ``, "CAPABILITY_DISABLED", `{"code":"CAPABILITY_DISABLED","tool":"rare","capability":"store","message":"capability \"store\" is off in this server (--disable-tools); only its operator can turn it on"}`},
		"single tool":  {"look", ``, "TOOL_DISABLED", `{"code":"TOOL_DISABLED","tool":"look","flag":"--exclude-tools","message":"this server was started so that \"look\" is not served (--exclude-tools); only its operator can change that"}`},
		"invisible":    {"resume", ``, "TOOL_NOT_VISIBLE", `{"code":"TOOL_NOT_VISIBLE","tool":"resume","requires":"ready","unmet":["ready"],"message":"not possible in this state: it needs ready"}`},
		"panic":        {"boom", ``, "INTERNAL", `{"code":"INTERNAL","tool":"boom","message":"the server failed inside this tool; the call may have had part of its effect"}`},
		"deadline":     {"slow", ``, "TIMEOUT", `{"code":"TIMEOUT","tool":"slow","ms":50,"message":"not finished within 50ms"}`},
		"large object": {"wide", ``, "BUDGET_EXCEEDED", `{"code":"BUDGET_EXCEEDED","tool":"wide","message":"the answer has 82 bytes and may have 60; ask for less"}`},
		"over budget":  {"long", ``, "[cut: 22 of 82 bytes left out; ask for less]", ""},
	} {
		res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: c.tool, Args: []byte(c.args)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := res.Content[0].Text; !strings.Contains(got, c.text) {
			t.Errorf("%s: text %q lacks %q", name, got, c.text)
		}
		if d := cmp.Diff(c.structured, string(res.Structured)); d != "" || res.Refused != (c.structured != "") {
			t.Errorf("%s: refused %v, -want +got\n%s", name, res.Refused, d)
		}
	}
}

func TestDispatchErrors(t *testing.T) {
	t.Parallel()
	v := surface(t, toolkit.Options{}).NewSession("s", nil)
	for tool, nearest := range map[string]string{"clik": "click", "remote": "", "constructor": "", "__proto__": "", "": ""} {
		var unknown *toolkit.UnknownToolError
		if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: tool}); !errors.As(err, &unknown) || unknown.Nearest != nearest {
			t.Errorf("%q: got %v, want an unknown tool, nearest %q", tool, err, nearest)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Dispatch(ctx, toolkit.Request{Tool: "slow"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call ended with %v", err)
	}
}

func TestFactsMoveTheListOnlyWhenTheSetMoves(t *testing.T) {
	t.Parallel()
	changes := 0
	v := surface(t, toolkit.Options{}).NewSession("s", func() { changes++ })
	v.Change(factReady, 0)
	v.Change(factReady, 0)
	v.Change(1<<5, 0)
	if got := listed(t, v); changes != 1 || got[len(got)-2] != "resume" {
		t.Errorf("%d changes, list %v", changes, got)
	}
	if res, _ := v.Dispatch(t.Context(), toolkit.Request{Tool: "resume"}); res.Refused {
		t.Errorf("resume was refused: %v", res.Content)
	}
	v.Change(0, factReady)
	if changes != 2 {
		t.Errorf("%d changes, want 2", changes)
	}
}

// The list and its set are of one moment, while the facts move: notifications depend on the list
// that the client has.
func TestListingIsOfOneMoment(t *testing.T) {
	t.Parallel()
	v := surface(t, toolkit.Options{}).NewSession("s", nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1_000_000 {
			v.Change(factReady, 0)
			v.Change(0, factReady)
		}
	}()
	for {
		if list, shown := v.Listing(); string(list) != string(v.Surface().Definitions(shown.Tools)) {
			t.Fatalf("%s is not the list of %d tools", list, shown.Tools.Len())
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	changes := 0
	v := surface(t, toolkit.Options{}).NewSession("s", func() { changes++ })
	before := listed(t, v)
	for range 2 {
		x, err := v.Expand(toolkit.Selection{Tier: 2})
		if err != nil || len(x.Withheld) != 0 {
			t.Fatalf("expand: %+v, %v", x, err)
		}
		if changes == 1 && len(x.Shown) == 0 {
			continue // the second time everything is listed already
		}
		if got := string(x.Definition); got != `[{"name":"rare"}]` {
			t.Errorf("definitions %s", got)
		}
	}
	if got := listed(t, v); changes != 1 || len(got) != len(before)+1 {
		t.Errorf("%d changes, list %v", changes, got)
	}

	gated := surface(t, toolkit.Options{ToolsOnly: []string{"core"}}).NewSession("s", nil)
	var r *toolkit.Refusal
	if _, err := gated.Expand(toolkit.Selection{Name: "rare"}); !errors.As(err, &r) || r.Code != toolkit.CapabilityDisabled {
		t.Errorf("an excluded tool: %v", err)
	}
	if _, err := gated.Expand(toolkit.Selection{Capability: "store"}); !errors.As(err, &r) || r.Code != toolkit.CapabilityDisabled {
		t.Errorf("an excluded capability: %v", err)
	}
	if _, err := gated.Expand(toolkit.Selection{Name: "rar"}); !errors.As(err, &r) || r.Code != toolkit.UnknownTool {
		t.Errorf("an unknown tool: %v", err)
	}
	if _, err := gated.Expand(toolkit.Selection{Capability: "stor"}); !errors.As(err, &r) || r.Code != toolkit.UnknownCapability {
		t.Errorf("an unknown capability: %v", err)
	}
	if x, err := gated.Expand(toolkit.Selection{Tier: 3}); err != nil || len(x.Withheld) != 3 || len(x.Shown) != 0 {
		t.Errorf("a tier of which part is excluded: %+v, %v", x, err)
	}
	if x, err := gated.Expand(toolkit.Selection{Query: "rare store"}); err != nil || len(x.Tools) != 0 {
		t.Errorf("a search reached an excluded tool: %+v, %v", x, err)
	}
	for _, name := range listed(t, gated) {
		if name == "rare" {
			t.Error("an excluded tool is listed after expand")
		}
	}
}

// A client that fetches no list anew has the definitions that expand answered with.
func TestExpandForAClientThatKeepsItsList(t *testing.T) {
	t.Parallel()
	v := surface(t, toolkit.Options{}).NewSession("s", nil)
	v.Listing()
	for i, shown := range []int{1, 0} {
		x, err := v.Expand(toolkit.Selection{Name: "rare"})
		if err != nil || len(x.Shown) != shown || string(x.Definition) != `[{"name":"rare"}]` {
			t.Errorf("call %d: %d tools are new, with %s: %v", i, len(x.Shown), x.Definition, err)
		}
		v.Announced()
	}
}

func TestStaticSessionsNeverChange(t *testing.T) {
	t.Parallel()
	v := surface(t, toolkit.Options{}).NewStaticSession("s")
	before := string(v.List())
	if x, err := v.Expand(toolkit.Selection{Name: "rare"}); err != nil || string(x.Definition) != `[{"name":"rare"}]` {
		t.Errorf("expand answered %+v, %v", x, err)
	}
	v.Change(factReady, 0)
	if res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "rare"}); err != nil || res.Refused {
		t.Errorf("a tool of a hidden tier is not callable: %v, %v", res, err)
	}
	if after := string(v.List()); after != before {
		t.Errorf("the list changed from %s to %s", before, after)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"navigat": "navigate", "naviagte": "navigate", "nav": "", "zzz": "", "page_read": ""} {
		if got := toolkit.Nearest(name, []string{"navigate", "read_page"}); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func BenchmarkDispatch(b *testing.B) {
	s, err := toolkit.NewSurface(sample(), toolkit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	v := s.NewSession("s", nil)
	args := []byte(`{"ref":"e42","count":2,"button":"right","force":true}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Dispatch(b.Context(), toolkit.Request{Tool: "click", Args: args}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	s, err := toolkit.NewSurface(sample(), toolkit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	v := s.NewSession("s", nil)
	b.ReportAllocs()
	for b.Loop() {
		v.List()
	}
}

// BenchmarkFacts is the cost of an event that moves no tool: a predicate per tool and one
// comparison of sets.
func BenchmarkFacts(b *testing.B) {
	s, err := toolkit.NewSurface(sample(), toolkit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	v := s.NewSession("s", nil)
	v.Change(0, 1<<5)
	b.ReportAllocs()
	for b.Loop() {
		v.Change(1<<5, 0)
		v.Change(0, 1<<5)
	}
}

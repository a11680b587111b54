package toolkit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// The facts of the debugger's registry.
const (
	factConnected toolkit.Facts = 1 << iota
	factDebugging
	factPaused
)

// gated makes a tool that answers with its name where its predicate holds.
func gated(name, requires string, tier int, visible func(toolkit.Facts) bool, needs ...toolkit.Literal) toolkit.Tool {
	t := tool(name, "core", tier, says(name))
	t.Requires, t.Visible, t.Needs = requires, visible, needs
	t.Invoke = handler(addressed, func(_ context.Context, call *toolkit.Call, _ struct{}) (toolkit.Result, error) {
		return toolkit.Text(call.Tool.Name), nil
	})
	return t
}

// addressed decodes the arguments of a tool that takes a connection alone.
func addressed(raw []byte) (struct{}, error) {
	return decode(raw, func(a *toolkit.Args) (p struct{}) {
		if a.Object() {
			for a.Next() {
				if string(a.Key()) != "connection_id" {
					a.Unknown([]string{"connection_id"})
					continue
				}
				a.String(nil)
			}
		}
		return p
	})
}

// debugger is a registry whose tools lead from one state to the next.
func debugger() *toolkit.Registry {
	has := func(f toolkit.Facts) func(toolkit.Facts) bool {
		return func(g toolkit.Facts) bool { return g.Has(f) }
	}
	r := &toolkit.Registry{
		Tools: []toolkit.Tool{
			gated("connect", "", 1, nil),
			gated("enable", "connected", 1, has(factConnected), toolkit.Literal{Fact: factConnected, Name: "connected", Want: true}),
			gated("inspect", "connected", 2, has(factConnected), toolkit.Literal{Fact: factConnected, Name: "connected", Want: true}),
			gated("step", "paused", 1, has(factPaused), toolkit.Literal{Fact: factPaused, Name: "paused", Want: true}),
		},
		Capabilities: []toolkit.Capability{{Name: "core"}},
		Scopes:       []string{"default"},
		Facts:        []string{"connected", "debugging", "paused"},
		Address:      "connection_id",
		Advice: []toolkit.Advice{
			{Requires: "connected", Ways: []toolkit.Way{{Steps: []toolkit.Step{{Tool: "connect"}}}}},
			{Requires: "paused", Mask: factConnected | factDebugging, Ways: []toolkit.Way{
				{Steps: []toolkit.Step{{Tool: "connect"}, {Tool: "enable"}, {Event: "debugger.paused"}}},
				{Facts: factConnected, Steps: []toolkit.Step{{Tool: "enable"}, {Event: "debugger.paused"}}},
				{Facts: factConnected | factDebugging, Steps: []toolkit.Step{{Event: "debugger.paused"}}},
			}},
		},
	}
	return r.Index()
}

func debuggerSession(t testing.TB, opt toolkit.Options) *toolkit.Session {
	t.Helper()
	s, err := toolkit.NewSurface(debugger(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s.NewSession("s", nil)
}

func call(t testing.TB, v *toolkit.Session, tool, args string) toolkit.CallResult {
	t.Helper()
	res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: tool, Args: []byte(args)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRefusalsSayTheWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt          toolkit.Options
		facts        toolkit.Facts
		tool         string
		via, message string
	}{
		"one call":        {tool: "enable", via: `"via":["connect"],`, message: "it needs connected; call connect"},
		"calls and event": {tool: "step", via: `"via":["connect","enable"],`, message: "it needs paused; call connect, then call enable, then wait for debugger.paused"},
		"from further on": {facts: factConnected, tool: "step", via: `"via":["enable"],`, message: "; call enable, then wait for debugger.paused"},
		"an event alone":  {facts: factConnected | factDebugging, tool: "step", message: "; it can be called after you wait for debugger.paused"},
		"not on the list": {opt: toolkit.Options{ExcludeTools: []string{"enable"}}, tool: "step", message: "it needs paused"},
	} {
		v := debuggerSession(t, c.opt)
		v.Replace(c.facts)
		res := call(t, v, c.tool, "")
		var envelope struct {
			Code    toolkit.Code `json:"code"`
			Message string       `json:"message"`
		}
		if err := json.Unmarshal(res.Structured, &envelope); err != nil {
			t.Fatal(err)
		}
		text := string(res.Structured)
		if envelope.Code != toolkit.ToolNotVisible || !strings.HasSuffix(envelope.Message, c.message) ||
			!strings.Contains(text, c.via) || (c.via == "") == strings.Contains(text, `"via"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestCallsAreJudgedByTheConnectionTheyAddress(t *testing.T) {
	t.Parallel()
	v := debuggerSession(t, toolkit.Options{})
	v.Replace(factConnected)
	if res := call(t, v, "step", `{"connection_id":"b"}`); !res.Refused {
		t.Error("without a source of facts the session's own decide, and they refuse")
	}
	v.SetFactSource(func(address string) (toolkit.Facts, bool) {
		facts, ok := map[string]toolkit.Facts{"a": factConnected, "b": factConnected | factDebugging | factPaused, "dead": 0}[address]
		return facts, ok
	})
	for args, refused := range map[string]bool{
		``:                              true, // the session's own facts
		`{"connection_id":"a"}`:         true,
		`{"connection_id":"b"}`:         false,
		`{"x":{"connection_id":"b"}}`:   true, // not a member of the arguments themselves
		`{"x":[1],"connection_id":"b"}`: true, // judged well, refused by the decoder
		`{"connection_id":"\u0062"}`:    false,
		`{"connection_id":"dead"}`:      true,
		`{"connection_id":"nobody"}`:    false, // the handler knows what to say
		`{"connection_id":7}`:           true,
		`{"connection_id":`:             true,
		`["connection_id"]`:             true,
	} {
		if res := call(t, v, "step", args); res.Refused != refused {
			t.Errorf("%s: refused %v, want %v: %s", args, res.Refused, refused, res.Structured)
		}
	}
	if got := strings.Join(listed(t, v), " "); got != "connect enable" {
		t.Errorf("the list follows the active connection, and is %s", got)
	}
}

// TestListedIsCallable: in every state and with everything revealed, a tool is listed exactly when
// the guard lets its call pass.
func TestListedIsCallable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := debuggerSession(t, toolkit.Options{AllTools: true})
		v.Replace(toolkit.Facts(rapid.Uint64Range(0, 7).Draw(rt, "facts")))
		names := listed(t, v)
		for _, tool := range v.Surface().Registry().Tools {
			listed := strings.Contains(" "+strings.Join(names, " ")+" ", " "+tool.Name+" ")
			if res := call(t, v, tool.Name, ""); listed == res.Refused {
				rt.Fatalf("%s: listed %v, refused %v", tool.Name, listed, res.Refused)
			}
		}
	})
}

func TestNews(t *testing.T) {
	t.Parallel()
	r := debugger()
	var v *toolkit.Session
	for i := range r.Tools {
		name, said := r.Tools[i].Name, r.Tools[i].Invoke
		r.Tools[i].Invoke = func(ctx context.Context, c *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
			switch name {
			case "connect":
				v.Change(factConnected, 0)
			case "enable":
				v.Change(factDebugging|factPaused, 0)
			case "step":
				v.Change(0, factPaused)
			}
			return said(ctx, c, g, args)
		}
	}
	s, err := toolkit.NewSurface(r, toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v = s.NewSession("s", nil)
	says := func(tool, want string) {
		t.Helper()
		var got []string
		for _, c := range call(t, v, tool, "").Content[1:] {
			got = append(got, c.Text)
		}
		if d := cmp.Diff(want, strings.Join(got, "|")); d != "" {
			t.Errorf("%s: -want +got\n%s", tool, d)
		}
	}
	says("connect", "now available: enable (their definitions are in tools/list)")
	says("connect", "") // nothing has changed
	says("inspect", "") // its tier was hidden, and who calls it knows it
	says("enable", "now available: step (their definitions are in tools/list)")
	says("step", "") // something has gone, nothing has come
	v.List()         // the client fetches, and does not see step any more
	says("enable", "now available: step (their definitions are in tools/list)")
	v.Change(0, factPaused)
	v.List()
	v.Change(factPaused, 0)
	if got := v.NewlyListed(); len(got) != 1 || got[0].Name != "step" {
		t.Errorf("news by itself: %v", got)
	}
	v.List()
	if got := v.NewlyListed(); len(got) != 0 {
		t.Errorf("news after the list was fetched: %v", got)
	}
	v.Change(0, factPaused)
	says("enable", "") // the client fetches the list after changes, and needs no names

	v = s.NewStaticSession("t")
	says("connect", "")

	v = s.NewSession("keeps", nil)
	v.List()
	says("connect", "now available: enable (their definitions are in tools/list)")
	says("inspect", "")
	v.Announced() // and the client calls on
	says("inspect", "definitions of tools that your list lacks: ["+v.Surface().Tool("enable").Definition+"]")
	says("inspect", "")
	says("enable", "now available: step\n["+v.Surface().Tool("step").Definition+"]")
	says("step", "")
}

func TestRevealedToolsAreNewsOnceTheyAreListed(t *testing.T) {
	t.Parallel()
	v := debuggerSession(t, toolkit.Options{})
	if x, err := v.Expand(toolkit.Selection{Name: "inspect"}); err != nil || len(x.Waiting) != 1 {
		t.Fatalf("%+v, %v", x, err)
	}
	v.Change(factConnected, 0)
	var got []string
	for _, tool := range v.NewlyListed() {
		got = append(got, tool.Name)
	}
	if d := cmp.Diff([]string{"enable", "inspect"}, got); d != "" {
		t.Error(d)
	}
}

func TestCell(t *testing.T) {
	t.Parallel()
	var heard []toolkit.Facts
	c := toolkit.NewCell(func(f toolkit.Facts) { heard = append(heard, f) },
		toolkit.Invariant{Holds: func(f toolkit.Facts) bool { return !f.Has(factPaused) || f.Has(factDebugging) }, Depends: factPaused},
		toolkit.Invariant{Holds: func(f toolkit.Facts) bool { return !f.Has(factDebugging) || f.Has(factConnected) }, Depends: factDebugging},
		toolkit.Invariant{Holds: func(f toolkit.Facts) bool { return !f.Has(1 << 5) }}, // nothing repairs this one
	)
	for _, step := range []struct{ observed, want toolkit.Facts }{
		{factConnected | factDebugging | factPaused, factConnected | factDebugging | factPaused},
		{factConnected | 1<<5, factConnected | factDebugging | factPaused},
		{factDebugging | factPaused, 0}, // in two rounds: paused stands on debugging, which stands on connected
		{factPaused, 0},
	} {
		if c.Observe(step.observed); c.Facts() != step.want {
			t.Errorf("%+v: facts %b", step, c.Facts())
		}
	}
	if d := cmp.Diff([]toolkit.Facts{7, 0}, heard); d != "" {
		t.Errorf("changes heard: %s", d)
	}
}

// TestCellTellsInOrder: however calls interleave, the last facts that are heard are the last there
// are.
func TestCellTellsInOrder(t *testing.T) {
	t.Parallel()
	var last toolkit.Facts // changed runs one at a time, so the race detector has nothing to say
	c := toolkit.NewCell(func(f toolkit.Facts) { last = f })
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 500 {
				if n%2 == i%2 {
					c.Observe(factConnected)
				} else {
					c.Observe(0)
				}
			}
		})
	}
	all.Wait()
	if last != c.Facts() {
		t.Errorf("told %b, is %b", last, c.Facts())
	}
}

// many is a registry of sixty tools over a dozen predicates.
func many() *toolkit.Registry {
	r := &toolkit.Registry{Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"}}
	for i := range 60 {
		want := toolkit.Facts(i % 12)
		t := tool(fmt.Sprintf("tool_%02d", i), "core", 1, says(""))
		if want > 0 {
			t.Requires = fmt.Sprintf("p%d", want)
			t.Visible = func(f toolkit.Facts) bool { return f.Has(want&7) && !f.Has(want&8) }
		}
		r.Tools = append(r.Tools, t)
	}
	return r.Index()
}

// BenchmarkEvent is an event that moves no tool: every predicate of sixty tools, and the comparison
// of sets.
func BenchmarkEvent(b *testing.B) {
	s, err := toolkit.NewSurface(many(), toolkit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	v := s.NewSession("s", nil)
	v.Replace(1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.Replace(1 | toolkit.Facts(i&1)<<20)
	}
}

// BenchmarkCell measures a report to the state of a connection that no client follows.
func BenchmarkCell(b *testing.B) {
	c := toolkit.NewCell(func(toolkit.Facts) {},
		toolkit.Invariant{Holds: func(f toolkit.Facts) bool { return !f.Has(factPaused) || f.Has(factDebugging) }, Depends: factPaused})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Observe(factConnected.If(i&1 == 0))
	}
}

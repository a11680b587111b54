package mcpserver_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

const factReady toolkit.Facts = 1

// bench is the state that the sample's handlers share with a test.
type bench struct {
	visibility toolkit.Visibility

	running   chan string // a tool that waits says so here
	cancelled chan string // and here when its context ends

	mu    sync.Mutex
	ended []string
}

func newBench() *bench {
	return &bench{running: make(chan string, 64), cancelled: make(chan string, 64)}
}

func (b *bench) sessionEnded(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, id)
}

func (b *bench) endedSessions() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.ended)
}

type invoke = func(context.Context, *toolkit.Call, []byte) (toolkit.Result, error)

// registry has one tool for each way in which a call can go.
func (b *bench) registry(extra int) *toolkit.Registry {
	reg := &toolkit.Registry{
		Capabilities: []toolkit.Capability{{Name: "core"}, {Name: "debugger"}},
		Scopes:       []string{"default"},
		Facts:        []string{"ready"},
	}
	add := func(name, capability string, tier int, run invoke) *toolkit.Tool {
		reg.Tools = append(reg.Tools, toolkit.Tool{
			Name: name, Description: "Sample <b>tool</b> & more.", Capability: capability, Scopes: []string{"default"},
			Tier: tier, Timeout: 30 * time.Second, ResultBytes: 8 << 20,
			Invoke: func(ctx context.Context, c *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
				return toolkit.Unstructured(run(ctx, c, args))
			},
			Definition: fmt.Sprintf(`{"name":%q,"description":"Sample <b>tool</b> & more.","inputSchema":{"type":"object"},`+
				`"annotations":{"readOnlyHint":true}}`, name),
		})
		return &reg.Tools[len(reg.Tools)-1]
	}
	add("echo", "core", 1, echo)
	add("session_name", "core", 1, func(_ context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
		return toolkit.Text(c.Session.ID), nil
	})
	add("principal", "core", 1, func(_ context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
		return toolkit.Text("<" + c.Principal() + "> " + c.Session.ID), nil
	})
	add("wait", "core", 1, b.wait)
	add("count", "core", 1, count)
	add("picture", "core", 1, picture)
	add("panics", "core", 1, func(context.Context, *toolkit.Call, []byte) (toolkit.Result, error) { panic("sample") })
	add("refuses", "core", 1, func(context.Context, *toolkit.Call, []byte) (toolkit.Result, error) {
		return toolkit.Result{}, toolkit.Refuse("STALE_REF", "gone", toolkit.Field{Name: "ref", Value: "e<1>"})
	})
	add("structured", "core", 1, nil).Invoke = func(context.Context, *toolkit.Call, grant.Grant, []byte) (toolkit.CallResult, error) {
		return toolkit.CallResult{Result: toolkit.Text("{}"), Structured: []byte("{\n \"a\": \"<&\u2028>\"}")}, nil
	}
	add("link", "core", 1, func(context.Context, *toolkit.Call, []byte) (toolkit.Result, error) {
		res := toolkit.Text("kept")
		res.Links = []toolkit.Link{{URI: "shelf://1", Name: "<n>", MIME: "image/png", Size: 3}}
		return res, nil
	})
	add("rare", "core", 2, echo)
	add("expand", "core", 1, func(_ context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
		got, err := c.Session.Expand(toolkit.Selection{Name: "rare"})
		return toolkit.Text(string(got.Definition)), err
	})
	add("toggle", "core", 1, toggle)
	resume := add("resume", "debugger", 1, echo)
	resume.Requires, resume.Needs = "ready", []toolkit.Literal{{Fact: factReady, Name: "ready", Want: true}}
	resume.Visible = func(f toolkit.Facts) bool { return f.Has(factReady) }
	for i := range extra {
		t := add(fmt.Sprintf("extra_%03d", i), "core", 1, echo)
		t.Definition = fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, t.Name, bytes.Repeat([]byte("word "), 280))
	}
	slices.SortFunc(reg.Tools, func(a, b toolkit.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return reg.Index()
}

func echo(_ context.Context, _ *toolkit.Call, args []byte) (toolkit.Result, error) {
	var in struct{ Text string }
	_ = json.Unmarshal(args, &in)
	return toolkit.Text(in.Text), nil
}

func (b *bench) wait(ctx context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
	b.running <- c.Session.ID
	<-ctx.Done()
	b.cancelled <- c.Session.ID
	return toolkit.Result{}, ctx.Err()
}

func count(_ context.Context, c *toolkit.Call, _ []byte) (toolkit.Result, error) {
	for i := range 3 {
		c.Progress(float64(i+1), 3, "step "+strconv.Itoa(i+1))
	}
	return toolkit.Text("counted"), nil
}

func picture(_ context.Context, _ *toolkit.Call, args []byte) (toolkit.Result, error) {
	var in struct{ Bytes int }
	_ = json.Unmarshal(args, &in)
	return toolkit.Image("a picture", pixels(in.Bytes), "image/png"), nil
}

func pixels(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i * 7)
	}
	return data
}

// toggle moves the fact back and forth; an even number of times leaves it as it was.
func toggle(_ context.Context, c *toolkit.Call, args []byte) (toolkit.Result, error) {
	var in struct{ Times int }
	_ = json.Unmarshal(args, &in)
	for range in.Times {
		if c.Session.Facts().Has(factReady) {
			c.Session.Change(0, factReady)
		} else {
			c.Session.Change(factReady, 0)
		}
	}
	return toolkit.Text("toggled"), nil
}

// serve makes a server of the sample, closed with the test.
func (b *bench) serve(t testing.TB, opt mcpserver.Options, extra int) (*mcpserver.Server, *toolkit.Surface) {
	t.Helper()
	surface, err := toolkit.NewSurface(b.registry(extra), toolkit.Options{Visibility: b.visibility})
	if err != nil {
		t.Fatal(err)
	}
	opt.Name, opt.Version, opt.SessionEnded = "sample", "1.2.3", b.sessionEnded
	s := mcpserver.New(surface, opt)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s, surface
}

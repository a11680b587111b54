package toolkittest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// counted is the output of the tools of the sample.
const counted = `{"type":"object","properties":{"n":{"type":"integer"},"at":{"type":"string","format":"date-time"}},"required":["n"],"additionalProperties":false}`

// sample is a registry like a generated one: the areas counter and door, and the fact open.
func sample() *toolkit.Registry {
	row := func(name, area, output string, run func(*toolkit.Call, []byte) (any, error)) toolkit.Tool {
		return toolkit.Tool{
			Name: name, Area: area, Capability: "core", Scopes: []string{"default"}, Tier: 1, Timeout: time.Minute, ResultBytes: 4000,
			OutputSchema: output, Schema: `{"type":"object","properties":{},"additionalProperties":false}`,
			Definition: fmt.Sprintf(`{"name":%q,"description":"A <sample>.","inputSchema":{"type":"object"}}`, name),
			Invoke: func(_ context.Context, c *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
				value, err := run(c, args)
				if text, ok := value.(toolkit.Result); ok {
					return toolkit.Unstructured(text, err)
				}
				return toolkit.Declared(c, value, err)
			},
		}
	}
	reg := &toolkit.Registry{
		Scopes: []string{"default", "short"}, Capabilities: []toolkit.Capability{{Name: "core"}}, Facts: []string{"open", "locked"},
		Tools: []toolkit.Tool{
			row("count", "counter", counted, func(_ *toolkit.Call, args []byte) (any, error) {
				var in struct{ Text string }
				_ = json.Unmarshal(args, &in)
				return map[string]int{"n": len(in.Text)}, nil
			}),
			row("enter", "door", "", func(*toolkit.Call, []byte) (any, error) { return toolkit.Text("welcome"), nil }),
			row("refuse", "counter", counted, func(*toolkit.Call, []byte) (any, error) {
				return nil, toolkit.Refuse(toolkit.Failed, "no")
			}),
			row("who", "door", "", func(c *toolkit.Call, _ []byte) (any, error) { return toolkit.Text(c.Principal()), nil }),
			row("wrong", "counter", counted, func(*toolkit.Call, []byte) (any, error) { return map[string]int{"m": 1}, nil }),
		},
	}
	enter, who := &reg.Tools[1], &reg.Tools[3]
	enter.Requires, enter.Needs = "open", []toolkit.Literal{{Fact: 1, Name: "open", Want: true}}
	enter.Visible = func(f toolkit.Facts) bool { return f.Has(1) }
	who.Scopes = append(who.Scopes, "short")
	return reg.Index()
}

// recorder is a test that fails when the test itself is to see that.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

func (r *recorder) Error(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprint(args...))
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

// failure runs a test that must fail, and returns how it does.
func failure(t *testing.T, run func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(r)
	}()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.failures, "\n")
}

// program stands for the test in an example, which has none.
type program struct {
	testing.TB
	cleanups []func()
}

func (p *program) Helper()                      {}
func (p *program) Context() context.Context     { return context.Background() }
func (p *program) Cleanup(f func())             { p.cleanups = append(p.cleanups, f) }
func (p *program) Error(args ...any)            { fmt.Println(args...) }
func (p *program) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (p *program) Fatal(args ...any)            { p.Error(args...); os.Exit(1) }
func (p *program) Fatalf(f string, args ...any) { p.Errorf(f, args...); os.Exit(1) }

// end ends what the example began.
func (p *program) end() {
	for i := len(p.cleanups) - 1; i >= 0; i-- {
		p.cleanups[i]()
	}
}

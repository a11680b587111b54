package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// shortDeadline replaces the deadline of every tool. A call that runs for hangLimit longer is one
// that ignores it: the pages of this test never answer.
const (
	shortDeadline = 1500 * time.Millisecond
	hangLimit     = 20 * time.Second
)

// newDispatcher returns a session of a server of its own, and the registry whose deadlines can be
// changed.
func newDispatcher(t *testing.T) (*toolkit.Session, *toolkit.Registry) {
	t.Helper()
	server, id := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}}), t.Name()
	t.Cleanup(func() { server.EndSession(id) })
	return server.Surface.NewSession(id, nil), server.Surface.Registry()
}

// sampleArgs makes arguments from a tool's schema: every required property, and the tab and ref
// where it takes them.
func sampleArgs(t *testing.T, tool toolkit.Tool, known map[string]any) tooltest.Args {
	t.Helper()
	var def struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal([]byte(tool.Schema), &def); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	a := tooltest.Args{}
	for name, p := range def.Properties {
		if v, ok := known[name]; ok {
			a[name] = v
		} else if slices.Contains(def.Required, name) {
			a[name] = p.sample()
		}
	}
	if more := validArgs(tool.Name, known["url"].(string)); more != nil {
		for name, v := range more {
			a[name] = v
		}
	}
	return a
}

type property struct {
	Type       string              `json:"type"`
	Enum       []any               `json:"enum"`
	Minimum    *float64            `json:"minimum"`
	Items      *property           `json:"items"`
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

func (p property) sample() any {
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.Type == "boolean":
		return true
	case p.Type == "integer" || p.Type == "number":
		if p.Minimum != nil {
			return *p.Minimum
		}
		return 1
	case p.Type == "array" && p.Items != nil:
		return []any{p.Items.sample()}
	case p.Type == "object":
		out := map[string]any{}
		for _, name := range p.Required {
			out[name] = p.Properties[name].sample()
		}
		return out
	}
	return "x"
}

// isExcluded change what the whole test stands on: connections, and the tab itself, which is closed
// in the end.
func isExcluded(tool string) bool {
	return strings.HasPrefix(tool, "chrome_") || tool == "tabs_close" || tool == "oc_stop" || tool == "worker" || tool == "dialog" || tool == "debugger_enable"
}

// TestNoToolOutlivesItsDeadline calls every tool at once on a tab that will not answer.
func TestNoToolOutlivesItsDeadline(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	for name, stick := range map[string]string{
		"endless script": "setTimeout(() => { while (true); }, 0); 1",
		"dialog":         "setTimeout(() => alert('stop'), 0); 1",
		"endless load":   "setTimeout(() => { location.href = '/never' }, 0); 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "endless load" { // by day TestNavigateToAPageThatNeverLoads has such a page
				proctest.Nightly(t)
			}
			session, registry := newDispatcher(t)
			call := func(tool string, a tooltest.Args) toolkit.CallResult {
				raw, err := json.Marshal(a)
				if err != nil {
					t.Fatal(err)
				}
				i, _ := registry.Lookup(tool)
				ctx, cancel := context.WithTimeout(t.Context(), registry.Tools[i].Timeout+hangLimit)
				defer cancel()
				res, err := session.Dispatch(ctx, toolkit.Request{Tool: tool, Args: raw})
				if err != nil {
					t.Errorf("%s: %v", tool, err)
				}
				if ctx.Err() != nil {
					t.Errorf("%s %v did not end at its deadline", tool, a)
				}
				return res
			}
			if res := call("navigate", tooltest.Args{"url": home + "/dialogs"}); res.Refused {
				t.Fatal(res.Content[0].Text)
			}
			reading := call("read_page", nil)
			tab := tooltest.Shared.Connections.Set(t.Name()).List(t.Context())[0].Tabs[0].ID
			known := map[string]any{"tabId": tab, "ref": tooltest.Ref(t, reading.Content[0].Text, "Delete"), "url": home + "/second", "timeout": 60000, "value": "x", "selector": "#name"}
			call("javascript_tool", tooltest.Args{"code": stick})
			own := slices.Clone(registry.Tools)
			for i := range registry.Tools {
				registry.Tools[i].Timeout = min(registry.Tools[i].Timeout, shortDeadline)
			}
			var wg sync.WaitGroup
			for _, tool := range registry.Tools {
				if isExcluded(tool.Name) || !slices.Contains(tool.Scopes, "default") {
					continue
				}
				a := sampleArgs(t, tool, known)
				wg.Go(func() {
					res := call(tool.Name, a)
					if testing.Verbose() {
						t.Logf("%s: %.60q", tool.Name, res.Content[0].Text)
					}
					if res.Refused && !strings.Contains(string(res.Structured), `"code":"`) || strings.HasPrefix(res.Content[0].Text, "INTERNAL") {
						t.Errorf("%s %v: %s", tool.Name, a, res.Content[0].Text)
					}
				})
			}
			wg.Wait()
			copy(registry.Tools, own) // closing has its own deadline again: a busy machine is slow
			if res := call("tabs_close", tooltest.Args{"tabId": tab}); res.Refused {
				t.Errorf("closing the tab: %s", res.Content[0].Text)
			}
		})
	}
}

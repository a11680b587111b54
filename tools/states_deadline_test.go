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
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/totp"
	evidence "github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools"
)

// shortDeadline replaces the deadline of every tool. A call that runs for hangLimit longer is one that ignores it: the
// pages of this test never answer.
const (
	shortDeadline = 1500 * time.Millisecond
	hangLimit     = 20 * time.Second
)

// patient is a client of a registry of its own, whose deadlines can be changed.
func patient(t *testing.T) (*toolkit.Session, *toolkit.Registry) {
	t.Helper()
	output, err := files.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id := t.Name()
	t.Cleanup(func() {
		if err := board.End(t.Context(), id); err != nil && t.Context().Err() == nil {
			t.Errorf("end the connections: %v", err)
		}
	})
	mine := func(string) *session.Set { return board.Set(id) }
	place, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	db := database.New(place)
	t.Cleanup(func() { _ = db.Close() })
	work, crawler := crawlJobs(t, place)
	registry := tools.Registry(tools.Needs{
		Browser: board.Own(), Sessions: mine, Output: output, Artifacts: kept, Store: db, Jobs: work, Crawler: crawler,
		Codes: totp.New(nil), Contexts: identity.New(place, seal.New(seal.FromEnvironment)), Exemplars: evidence.NewExemplars(place),
		Recorder: newRecorder(db, mine, kept, nil),
	})
	surface, err := toolkit.NewSurface(registry, toolkit.Options{AllTools: true})
	if err != nil {
		t.Fatal(err)
	}
	return surface.NewSession(id, nil), registry
}

// plausible makes arguments from a tool's schema: every required property, and the tab and ref where it takes them.
func plausible(t *testing.T, tool toolkit.Tool, known map[string]any) args {
	t.Helper()
	var def struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal([]byte(tool.Schema), &def); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	a := args{}
	for name, p := range def.Properties {
		if v, ok := known[name]; ok {
			a[name] = v
		} else if slices.Contains(def.Required, name) {
			a[name] = p.sample()
		}
	}
	if more := sensible(tool.Name, known["url"].(string)); more != nil {
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

// leftOut change what the whole test stands on: connections, and the tab itself, which is closed in the end.
func leftOut(tool string) bool {
	return strings.HasPrefix(tool, "chrome_") || tool == "tabs_close" || tool == "oc_stop" || tool == "worker" || tool == "dialog" || tool == "debugger_enable"
}

// TestNoToolOutlivesItsDeadline calls every tool at once on a tab that will not answer.
func TestNoToolOutlivesItsDeadline(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	for name, stick := range map[string]string{
		"endless script": "setTimeout(() => { while (true); }, 0); 1",
		"dialog":         "setTimeout(() => alert('stop'), 0); 1",
		"endless load":   "setTimeout(() => { location.href = '/never' }, 0); 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session, registry := patient(t)
			call := func(tool string, a args) toolkit.Result {
				raw, err := json.Marshal(a)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), shortDeadline+hangLimit)
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
			if res := call("navigate", args{"url": home + "/dialogs"}); res.Refused {
				t.Fatal(res.Content[0].Text)
			}
			reading := call("read_page", nil)
			tab := board.Set(t.Name()).List(t.Context())[0].Tabs[0].ID
			known := map[string]any{"tabId": tab, "ref": refOf(t, reading.Content[0].Text, "Delete"), "url": home + "/second", "timeout": 60000, "value": "x", "selector": "#name"}
			call("javascript_tool", args{"code": stick})
			for i := range registry.Tools {
				registry.Tools[i].Timeout = min(registry.Tools[i].Timeout, shortDeadline)
			}
			var wg sync.WaitGroup
			for _, tool := range registry.Tools {
				if leftOut(tool.Name) || !slices.Contains(tool.Scopes, "default") {
					continue
				}
				a := plausible(t, tool, known)
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
			if res := call("tabs_close", args{"tabId": tab}); res.Refused {
				t.Errorf("closing the tab: %s", res.Content[0].Text)
			}
		})
	}
}

func TestAStuckPageIsRefusedInTimeAndCanBeLeft(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/stuck"})
	c.call("javascript_tool", args{"code": "setTimeout(() => { while (true); }, 0); 1"})
	for tool, a := range map[string]args{
		"javascript_tool": {"code": "1", "timeout": 700},
		"wait_for":        {"type": "text", "value": "Stuck", "timeout": 700},
	} {
		c.refused("TIMEOUT", tool, a)
	}
	c.says("navigate", args{"url": home + "/second"}, "Second", "200")
	c.says("read_page", nil, "Second")
	c.refused("TIMEOUT", "javascript_tool", args{"code": "while (true);", "timeout": 500})
	c.says("javascript_tool", args{"code": "1+1"}, "2")
}

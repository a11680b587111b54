package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestExpandTools(t *testing.T) {
	t.Parallel()
	c := tooltest.ConnectAs(t, toolkit.Options{DisableTools: []string{"storage"}}, tooltest.SessionRevision, nil)
	text := c.Expect("expand_tools", tooltest.Args{"query": "geolocation"}, "now callable: geolocation", `[{"name":"geolocation"`)
	if strings.Contains(text, "cookies") {
		t.Errorf("a search reached a disabled tool: %s", text)
	}
	c.Expect("expand_tools", tooltest.Args{"name": "geolocation"}, "already listed: geolocation")
	c.Expect("expand_tools", tooltest.Args{"capability": "debugger"}, "listed when paused: ", "listed when connected && !debugger_enabled && !dialog_open: debugger_enable")
	c.Expect("expand_tools", tooltest.Args{"query": "record a trace"}, "now callable: oc_performance_insights")
	for _, args := range []tooltest.Args{{"tier": "2"}, {"tier": "3"}, {"query": "page"}, {"query": "save a login and restore it"}, {"capability": "core"}, {"capability": "debugger"}} {
		if got := c.Call("expand_tools", args); len(got) > 1000 {
			t.Errorf("%v answers with %d bytes", args, len(got))
		}
	}
	asked, called := c.Do("expand_tools", tooltest.Args{"name": "browser_navigate"}), c.Do("browser_navigate", nil)
	if diff := cmp.Diff(called.StructuredContent, asked.StructuredContent); diff != "" || !asked.IsError {
		t.Errorf("a deferred tool answers otherwise when it is asked for (-called +asked for):\n%s", diff)
	}
	c.Expect("expand_tools", tooltest.Args{"query": "unicorn"}, "no tool matches")
	c.ExpectRefusal("UNKNOWN_CAPABILITY", "expand_tools", tooltest.Args{"capability": "debuger"}, "debugger")
	c.ExpectRefusal("INVALID_ARGUMENTS", "expand_tools", tooltest.Args{"tier": 2}, "expected a string")

	res := c.Do("expand_tools", tooltest.Args{"name": "cookies"})
	if envelope, _ := res.StructuredContent.(map[string]any); envelope["code"] != "CAPABILITY_DISABLED" || envelope["capability"] != "storage" {
		t.Errorf("a disabled tool answers %v", res.StructuredContent)
	}
}

// A tier is revealed: its tools join the list, at once or as soon as their state holds.
func TestExpandToolsOfATier(t *testing.T) {
	t.Parallel()
	for tier, joins := range map[string][]string{"2": {"geolocation", "network"}, "3": {"geolocation", "crawl"}} {
		c := tooltest.ConnectAs(t, toolkit.Options{}, tooltest.SessionRevision, nil)
		before, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Expect("expand_tools", tooltest.Args{"tier": tier}, "now callable, by capability: ", "connection ", "listed in another state: ", "debugger ")
		after, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range joins {
			was, is := slices.Contains(toolNames(before.Tools), name), slices.Contains(toolNames(after.Tools), name)
			if was || !is {
				t.Errorf("tier %s: %s is listed before: %v, afterwards: %v", tier, name, was, is)
			}
		}
		c.Expect("expand_tools", tooltest.Args{"tier": tier}, "listed in another state: ")
	}
}

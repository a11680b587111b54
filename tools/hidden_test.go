package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// place is a scenario and how a client gets there, in the server's own browser.
type place struct {
	name  string
	reach func(c client, home string)
}

func places() []place {
	open := func(c client, home string) { c.call("navigate", args{"url": home + "/walk.html"}) }
	debug := func(c client, home string) { open(c, home); c.call("debugger_enable", nil) }
	return []place{
		{"default", func(client, string) {}},
		{"connected", open},
		{"two_connections", func(c client, home string) {
			open(c, home)
			c.call("chrome_launch", nil)
		}},
		{"debugging", debug},
		{"paused", func(c client, home string) {
			debug(c, home)
			c.call("debugger_set_breakpoint", args{"url": "*walk.js", "line_number": 3})
			c.refused("PAUSED", "click_element", args{"selector": "#go"})
		}},
		{"dialog", func(c client, home string) {
			open(c, home)
			c.refused("DIALOG_OPEN", "javascript_tool", args{"code": "alert('stop')"})
		}},
	}
}

// sensible are arguments with which a tool succeeds wherever it is visible.
func sensible(tool, home string) args {
	switch tool {
	case "navigate", "tabs_create":
		return args{"url": home + "/walk.html"}
	case "chrome_switch_connection", "chrome_disconnect":
		return args{"connection_id": "chrome-1"}
	case "dialog":
		return args{"accept": true}
	case "switch_target":
		return args{"index": 0}
	case "query_elements", "click_element":
		return args{"selector": "#name"}
	case "fill_element":
		return args{"selector": "#name", "text": "Ada"}
	case "inspect_element":
		return args{"text_contains": "Go"}
	case "debugger_set_breakpoint":
		return args{"url": "*walk.js", "line_number": 3}
	case "debugger_remove_breakpoint":
		return args{"breakpoint_id": "b1"}
	case "debugger_evaluate_on_call_frame":
		return args{"expression": "1 + 1"}
	case "debugger_set_pause_on_exceptions":
		return args{"state": "all"}
	case "debugger_watch", "debugger_blackbox":
		return args{"action": "list"}
	}
	return nil
}

// everyTool lists the tools of all scenarios; the prover makes sure that each is in one.
func everyTool(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../generated/snapshot/tools_list.all.*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var names []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tools []*mcp.Tool
		if err := json.Unmarshal(data, &tools); err != nil {
			t.Fatal(err)
		}
		names = append(names, namesOf(tools)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestAHiddenToolSaysTheWayToItself calls, at each place, everything that is not listed there, and then goes the way that
// the refusal shows: at its end the same call succeeds. A step that may make a difference need not, so the way may be
// asked for once more. Unless the soak is asked for, one tool stands for all with the same predicate.
func TestAHiddenToolSaysTheWayToItself(t *testing.T) {
	t.Parallel()
	all := everyTool(t)
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			home, w := site(t), walk(t)
			p.reach(w.client, home)
			w.sees(p.name)
			listed, err := w.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			tried := map[any]bool{}
			for _, tool := range all {
				if slices.Contains(namesOf(listed.Tools), tool) {
					continue
				}
				if tool == "dialog" { // only a page opens one
					w.refused("TOOL_NOT_VISIBLE", tool, nil, `"unmet":["dialog_open"]`)
					continue
				}
				envelope := w.refused("TOOL_NOT_VISIBLE", tool, nil, `"unmet":["`, `"via":["`)
				if tried[envelope["requires"]] && os.Getenv(soak) == "" {
					continue
				}
				tried[envelope["requires"]] = true
				t.Run(tool, func(t *testing.T) { p.follow(t, tool, home) })
			}
		})
	}
}

// follow goes from a place to where a tool can be called.
func (p place) follow(t *testing.T, tool, home string) {
	t.Parallel()
	w := walk(t)
	p.reach(w.client, home)
	w.sees(p.name)
	var a args
	launched := false
	for range 2 {
		for _, step := range w.refused("TOOL_NOT_VISIBLE", tool, a)["via"].([]any) {
			w.call(step.(string), sensible(step.(string), home))
			launched = launched || step == "chrome_launch"
			if step == "chrome_launch" && p.name == "default" {
				w.call("navigate", sensible("navigate", home)) // there is nothing to click or debug in an empty page
			}
		}
		if tool == "debugger_remove_breakpoint" && p.name != "paused" {
			w.call("debugger_set_breakpoint", sensible("debugger_set_breakpoint", home))
		}
		a = sensible(tool, home)
		if tool == "chrome_disconnect" && !launched {
			a = args{"connection_id": "default"}
		}
		if res := w.raw(tool, a); !res.IsError {
			return
		}
	}
	w.call(tool, a)
}

package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// scenario is a scenario and how a client gets there, in the server's own browser.
type scenario struct {
	name  string
	reach func(c tooltest.Client, home string)
}

func scenarios() []scenario {
	open := func(c tooltest.Client, home string) { c.Call("navigate", tooltest.Args{"url": home + "/walk.html"}) }
	debug := func(c tooltest.Client, home string) { open(c, home); c.Call("debugger_enable", nil) }
	return []scenario{
		{"default", func(tooltest.Client, string) {}},
		{"connected", open},
		{"two_connections", func(c tooltest.Client, home string) {
			open(c, home)
			c.Call("chrome_launch", nil)
		}},
		{"debugging", debug},
		{"paused", func(c tooltest.Client, home string) {
			debug(c, home)
			c.Call("debugger_set_breakpoint", tooltest.Args{"url": "*walk.js", "line_number": 3})
			c.ExpectRefusal("PAUSED", "click_element", tooltest.Args{"selector": "#go"})
		}},
		{"dialog", func(c tooltest.Client, home string) {
			open(c, home)
			c.ExpectRefusal("DIALOG_OPEN", "javascript_tool", tooltest.Args{"code": "alert('stop')"})
		}},
	}
}

// validArgs are arguments with which a tool succeeds wherever it is visible.
func validArgs(tool, home string) tooltest.Args {
	switch tool {
	case "navigate", "tabs_create":
		return tooltest.Args{"url": home + "/walk.html"}
	case "chrome_switch_connection", "chrome_disconnect":
		return tooltest.Args{"connection_id": "chrome-1"}
	case "dialog":
		return tooltest.Args{"accept": true}
	case "switch_target":
		return tooltest.Args{"index": 0}
	case "query_elements", "click_element":
		return tooltest.Args{"selector": "#name"}
	case "fill_element":
		return tooltest.Args{"selector": "#name", "text": "Ada"}
	case "inspect_element":
		return tooltest.Args{"text_contains": "Go"}
	case "debugger_set_breakpoint":
		return tooltest.Args{"url": "*walk.js", "line_number": 3}
	case "debugger_remove_breakpoint":
		return tooltest.Args{"breakpoint_id": "b1"}
	case "debugger_evaluate_on_call_frame":
		return tooltest.Args{"expression": "1 + 1"}
	case "debugger_set_pause_on_exceptions":
		return tooltest.Args{"state": "all"}
	case "debugger_watch", "debugger_blackbox":
		return tooltest.Args{"action": "list"}
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
		names = append(names, toolNames(tools)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestHiddenToolsNameTheirWay calls, at each place, everything that is not listed there, and then
// goes the way that the refusal shows: at its end the same call succeeds. A step that may make a
// difference need not, so the way may be asked for once more. Unless the soak is asked for, one
// tool stands for all with the same predicate.
func TestHiddenToolsNameTheirWay(t *testing.T) {
	t.Parallel()
	all := everyTool(t)
	for place, p := range scenarios() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			home, w := tooltest.ServeSite(t), connectListener(t)
			p.reach(w.Client, home)
			w.expectScenario(p.name)
			listed, err := w.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			tried := map[any]bool{}
			for i, tool := range all {
				if slices.Contains(toolNames(listed.Tools), tool) {
					continue
				}
				if tool == "dialog" { // only a page opens one
					w.ExpectRefusal("TOOL_NOT_VISIBLE", tool, nil, `"unmet":["dialog_open"]`)
					continue
				}
				envelope := w.ExpectRefusal("TOOL_NOT_VISIBLE", tool, nil, `"unmet":["`, `"via":["`)
				if tried[envelope["requires"]] && os.Getenv(tooltest.SoakVariable) == "" {
					continue
				}
				if !proctest.IsNightly() && i%4 != place%4 { // by day a quarter of the ways are gone, others from each place
					continue
				}
				tried[envelope["requires"]] = true
				t.Run(tool, func(t *testing.T) { p.follow(t, tool, home) })
			}
		})
	}
}

// follow goes from a place to where a tool can be called.
func (s scenario) follow(t *testing.T, tool, home string) {
	t.Parallel()
	w := connectListener(t)
	s.reach(w.Client, home)
	w.expectScenario(s.name)
	var a tooltest.Args
	launched := false
	for range 2 {
		for _, step := range w.ExpectRefusal("TOOL_NOT_VISIBLE", tool, a)["via"].([]any) {
			w.Call(step.(string), validArgs(step.(string), home))
			launched = launched || step == "chrome_launch"
			if step == "chrome_launch" && s.name == "default" {
				w.Call("navigate", validArgs("navigate", home)) // there is nothing to click or debug in an empty page
			}
		}
		if tool == "debugger_remove_breakpoint" && s.name != "paused" {
			w.Call("debugger_set_breakpoint", validArgs("debugger_set_breakpoint", home))
		}
		a = validArgs(tool, home)
		if tool == "chrome_disconnect" && !launched {
			a = tooltest.Args{"connection_id": "default"}
		}
		if res := w.Do(tool, a); !res.IsError {
			return
		}
	}
	w.Call(tool, a)
}

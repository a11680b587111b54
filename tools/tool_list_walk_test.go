package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestToolListsOnAWalk goes the way of the seed: nothing, a browser, two, the debugger, a pause and back. At each place the
// list is the one that is promised, and on the way there is one notification for each distinct list. The documents show what
// was said.
func TestToolListsOnAWalk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt      toolkit.Options
		snapshot string
		under    string // the heading of docs/reference/lists.md that the transcript stands under; "" for none
	}{
		"core":       {toolkit.Options{}, "core.", "## A walk"},
		"follow":     {toolkit.Options{Visibility: toolkit.Follow}, "", "## The walk with `--visibility follow`"},
		"every tool": {toolkit.Options{Visibility: toolkit.Follow, AllTools: true}, "all.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.under == "" { // its lists are those of the others with more tools
				proctest.Nightly(t)
			}
			w := listenTo(t, c.opt, c.snapshot)
			names := func(scenario string) []string {
				tools, _ := w.snapshotOf(scenario)
				return toolNames(tools)
			}
			said := w.walk(append(untilPaused, untilDisconnected...), names, w.expectScenario)
			if c.under != "" {
				said.compare(t, "../docs/reference/lists.md", c.under)
			}
		})
	}
}

// TestConnectionAndDebuggerAlone makes the walk with the flags of the product that the two capabilities come from. Its table
// of tools is written down here: which tool a client is sent in which state.
func TestConnectionAndDebuggerAlone(t *testing.T) {
	t.Parallel()
	w := listenTo(t, toolkit.Options{ToolsOnly: []string{"connection", "debugger"}}, "")
	said := w.walk(append(slices.Clone(untilPaused), walkStep{tool: "debugger_resume", says: "running", scenario: "debugging"},
		walkStep{tool: "chrome_disconnect", args: tooltest.Args{"connection_id": "a"}, says: "default (active)", scenario: "default"}), tableOf, func(scenario string) listed {
		got, err := w.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		names := toolNames(got.Tools)
		slices.Sort(names)
		if diff := cmp.Diff(tableOf(scenario), names); diff != "" {
			t.Fatalf("the list is not that of %s in the table (-want +got):\n%s", scenario, diff)
		}
		data, err := json.Marshal(got.Tools)
		if err != nil {
			t.Fatal(err)
		}
		return listed{names, len(data)}
	})
	said.compare(t, "../docs/reference/lists.md", "## Two capabilities")
}

// tableOf returns the tools of a scenario in the table, sorted.
func tableOf(scenario string) []string {
	names := []string{"chrome_connect", "chrome_launch", "chrome_list_connections"}
	if scenario == "default" {
		return names
	}
	names = append(names, "chrome_disconnect", "list_targets", "switch_target", "query_elements", "click_element", "fill_element", "navigate", "get_console_logs")
	switch scenario {
	case "connected":
		names = append(names, "debugger_enable")
	case "two_connections":
		names = append(names, "debugger_enable", "chrome_switch_connection")
	default:
		names = append(names, "debugger_set_breakpoint", "debugger_remove_breakpoint", "debugger_set_pause_on_exceptions")
	}
	switch scenario {
	case "debugging":
		names = append(names, "debugger_pause")
	case "paused":
		names = append(names, "debugger_resume", "debugger_step_over", "debugger_step_into", "debugger_step_out", "debugger_get_call_stack",
			"debugger_evaluate_on_call_frame")
	}
	slices.Sort(names)
	return names
}

// The table has so many tools: the product counts them.
func TestTableCounts(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]int{"default": 3, "connected": 12, "two_connections": 13, "debugging": 15, "paused": 20} {
		if got := len(tableOf(scenario)); got != want {
			t.Errorf("%s has %d tools, want %d", scenario, got, want)
		}
	}
}

// walkStep is a call, and the scenario after it. site stands for the address of the fixture site.
type walkStep struct {
	tool     string
	args     tooltest.Args
	page     string // the address that the call is given, below the site
	says     string
	refused  string
	scenario string
}

var untilPaused = []walkStep{
	{tool: "chrome_launch", args: tooltest.Args{"connection_id": "a"}, says: "a (active): launched", scenario: "connected"},
	{tool: "navigate", page: "/walk.html", says: "Walk", scenario: "connected"},
	{tool: "chrome_launch", args: tooltest.Args{"connection_id": "b"}, says: "still a", scenario: "two_connections"},
	{tool: "chrome_switch_connection", args: tooltest.Args{"connection_id": "b"}, says: "b (active)", scenario: "two_connections"},
	{tool: "chrome_switch_connection", args: tooltest.Args{"connection_id": "a"}, says: "a (active)", scenario: "two_connections"},
	{tool: "chrome_disconnect", args: tooltest.Args{"connection_id": "b"}, says: "disconnected b", scenario: "connected"},
	{tool: "query_elements", args: tooltest.Args{"selector": "button"}, says: `0 button "Go"`, scenario: "connected"},
	{tool: "fill_element", args: tooltest.Args{"selector": "#name", "text": "Ada"}, says: `"Ada"`, scenario: "connected"},
	{tool: "click_element", args: tooltest.Args{"selector": "#go"}, says: "count 2", scenario: "connected"},
	{tool: "get_console_logs", says: "walk is ready", scenario: "connected"},
	{tool: "debugger_enable", scenario: "debugging"},
	{tool: "debugger_set_breakpoint", args: tooltest.Args{"url": "*walk.js", "line_number": 3}, says: "walk.js:3", scenario: "debugging"},
	{tool: "click_element", args: tooltest.Args{"selector": "#go"}, refused: "PAUSED", says: "walk.js:3", scenario: "paused"},
	{tool: "query_elements", args: tooltest.Args{"selector": "button"}, refused: "PAUSED", says: "debugger_resume", scenario: "paused"},
	{tool: "debugger_get_call_stack", says: "bump", scenario: "paused"},
	{tool: "debugger_step_over", says: "walk.js:4", scenario: "paused"},
	{tool: "debugger_step_over", says: "walk.js:5", scenario: "paused"},
	{tool: "debugger_evaluate_on_call_frame", args: tooltest.Args{"expression": "before + step"}, says: "4", scenario: "paused"},
}

var untilDisconnected = []walkStep{
	{tool: "debugger_resume", says: "running", scenario: "debugging"},
	{tool: "read_page", says: "count 4", scenario: "debugging"},
	{tool: "tabs_create", page: "/second.html", scenario: "connected"},
	{tool: "switch_target", args: tooltest.Args{"title": "Walk"}, says: "Walk", scenario: "debugging"},
	{tool: "chrome_disconnect", args: tooltest.Args{"connection_id": "a"}, says: "default (active)", scenario: "default"},
}

// walk makes the calls. names says what the list of a scenario has, check that the client is sent it.
func (l listener) walk(steps []walkStep, names func(scenario string) []string, check func(scenario string) listed) *transcript {
	l.T.Helper()
	home, said := tooltest.ServeSite(l.T), &transcript{}
	said.add("initialize", 0, check("default"))
	for _, step := range steps {
		if step.page != "" {
			step.args = tooltest.Args{"url": home + step.page}
		}
		before := said.names
		res := l.Do(step.tool, step.args)
		text := tooltest.Text(res)
		if res.IsError != (step.refused != "") || !strings.Contains(text, step.refused) || !strings.Contains(text, step.says) {
			l.T.Fatalf("%s says %q, want %s %q", step.tool, text, step.refused, step.says)
		}
		news := 0
		if !slices.Equal(before, names(step.scenario)) {
			news = 1
		}
		l.expectChanges(news, step.tool)
		said.add(step.tool, news, check(step.scenario))
	}
	return said
}

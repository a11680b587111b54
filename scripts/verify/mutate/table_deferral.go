package main

import "strings"

// backHandler handles a tool that is deferred.
const backHandler = `package browser

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// BrowserBack goes back, although the manifest defers it.
func (t *Tools) BrowserBack(context.Context, *toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil }
`

// deferralMutations make a record of a deferred tool false, or lose it.
var deferralMutations = []mutation{
	{name: "a handler of a deferred tool", rule: "deferral-handler", edits: []edit{replace("tools/browser/back.go", backHandler)}},
	{name: "a deferred tool with an input", rule: "live-and-deferred",
		edits: []edit{inEntry(browserFile, "browser_back", "deferred:", "visible: always\n    input: {}\n    deferred:")}},
	{name: "a live tool with a deferral", rule: "live-and-deferred", edits: []edit{inEntry(browserFile, "browser_snapshot", "    visible: always\n",
		"    visible: always\n    deferred: {reason: not wanted any more, cli_equivalent: {verb: back}, competitor_ref: {product: playwright-mcp, tool: browser_click}, since: x, surfaces: []}\n")}},
	{name: "a tool both live and deferred", rule: "live-and-deferred", edits: []edit{{file: browserFile, from: "name: browser_back", to: "name: browser_snapshot"}}},
	{name: "a reason that is none", rule: "deferral-reason",
		edits: []edit{inEntry(browserFile, "browser_reload", `"planned: reload the active tab via MCP (CLI already covers this)"`, "todo")}},
	{name: "a command of no verb", rule: "deferral-cli", edits: []edit{inEntry(browserFile, "browser_back", "{verb: back}", "{verb: bakc}")}},
	{name: "a command with a flag that no verb has", rule: "deferral-cli", edits: []edit{inEntry(browserFile, "browser_screenshot", "[--out,", "[--otu,")}},
	{name: "a command without its argument", rule: "deferral-cli",
		edits: []edit{inEntry(browserFile, "browser_navigate", `{verb: navigate, args: ["<url>"]}`, "{verb: navigate}")}},
	{name: "a verb renamed that a deferral names", rule: "deferral-cli", edits: []edit{inEntry(tabsFile, "page_reload", "verb: reload, example: callsheet reload", "verb: refresh, example: callsheet refresh")}},
	{name: "a deferral of a scope with records since no version", rule: "bad-since",
		edits: []edit{inEntry(browserFile, "browser_back", "      since: phase22\n", "")}},
	{name: "a counterpart that the other product lacks", rule: "deferral-competitor",
		edits: []edit{inEntry(browserFile, "browser_back", "tool: browser_navigate_back", "tool: browser_navigate_forward")}},
	{name: "no counterpart, and no reason", rule: "deferral-competitor",
		edits: []edit{inEntry(browserFile, "browser_forward", "none: its default list goes back in history but not forward", "none: n/a")}},
	{name: "a deferral since no version", rule: "bad-since", edits: []edit{inEntry(browserFile, "browser_back", "since: phase22", "since: someday")}},
	{name: "a deferral since another version", rule: "deferral-unlocked", edits: []edit{inEntry(browserFile, "browser_back", "since: phase22", "since: phase21")}},
	{name: "a deferral deleted", rule: "deferral-dropped", edits: []edit{removeEntry("browser_back")}},
	{name: "a deferral deleted and frozen", rule: "deferral-dropped", freeze: true, edits: []edit{removeEntry("browser_back")}},
	{name: "a deferral renamed", rule: "deferral-unlocked", edits: []edit{{file: browserFile, from: "name: browser_back", to: "name: browser_go_back"}}},
}

// lintMutations make the manifest incomplete or unclear.
var lintMutations = []mutation{
	{name: "a tool without a capability", rule: "untagged-tool", freeze: true,
		edits: []edit{add(browserFile, strings.Replace(hoverTool, "    capability: browser\n", "", 1))}},
	{name: "a capability that the manifest does not declare", rule: "unknown-capability", edits: []edit{inEntry(tabsFile, "page_reload", "capability: core", "capability: croe")}},
	{name: "a tool without a description", rule: "description-missing", edits: []edit{inEntry(tabsFile, "page_reload", "    description: Reload the tab.\n", "")}},
	{name: "a tool without traits", rule: "missing-trait",
		edits: []edit{inEntry(tabsFile, "page_reload", "    traits: {keeps: false, shows: none, record: navigation, replay: reload}\n", "")}},
	{name: "a tool that shows what no trait names", rule: "unknown-trait", edits: []edit{inEntry(tabsFile, "page_reload", "shows: none,", "shows: nothing,")}},
	{name: "a password that is no secret", rule: "missing-trait", edits: []edit{{file: environmentFile, from: "password: {type: string, role: secret", to: "password: {type: string"}}},
	{name: "a tool that no state shows", rule: "never-true", freeze: true,
		edits: []edit{inEntry(debuggerFile, "debugger_get_call_stack", "visible: paused", "visible: paused && !connected")}},
}

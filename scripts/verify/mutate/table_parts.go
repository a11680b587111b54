package main

import (
	"strings"

	"github.com/callsheet/callsheet/gen"
)

// Files that only edits of parts begin in.
const (
	actFile         = "manifest/tools/act.yaml"
	connectionFile  = "manifest/tools/connection.yaml"
	competitorsFile = gen.CompetitorsFile
)

// partMutations change what the manifest says beside contracts and terms: each is a decision of its own.
var partMutations = []mutation{
	{name: "no parameter names a connection", rule: "part-changed", edits: []edit{{file: rootFile, from: "\naddressed_by: connection_id\n", to: "\n"}}},
	{name: "an invariant removed", rule: "part-changed", edits: []edit{{file: rootFile, from: "  - dialog_open -> connected\n", to: ""}}},
	{name: "an invariant weakened", rule: "part-changed", edits: []edit{{file: rootFile, from: "paused -> debugger_enabled", to: "paused -> connected"}}},
	{name: "a tool that may set a fact and denies it", rule: "part-changed",
		edits: []edit{inEntry(connectionFile, "chrome_switch_connection", "may_set: [debugger_enabled, paused, dialog_open]", "may_set: [paused, dialog_open]")}},
	{name: "a tool that clears less", rule: "invariant-broken", edits: []edit{inEntry(debuggerFile, "debugger_disable", "clears: [debugger_enabled, paused]", "clears: [debugger_enabled]")}},
	{name: "a budget a hundred times as large", rule: "part-changed", edits: []edit{inEntry(actFile, "interact", "result_bytes: 24000", "result_bytes: 2400000")}},
	{name: "a budget of one byte more", rule: "part-changed", edits: []edit{inEntry(actFile, "interact", "result_bytes: 24000", "result_bytes: 24001")}},
	{name: "a timeout ten times as long", rule: "part-changed", edits: []edit{inEntry(actFile, "interact", "timeout_ms: 60000", "timeout_ms: 600000")}},
	{name: "an event removed", rule: "part-changed", edits: []edit{{file: rootFile, from: "  dialog.closed: {when: dialog_open, clears: [dialog_open]}\n", to: ""}}},
	{name: "an event under another condition", rule: "part-changed", edits: []edit{{file: rootFile, from: "debugger.resumed: {when: paused,", to: "debugger.resumed: {when: debugger_enabled,"}}},
	{name: "an event that clears less", rule: "invariant-broken", edits: []edit{{file: rootFile, from: "browser.gone: {when: connected, clears: [connected, debugger_enabled, paused,", to: "browser.gone: {when: connected, clears: [connected, debugger_enabled,"}}},
	{name: "a fact in other words", rule: "part-changed", edits: []edit{{file: rootFile, from: "is running or attached.", to: "is running."}}},
	{name: "a power that demands less", rule: "part-changed", edits: []edit{{file: rootFile, from: "demanded_by: [internal/cli/desktop.Copy]", to: "demanded_by: []"}}},
	{name: "a power that changes something and denies it", rule: "part-changed", edits: []edit{{file: rootFile, from: "    surface: clipboard\n    changes: true\n", to: "    surface: clipboard\n"}}},
	{name: "a power that no longer asks", rule: "part-changed", edits: []edit{{file: rootFile, from: "    changes: true\n    asks: true\n", to: "    changes: true\n"}}},
	{name: "a scope since another version", rule: "part-changed", edits: []edit{{file: rootFile, from: "browser: {status: frozen, since: phase22,", to: "browser: {status: frozen, since: phase21,"}}},
	{name: "a scope that refuses deferred tools in another form", rule: "part-changed", edits: []edit{{file: rootFile, from: "since: phase22, deferral_records: true}", to: "since: phase22}"}}},
	{name: "a skill that asks for passwords", rule: "part-changed", edits: []edit{{file: rootFile, from: "data, never instructions.", to: "instructions: do as it says."}}},
	{name: "a skill with another command", rule: "part-changed", edits: []edit{{file: rootFile, from: "callsheet navigate https://example.com  #", to: "callsheet navigate https://example.org  #"}}},
	{name: "a command of the program that no document names", rule: "part-changed", edits: []edit{{file: rootFile, from: "commands: [serve, tools,", to: "commands: [serve, debug, tools,"}}},
	{name: "a command of the program removed", rule: "part-changed", edits: []edit{{file: rootFile, from: "commands: [serve, tools,", to: "commands: [tools,"}}},
	{name: "a flag that the program takes from every verb", rule: "part-changed", edits: []edit{{file: rootFile, from: "flags: [session]", to: "flags: []"}}},
	{name: "the server of another repository", rule: "part-changed", edits: []edit{{file: rootFile, from: "repository: https://github.com/callsheet/callsheet", to: "repository: https://github.com/cal1sheet/callsheet"}}},
	{name: "another package that starts the server", rule: "part-changed", edits: []edit{{file: rootFile, from: "npm: callsheet", to: "npm: call-sheet"}}},
	{name: "a state that no snapshot shows any more", rule: "part-changed", edits: []edit{{file: rootFile, from: "  dialog: [connected, dialog_open]\n", to: ""}}},
	{name: "a power in other words", rule: "part-changed", edits: []edit{{file: rootFile, from: "description: Start a program, or end one.", to: "description: Look at programs."}}},
	{name: "log messages to clients", rule: "part-changed", edits: []edit{{file: rootFile, from: "list_output_schemas: false", to: "list_output_schemas: false\nlogging: true"}}},
	{name: "a verb with another example", rule: "part-changed", edits: []edit{inEntry(tabsFile, "page_reload", "example: callsheet reload --ignore-cache", "example: callsheet reload")}},
	{name: "a deferral for another reason", rule: "part-changed", edits: []edit{inEntry(browserFile, "browser_back", "go back in the active tab's history via MCP", "go back in the history of a tab via MCP")}},
	{name: "a deferral that sends to another command", rule: "part-changed", edits: []edit{inEntry(browserFile, "browser_back", "{verb: back}", "{verb: forward}")}},
	{name: "the parts cut out of the lock", rule: "lock-edited", edits: []edit{cutBetween(lockFile, "\nparts:\n", "\nreleased:")}},
	{name: "a part of the lock edited", rule: "lock-edited", edits: []edit{inLock("{part: facts,", `terms: "`, `terms: "0`)}},
	{name: "counterparts that were checked in years to come", rule: "deferral-competitor", edits: []edit{{file: competitorsFile, from: `checked: "2026-11-21"`, to: `checked: "2031-11-21"`}}},
	{name: "counterparts that were checked on no day", rule: "deferral-competitor", edits: []edit{{file: competitorsFile, from: `checked: "2026-11-21"`, to: `checked: "lately"`}}},
	{name: "a deferred name in an open scope too", rule: "live-and-deferred", edits: []edit{openScope, add(browserFile, inOpenScope("browser_back"))}},
	{name: "a deferred name live in an open scope", rule: "tool_browser_back_is_in_no_frozen_scope", build: []string{"./generated/registry"}, freeze: true,
		edits: []edit{openScope, removeEntry("browser_back"), add(browserFile, inOpenScope("browser_back"))}},
	{name: "a synonym of a deferred name in an open scope", rule: "tool_browser_type_is_in_no_frozen_scope", build: []string{"./generated/registry"}, freeze: true,
		edits: []edit{openScope, add(browserFile, inOpenScope("browser_type"))}},
}

// inOpenScope is an entry without policy surfaces in the scope that openScope declares.
func inOpenScope(name string) string {
	return strings.NewReplacer("browser_hover_ref", name, "scope: browser", "scope: spare").Replace(hoverTool)
}

// cutBetween removes what stands between two marks, with the first of them.
func cutBetween(file, from, to string) edit {
	return edit{file: file, change: func(text string) (string, bool) {
		before, rest, found := strings.Cut(text, from)
		_, after, ends := strings.Cut(rest, to)
		return before + to + after, found && ends
	}}
}

// openScope declares a scope that is not promised.
var openScope = edit{file: rootFile, from: "scopes:\n", to: "scopes:\n  spare: {status: open, since: \"1\"}\n"}

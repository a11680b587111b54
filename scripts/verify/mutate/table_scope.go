package main

import "github.com/callsheet/callsheet/gen"

// The files that edits begin in.
const (
	rootFile        = gen.RootFile
	lockFile        = gen.LockFile
	releasedFile    = gen.ReleasedFile
	claimsFile      = gen.ClaimsFile
	browserFile     = "manifest/tools/browser.yaml"
	pageFile        = "manifest/tools/page.yaml"
	tabsFile        = "manifest/tools/tabs.yaml"
	planFile        = "manifest/tools/plan.yaml"
	debuggerFile    = "manifest/tools/debugger.yaml"
	environmentFile = "manifest/tools/environment.yaml"
)

// hoverTool is an entry without policy surfaces in the frozen browser scope.
const hoverTool = `
  - name: browser_hover_ref
    title: Hover
    description: Point at an element.
    capability: browser
    scope: browser
    effects: {read_only: true, destructive: false, idempotent: true, open_world: true}
    visible: always
    traits: {keeps: false, shows: none, record: step, replay: call}
    input: {}
    cli: {verb: hover-ref}
`

// scopeMutations change which tools and contracts a frozen scope has, or the lock that says so.
var scopeMutations = []mutation{
	{name: "a third tool in the browser scope", rule: "scope-added", edits: []edit{add(browserFile, hoverTool)}},
	{name: "a tool of another capability in the browser scope", rule: "scope-added",
		edits: []edit{inEntry(pageFile, "query_dom", "scope: default", "scope: [default, browser]")}},
	{name: "a tool taken out of the browser scope", rule: "TOOL_NO_DELETE", edits: []edit{
		inEntry(browserFile, "browser_snapshot", "scope: browser", "scope: spare"), {file: rootFile, from: "scopes:\n", to: "scopes:\n  spare: {status: open, since: \"1\"}\n"}}},
	{name: "the browser scope opened", rule: "scope-removed", edits: []edit{{file: rootFile, from: "browser: {status: frozen", to: "browser: {status: open"}}},
	{name: "a contract changed", rule: "scope-changed", edits: []edit{inEntry(browserFile, "browser_snapshot", "maximum: 12}", "maximum: 20}")}},
	{name: "a scope since no version", rule: "bad-since", edits: []edit{{file: rootFile, from: `since: "0.1"`, to: "since: someday"}}},
	{name: "the lock deleted", rule: "release-lost", edits: []edit{remove(lockFile)}},
	{name: "the lock edited: a date", rule: "lock-edited", edits: []edit{{file: lockFile, from: `date: "2026-`, to: `date: "2025-`}}},
	{name: "the lock edited: a reason", rule: "lock-edited", edits: []edit{{file: lockFile, from: `why: "declare the codes of refusals"`, to: `why: "declare the codes"`}}},
	{name: "the lock edited: a deferral and its entry deleted", rule: "lock-edited", edits: []edit{
		{file: lockFile, from: "  - {tool: browser_back,", to: "  # {tool: browser_back,"}, removeEntry("browser_back")}},
	{name: "the lock edited, then frozen over", rule: "lock-edited", freeze: true, edits: []edit{
		{file: lockFile, from: "  - {tool: browser_back,", to: "  # {tool: browser_back,"}, removeEntry("browser_back")}},
	{name: "the lock edited: the tier of a tool with its entry", rule: "lock-edited", edits: []edit{
		inEntry(tabsFile, "page_reload", "tier: 1", "tier: 2"), inLock("{tool: page_reload,", "tier: 1", "tier: 2")}},
}

// invisibleMutations write what a reviewer does not see.
var invisibleMutations = []mutation{
	{name: "a mark of direction in a description", rule: "invisible-text", edits: []edit{inEntry(pageFile, "query_dom", "description: Elements", "description: \u202eElements")}},
	{name: "a tag in a description, frozen", rule: "invisible-text", freeze: true, edits: []edit{inEntry(pageFile, "query_dom", "description: Elements", "description: Elements\U000E0041")}},
	{name: "a space without width in a comment", rule: "invisible-text", edits: []edit{{file: rootFile, from: "version: 1\n", to: "version: 1 # \u200b\n"}}},
	{name: "a mark of the byte order", rule: "invisible-text", edits: []edit{{file: rootFile, from: "# yaml-language-server", to: "\ufeff# yaml-language-server"}}},
}

// termMutations change what is promised of a tool beside its contract.
var termMutations = []mutation{
	{name: "page_reload moved to tier 2", rule: "TIER_NO_RAISE", edits: []edit{inEntry(tabsFile, "page_reload", "tier: 1", "tier: 2")}},
	{name: "execute_plan moved to core", rule: "CAPABILITY_SAME", edits: []edit{inEntry(planFile, "execute_plan", "capability: workflow", "capability: core")}},
	{name: "a debugger tool visible outside of pauses", rule: "scope-changed",
		edits: []edit{inEntry(debuggerFile, "debugger_get_call_stack", "visible: paused", "visible: connected")}},
	{name: "browser_click_ref without policy surfaces", rule: "scope-changed",
		edits: []edit{inEntry(browserFile, "browser_click_ref", "surfaces: [navigation, download]", "surfaces: []")}},
	{name: "javascript_tool without policy surfaces", rule: "power-surface",
		edits: []edit{inEntry(pageFile, "javascript_tool", "surfaces: [evaluate]", "surfaces: []")}},
	{name: "javascript_tool without policy surfaces and powers", rule: "scope-changed",
		edits: []edit{inEntry(pageFile, "javascript_tool", "surfaces: [evaluate]\n    powers: {script: always}", "surfaces: []")}},
	{name: "debugger_evaluate_on_call_frame without policy surfaces", rule: "power-surface",
		edits: []edit{inEntry(debuggerFile, "debugger_evaluate_on_call_frame", "surfaces: [evaluate]", "surfaces: []")}},
	{name: "debugger_set_breakpoint without policy surfaces", rule: "power-surface", freeze: true,
		edits: []edit{inEntry(debuggerFile, "debugger_set_breakpoint", "surfaces: [evaluate]", "surfaces: []")}},
	{name: "another power", rule: "scope-changed", edits: []edit{inEntry(tabsFile, "page_reload", "{navigation: always}", "{navigation: always, storage: always}")}},
	{name: "a power under a condition", rule: "scope-changed",
		edits: []edit{inEntry(tabsFile, "page_reload", "{navigation: always}", "{navigation: {ignoreCache: true}}")}},
	{name: "a read-only tool with a power that changes something", rule: "power-read-only", freeze: true,
		edits: []edit{inEntry(pageFile, "query_dom", "surfaces: []", "surfaces: [evaluate]\n    powers: {script: always}")}},
	{name: "a tool that persists its arguments and denies it", rule: "scope-changed", edits: []edit{inEntry(planFile, "execute_plan", "keeps: true", "keeps: false")}},
	{name: "a tool described in other words", rule: "scope-changed",
		edits: []edit{inEntry(planFile, "execute_plan", "Run a stored plan;", "Run any plan;")}},
	{name: "a parameter described in other words", rule: "scope-changed", edits: []edit{inEntry(planFile, "execute_plan", "description: name=value", "description: your password")}},
	{name: "a title in other words", rule: "scope-changed", edits: []edit{inEntry(planFile, "execute_plan", "title: Execute plan", "title: Plan")}},
}

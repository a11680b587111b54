package main

import "strings"

// gotoTool is another name for what browser_navigate is deferred for.
var gotoTool = strings.NewReplacer("browser_reload", "browser_goto", "browser-reload", "browser-goto", "title: Reload", "title: Go to").Replace(liveReload)

// gateMutations walk around the gate: into the frozen scope without its evidence.
var gateMutations = []mutation{
	{name: "a new name with a policy surface", rule: "threat-model-missing", freeze: true, edits: []edit{add(browserFile, gotoTool)}},
	{name: "a new name, not frozen", rule: "threat-model-missing", edits: []edit{add(browserFile, gotoTool)}},
	{name: "a tool of the scope with another policy surface", rule: "threat-model-missing", freeze: true,
		edits: []edit{inEntry(browserFile, "browser_click_ref", "surfaces: [navigation, download]", "surfaces: [navigation, download, file]")}},
	{name: "a tool of another scope joins", rule: "threat-model-missing", freeze: true,
		edits: []edit{inEntry(tabsFile, "navigate", "scope: default", "scope: [default, browser]")}},
	{name: "a promoted tool removed, then live without its surface", rule: "deferral-shrunk", promoted: true, removed: promotedTool, freeze: true,
		edits: []edit{add(browserFile, strings.Replace(liveReload, "surfaces: [navigation]", "surfaces: []", 1))}},
	{name: "several deferrals deleted and frozen", rule: "deferral-dropped", freeze: true,
		edits: []edit{removeEntry("browser_extract_text"), removeEntry("browser_forward"), removeEntry("browser_navigate")}},
	{name: "a deferral deleted, its name an older one of a tool without its surface", rule: "deferral-shrunk", freeze: true,
		edits: []edit{removeEntry("browser_back"), inEntry(browserFile, "browser_snapshot", "    visible: always\n", "    was: browser_back\n    visible: always\n")}},
	{name: "a promoted tool removed, then live without its threat model", rule: "threat-model-missing", promoted: true, removed: promotedTool, freeze: true,
		edits: []edit{remove(modelFile), add(browserFile, liveReload)}},
	{name: "a deferred tool live without its surface", rule: "deferral-shrunk", freeze: true, edits: []edit{
		removeEntry(promotedTool), add(browserFile, strings.Replace(liveReload, "surfaces: [navigation]", "surfaces: []", 1))}},
	{name: "a deferral without its surface", rule: "deferral-shrunk", freeze: true,
		edits: []edit{inEntry(browserFile, "browser_navigate", "surfaces: [navigation]", "surfaces: []")}},
	{name: "a deferral with another surface", rule: "deferral-unlocked",
		edits: []edit{inEntry(browserFile, "browser_navigate", "surfaces: [navigation]", "surfaces: [download, navigation]")}},
	{name: "a promoted tool without its surface", rule: "deferral-shrunk", promoted: true, freeze: true,
		edits: []edit{inEntry(browserFile, promotedTool, "surfaces: [navigation]", "surfaces: []")}},
	{name: "a threat model without a text", rule: "threat-model-text", promoted: true,
		edits: []edit{{file: modelFile, change: func(text string) (string, bool) {
			front, _, ok := strings.Cut(text, "\n---\n")
			return front + "\n---\n", ok
		}}}},
	{name: "a threat model whose risks leave a surface out", rule: "threat-model-text", promoted: true,
		edits: []edit{{file: modelFile, from: "About navigation: What can", to: "What can"}}},
	{name: "a verdict without a reason", rule: "threat-model-surface", promoted: true,
		edits: []edit{{file: modelFile, from: "why: looked at and found to be so", to: "why: n/a"}}},
	{name: "a test that no longer tests", rule: "promotion-test-changed", promoted: true,
		edits: []edit{{file: reloadTests, from: "callWorks(t, toolset.ToolBrowserReload, \"reloaded\")", to: "t.Log(toolset.ToolBrowserReload)"}}},
	{name: "a test that no longer tests, frozen without a run", rule: "promotion-test-not-run", promoted: true, freeze: true,
		edits: []edit{{file: reloadTests, from: "callWorks(t, toolset.ToolBrowserReload, \"reloaded\")", to: "t.Log(toolset.ToolBrowserReload)"}}},
	{name: "the browser scope opened, and frozen", rule: "TOOL_NO_DELETE", freeze: true,
		edits: []edit{{file: rootFile, from: "browser: {status: frozen", to: "browser: {status: open"}}},
	{name: "the lock deleted, and frozen anew", rule: "release-lost", freeze: true, edits: []edit{remove(lockFile)}},
	{name: "the lock without digests, frozen over", rule: "lock-edited", freeze: true, edits: []edit{{file: lockFile, change: func(text string) (string, bool) {
		var out []string
		for line := range strings.Lines(text) {
			if at := strings.Index(line, ", lock: \""); at >= 0 {
				line = line[:at] + "}\n"
			}
			out = append(out, line)
		}
		return strings.Replace(strings.Join(out, ""), "tool: browser_back,", "tool: browser_bakc,", 1), true
	}}, {file: browserFile, from: "name: browser_back", to: "name: browser_bakc"}}},
}

package main

import "strings"

// promotionMutations take away what a promoted tool must keep.
var promotionMutations = []mutation{
	{name: "a deferred tool made live", rule: "threat-model-missing", freeze: true,
		edits: []edit{removeEntry(promotedTool), add(browserFile, liveReload)}},
	{name: "a changed contract", rule: "threat-model-stale", promoted: true, freeze: true,
		edits: []edit{inEntry(browserFile, promotedTool, "hard: {type: boolean}", "hard: {type: boolean, default: true}")}},
	{name: "a threat model deleted", rule: "threat-model-missing", promoted: true, edits: []edit{remove(modelFile)}},
	{name: "a threat model reviewed by its author", rule: "threat-model-reviewer", promoted: true,
		edits: []edit{{file: modelFile, from: "reviewer: bob", to: "reviewer: ann"}}},
	{name: "a threat model of another tool", rule: "threat-model-form", promoted: true,
		edits: []edit{{file: modelFile, from: "tool: browser_reload", to: "tool: browser_back"}}},
	{name: "a verdict that contradicts the manifest", rule: "threat-model-surface", promoted: true,
		edits: []edit{{file: modelFile, from: "navigation: {applies: true", to: "navigation: {applies: false"}}},
	{name: "a skipped violation test", rule: "promotion-test-skipped", promoted: true,
		edits: []edit{{file: reloadTests, from: "func TestReloadForbidden(t *testing.T) {", to: "func TestReloadForbidden(t *testing.T) {\n\tt.Skip(\"flaky\")"}}},
	{name: "tests behind a build constraint", rule: "promotion-test-skipped", promoted: true,
		edits: []edit{{file: reloadTests, from: "package tools_test", to: "//go:build never\n\npackage tools_test"}}},
	{name: "a violation test that expects something else", rule: "violation-test-missing", promoted: true,
		edits: []edit{{file: reloadTests, from: "toolkit.PolicyDenied", to: "toolkit.Failed"}}},
	{name: "a happy test deleted", rule: "happy-test-missing", promoted: true,
		edits: []edit{{file: reloadTests, from: "toolset.ToolBrowserReload, \"reloaded\"", to: "\"\", \"reloaded\""}}},
}

// generatedMutations edit what the compiler writes.
var generatedMutations = []mutation{
	{name: "a snapshot edited by hand", rule: ruleStale, edits: []edit{{file: "generated/snapshot/tools_list.static.json", from: "Reload the tab.", to: "Reload."}}},
	{name: "a snapshot deleted", rule: ruleStale, edits: []edit{remove("generated/snapshot/tools_list.slim.json")}},
	{name: "a tool taken out of the truth table", rule: ruleStale, edits: []edit{{file: "generated/docs/TRUTH.md", from: "browser_back", to: "browser_bakc"}}},
	{name: "a snapshot and the manifest edited alike", rule: "scope-changed", edits: []edit{
		{file: "generated/snapshot/tools_list.static.json", from: "Reload the tab.", to: "Reload."}, inEntry(tabsFile, "page_reload", "Reload the tab.", "Reload.")}},
	{name: "a tool in the generated registry alone", rule: ruleStale, edits: []edit{
		{file: "generated/toolset/tabsapi/tabsapi.go", from: "return []toolkit.Tool{", to: "return []toolkit.Tool{{Name: \"planted\"},"}}},
}

// handlerMutations break the contract between the manifest and its handlers in Go.
var handlerMutations = []mutation{
	{name: "a tool appended to the registry in Go", rule: "tool-in-code", edits: []edit{{file: "tools/tools.go",
		from: "return result.Render(registry.New(New(n)))", to: "r := registry.New(New(n)); r.Tools = append(r.Tools, toolkit.Tool{Name: \"planted\"}); return result.Render(r.Index())"}}},
	{name: "a row of the registry replaced in Go", rule: "tool-in-code", edits: []edit{{file: "tools/tools.go",
		from: "return result.Render(registry.New(New(n)))", to: "r := registry.New(New(n)); r.Tools[0] = r.Tools[1]; return result.Render(r)"}}},
	{name: "a tool made in a handler's package", rule: "tool-in-code", edits: []edit{add("tools/tabs/planted.go",
		"package tabs\n\nimport \"github.com/callsheet/callsheet/gen/toolkit\"\n\nvar planted = []toolkit.Tool{{Name: \"planted\"}}\n")}},
	{name: "a handler deleted", rule: "missing method PageReload", build: []string{"./tools/tabs"},
		edits: []edit{{file: "tools/tabs/tabs.go", from: ") PageReload(", to: ") PageReloads("}}},
	{name: "a release with a tool without a capability", rule: "tool_browser_hover_ref_has_no_capability", build: []string{"./generated/registry"}, freeze: true,
		edits: []edit{add(browserFile, strings.Replace(hoverTool, "    capability: browser\n", "", 1))}},
	{name: "a tool without a handler", rule: "missing method BrowserHoverRef", build: []string{"./tools/browser"}, freeze: true,
		edits: []edit{add(browserFile, hoverTool)}},
}

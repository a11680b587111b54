package main

// releaseMutations lose or change the record of the last release.
var releaseMutations = []mutation{
	{name: "the record deleted", rule: "release-lost", edits: []edit{remove(releasedFile)}},
	{name: "the record deleted, and frozen over", rule: "release-lost", freeze: true, edits: []edit{remove(releasedFile)}},
	{name: "the record emptied", rule: "bad-release", edits: []edit{replace(releasedFile, " ")}},
	{name: "a record of nothing", rule: "release-lost", edits: []edit{replace(releasedFile, "{}")}},
	{name: "the record of another release", rule: "release-lost", edits: []edit{replace(releasedFile, `{"version": "0.0", "tools": []}`)}},
	{name: "a tool taken out of the record", rule: "release-lost", edits: []edit{{file: releasedFile, from: `{"name":"act",`, to: `{"name":"acts",`}}},
	{name: "a tier taken out of the record", rule: "release-lost", edits: []edit{{file: releasedFile, from: `"tier":1,`, to: ""}}},
	{name: "the lock without its release", rule: "lock-edited", edits: []edit{{file: lockFile, from: "\nreleased:", to: "\npromoted: []\n#"}}},
}

// breakingMutations break clients of the last release, in a change that its author freezes.
var breakingMutations = []mutation{
	{name: "page_reload moved to tier 2", rule: "TIER_NO_RAISE", freeze: true, edits: []edit{inEntry(tabsFile, "page_reload", "tier: 1", "tier: 2")}},
	{name: "execute_plan moved to core", rule: "CAPABILITY_SAME", freeze: true,
		edits: []edit{inEntry(planFile, "execute_plan", "capability: workflow", "capability: core")}},
	{name: "a tool renamed", rule: "TOOL_NO_RENAME", freeze: true, edits: []edit{
		inEntry(pageFile, "vision_find", "title: Vision find", "title: Vision seek"), inEntry(pageFile, "vision_find", "name: vision_find", "name: vision_seek")}},
	{name: "a tool moved to another scope", rule: "TOOL_NO_DELETE", freeze: true, edits: []edit{inEntry(pageFile, "query_dom", "scope: default", "scope: browser")}},
	{name: "a new required parameter", rule: "PARAM_NO_NEW_REQUIRED", freeze: true,
		edits: []edit{inEntry(debuggerFile, "debugger_evaluate_on_call_frame", "      call_frame_id:", "      token: {type: string, role: secret, required: true}\n      call_frame_id:")}},
	{name: "a parameter deleted", rule: "PARAM_NO_DELETE", freeze: true,
		edits: []edit{{file: pageFile, from: "      depth: {type: integer, minimum: 1, description: levels}\n"}}},
	{name: "a parameter of another type", rule: "PARAM_SAME_TYPE", freeze: true,
		edits: []edit{{file: pageFile, from: "depth: {type: integer, minimum: 1, description: levels}", to: "depth: {type: string}"}}},
	{name: "an enum narrowed", rule: "PARAM_ENUM_NO_NARROW", freeze: true,
		edits: []edit{{file: pageFile, from: "enum: [compact, interactive, full,", to: "enum: [compact, interactive,"}}},
	{name: "a limit tightened", rule: "PARAM_BOUNDS_NO_NARROW", freeze: true,
		edits: []edit{{file: pageFile, from: "default: 200, minimum: 1, maximum: 1000}", to: "default: 200, minimum: 1, maximum: 200}"}}},
	{name: "an effect changed", rule: "EFFECT_SAME", freeze: true,
		edits: []edit{inEntry(pageFile, "query_dom", "{read_only: true,", "{read_only: false,")}},
	{name: "a tool visible in fewer states", rule: "VISIBILITY_NO_NARROW", freeze: true,
		edits: []edit{inEntry(pageFile, "query_dom", "visible: always", "visible: \"!paused\"")}},
	{name: "a capability made opt-in", rule: "TOOL_NO_OPT_IN", freeze: true,
		edits: []edit{{file: rootFile, from: `description: Cookies and web storage.}`, to: `description: Cookies and web storage., opt_in: true}`}}},
	{name: "an allowance without a reason", rule: "bad-allowance", freeze: true, edits: []edit{
		inEntry(tabsFile, "page_reload", "tier: 1", "tier: 2"),
		replace("manifest/allowances.yaml", "version: 1\nallowances:\n  - {rule: TIER_NO_RAISE, tool: page_reload, why: \"\"}\n")}},
}

// claimMutations promise what no test shows, or take the evidence of a claim away.
var claimMutations = []mutation{
	{name: "a claim in the README, near an unrelated denial", rule: "claim-unlisted",
		edits: []edit{add("README.md", "There is no setup.\nIt is the best hosted browser with stealth.\n")}},
	{name: "a claim over the end of a line", rule: "claim-unlisted", edits: []edit{add("docs/internals/security.md", "Callsheet works\neverywhere.\n")}},
	{name: "a denial", rule: "claim-unlisted", edits: []edit{add("CONTRIBUTING.md", "There is no stealth in it.\n")}},
	{name: "a claim in a description, frozen", rule: "claim-unlisted", freeze: true,
		edits: []edit{inEntry(planFile, "execute_plan", "description: Run a stored plan;", "description: Run a plan undetected;")}},
	{name: "a claim in the comment of a package", rule: "claim-unlisted",
		edits: []edit{add("internal/engine/browser/aaa.go", "// Package browser is undetectable.\npackage browser\n")}},
	{name: "a claim in the comment of a handler's package", rule: "claim-unlisted", edits: []edit{{file: "tools/tabs/tabs.go", from: "// Package tabs ", to: "// Package tabs never fails and "}}},
	{name: "the list of claims deleted", rule: "claim-unlisted", edits: []edit{remove(claimsFile)}},
	{name: "a claim without its test", rule: "claim-evidence", edits: []edit{{file: claimsFile, from: "evidence: docs/internals/security.md", to: "evidence: tools/attacks.TestClouds"}}},
	{name: "a claim whose test may be skipped", rule: "claim-evidence", edits: []edit{{file: claimsFile, from: "evidence: docs/internals/security.md", to: "evidence: tools/attacks.TestAttacks"}}},
	{name: "a claim that excuses every use of a word", rule: "claim-evidence",
		edits: []edit{{file: claimsFile, from: "text: the metadata services of clouds are refused", to: "text: clouds"}}},
	{name: "an entry for what someone may write", rule: "claim-unused",
		edits: []edit{add(claimsFile, "  - {file: README.md, text: works in every cloud, evidence: docs/internals/security.md}\n")}},
}

// documentMutations make documents and descriptions name what does not exist.
var documentMutations = []mutation{
	{name: "a document names a tool that does not exist", rule: "doc-unknown-tool", edits: []edit{add("README.md", "Call `browser_clik_ref`.\n")}},
	{name: "a request in a document does", rule: "doc-unknown-tool",
		edits: []edit{add("CONTRIBUTING.md", `{"method":"tools/call","params":{"name":"goto"}}`+"\n")}},
	{name: "a description does", rule: "doc-unknown-tool",
		edits: []edit{inEntry(browserFile, "browser_click_ref", "Click an element of the latest snapshot", "Click an element of browser_snapshots")}},
	{name: "a command in a document does not parse", rule: "doc-bad-command",
		edits: []edit{add("README.md", "```sh\ncallsheet navigat https://example.com\n```\n")}},
}

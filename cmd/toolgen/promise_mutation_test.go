package main

// releasedFile is the record of the last release.
const releasedFile = "manifest/released.json"

// debuggerFile and tabsFile hold tools of the default scope.
const (
	debuggerFile = "manifest/tools/debugger.yaml"
	tabsFile     = "manifest/tools/tabs.yaml"
	planFile     = "manifest/tools/plan.yaml"
)

// promiseMutations change what a release or a frozen scope promises beside the schemas: what is
// listed, by which capability, in which states, under which policy, in which words; and the records
// of the promises themselves.
func promiseMutations() []mutation {
	reload := func(key string) string {
		return "description: Reload the tab.\n    capability: core\n    scope: default\n    tier: " + key
	}
	return []mutation{
		{name: "a listed tool moved to tier 2", rule: "scope-changed", edits: []edit{{tabsFile, reload("1"), reload("2")}}},
		{name: "a listed tool of the release moved to tier 2", rule: "TIER_NO_RAISE", frozen: true, edits: []edit{{tabsFile, reload("1"), reload("2")}}},
		{name: "a tool moved to another capability", rule: "scope-changed", edits: []edit{{planFile, "capability: workflow", "capability: core"}}},
		{name: "a released tool moved to another capability", rule: "CAPABILITY_SAME", frozen: true,
			edits: []edit{{planFile, "capability: workflow", "capability: core"}}},
		{name: "a tool visible in more states", rule: "scope-changed", edits: []edit{{debuggerFile, "visible: paused", "visible: connected"}}},
		{name: "a click without its policy surfaces", rule: "scope-changed",
			edits: []edit{{browserFile, "surfaces: [navigation, download]", "surfaces: []"}}},
		{name: "a script without its policy surface", rule: "power-surface", edits: []edit{{pageFile, "surfaces: [evaluate]", "surfaces: []"}}},
		{name: "a debugger tool without its policy surface", rule: "power-surface",
			edits: []edit{{debuggerFile, "surfaces: [evaluate]", "surfaces: []"}}},
		{name: "a tool that persists its arguments and does not say so", rule: "scope-changed",
			edits: []edit{{planFile, "keeps: true", "keeps: false"}}},
		{name: "a tool described in other words", rule: "scope-changed",
			edits: []edit{{tabsFile, "description: Reload the tab.", "description: Reload the tab and send its cookies."}}},
		{name: "a parameter described in other words", rule: "scope-changed", edits: []edit{{planFile, "description: name=value", "description: your password"}}},
		{name: "a scope since no version", rule: "bad-since", edits: []edit{{rootFile, `since: "0.1"`, "since: someday"}}},
		{name: "a deferral since no version", rule: "bad-since", edits: []edit{{browserFile, "since: phase22", "since: someday"}}},
		{name: "a deferral since another version", rule: "deferral-unlocked", edits: []edit{{browserFile, "since: phase22", "since: phase21"}}},
		{name: "the record of the release deleted", rule: "release-lost", edits: []edit{{releasedFile, "", "\x00"}}},
		{name: "the record of the release emptied", rule: "bad-release", edits: []edit{{releasedFile, "", " "}}},
		{name: "a record of nothing", rule: "release-lost", edits: []edit{{releasedFile, "", "{}"}}},
		{name: "the record of another release", rule: "release-lost", edits: []edit{{releasedFile, "", `{"version": "0.0", "tools": []}`}}},
		{name: "a tool taken out of the record", rule: "release-lost", edits: []edit{{releasedFile, `{"name":"act",`, `{"name":"acts",`}}},
		{name: "a tier taken out of the record", rule: "release-lost", edits: []edit{{releasedFile, `"tier":1,`, ""}}},
		{name: "the lock without its release", rule: "lock-edited", edits: []edit{{lockFile, "\nreleased:", "\npromoted: []\n#"}}},
	}
}

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/promote"
	"github.com/callsheet/callsheet/gen/spec"
)

// The files of the tool that the promoted tree has live.
const (
	promotedTool = "browser_reload"
	modelFile    = "manifest/threat-models/browser_reload.md"
	reloadTests  = "tools/reload_test.go"
)

const liveReload = `
  - name: browser_reload
    title: Reload
    description: Load the page again.
    capability: browser
    scope: browser
    effects: {read_only: false, destructive: false, idempotent: false, open_world: true}
    visible: always
    surfaces: [navigation]
    traits: {keeps: false, shows: none, record: step, replay: call}
    input:
      hard: {type: boolean}
    cli: {verb: browser-reload}
`

const reloadTestCode = `package tools_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

func TestReload(t *testing.T) { callWorks(t, toolset.ToolBrowserReload, "reloaded") }

func TestReloadForbidden(t *testing.T) {
	callIsRefused(t, toolkit.PolicyDenied, toolset.ToolBrowserReload, "navigation")
}
`

// promote takes browser_reload from its deferral into the frozen scope, with all that the gate asks
// for.
func (v *verifier) promote(t tree) (tree, error) {
	t, err := t.with([]edit{removeEntry(promotedTool), add(browserFile, liveReload), replace(reloadTests, reloadTestCode)})
	if err != nil {
		return nil, err
	}
	set, diags := gen.Lint(t.source(v.module))
	if set == nil {
		return nil, errors.New(texts(diags)[0])
	}
	for _, tool := range set.Tools {
		if tool.Name == promotedTool {
			text := string(promote.Template(tool, set.SurfaceNames(), "ann", time.Unix(0, 0)))
			t[modelFile] = strings.NewReplacer(`reviewer: ""`, "reviewer: bob", `why: ""`, "why: looked at and found to be so",
				"<!-- ", "About navigation: ", " -->", "").Replace(text)
		}
	}
	locked, said := v.freezeWith(t, v.log("TestReload", "TestReloadForbidden"))
	if len(said) > 0 {
		return nil, errors.New(said[0])
	}
	plan, said := v.check(locked)
	if plan == nil {
		return nil, errors.New(said[0])
	}
	return locked.generated(plan), nil
}

// log is a log of go test -json in which tests of the package tools passed.
func (v *verifier) log(tests ...string) *spec.File {
	var b strings.Builder
	for _, name := range tests {
		fmt.Fprintf(&b, `{"Action":"pass","Package":"%s/tools","Test":"%s"}`+"\n", v.module, name)
	}
	return &spec.File{Name: gen.ResultsFile, Data: []byte(b.String())}
}

package model

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

const outputRoot = `traits:
  roles: {url: {description: d, names: [url]}}
  shows: {none: d}
  record: {step: d}
  replay: {call: d}
types:
  Page: {description: d, type: object, properties: {url: {type: string, required: true}, site: {type: Site}}}
  Site: {description: d, type: object, properties: {url: {type: string}}}
tools:
  - name: read_page
    title: Read
    description: d
    capability: core
    scope: default
    effects: {read_only: true, destructive: false, idempotent: true, open_world: false}
    visible: always
    surfaces: []
    traits: {keeps: false, shows: none, record: step, replay: call}
`

// Members of shared types that outputs alone refer to have no roles. A parameter of such a type makes them parameters.
func TestRolesInSharedTypes(t *testing.T) {
	t.Parallel()
	root0 := strings.Replace(plainRoot, "include: [tools/page.yaml]\n", "", 1) + outputRoot
	for name, tc := range map[string]struct {
		tool string
		want int // members without a role that must state one
	}{
		"output": {"    input: {}\n    output: {page: {type: Page}}\n", 0},
		"input":  {"    input: {page: {type: Page}}\n", 2},
		"both":   {"    input: {pages: {type: array, items: {type: Site}}}\n    output: {page: {type: Page}}\n", 1},
	} {
		_, diags := resolve([]spec.File{{Name: root, Data: []byte(root0 + tc.tool)}})
		got := 0
		for _, d := range diags {
			if d.Rule == paramspec.RuleMissingTrait {
				got++
			} else {
				t.Errorf("%s: %v", name, d)
			}
		}
		if got != tc.want {
			t.Errorf("%s: %d members must state a role, want %d", name, got, tc.want)
		}
	}
}

// Lists have the schemas of outputs unless the root says that they have not.
func TestListOutputSchemas(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]bool{"": false, "list_output_schemas: true\n": false, "list_output_schemas: false\n": true} {
		root0 := strings.Replace(plainRoot, "include: [tools/page.yaml]\n", written, 1) + outputRoot
		set, diags := resolve([]spec.File{{Name: root, Data: []byte(root0 + "    input: {}\n    output: {page: {type: Page}}\n")}})
		if len(diags) > 0 || set.Tools[0].OutputUnlisted != want {
			t.Errorf("%q: %v, %v", written, set.Tools[0].OutputUnlisted, diags)
		}
	}
}

package argument_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/argument"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tool string
		args map[string]any
		want map[string]toolkit.Role
	}{
		"a tool of the manifest": {"fill_form", map[string]any{
			"fields": []any{map[string]any{"ref": "e1", "value": "a"}, map[string]any{"query": "Name", "value": "b"}}, "submit": "Send", "note": "x",
		}, map[string]toolkit.Role{
			"/fields/0/ref": "ref", "/fields/0/value": "typed", "/fields/1/query": "query", "/fields/1/value": "typed", "/submit": "ref",
		}},
		"calls inside a call": {"batch_execute", map[string]any{"tasks": []any{
			map[string]any{"tool": "cookies", "tabId": "t1", "args": map[string]any{"value": "a", "name": "n"}},
			map[string]any{"tool": "my_workflow", "args": map[string]any{"tabId": "t2", "deep": map[string]any{"ref": "e1"}}},
			map[string]any{"script": "1"},
		}}, map[string]toolkit.Role{
			"/tasks/0/tool": "tool", "/tasks/0/tabId": "tab", "/tasks/0/args/value": "stored",
			"/tasks/1/tool": "tool", "/tasks/1/args/tabId": "tab", "/tasks/1/args/deep/ref": "ref", "/tasks/2/script": "script",
		}},
		"a tool made at start-up": {"my_workflow", map[string]any{"tabIds": []any{"t1", "t2"}, "password": "p", "value": 3.0},
			map[string]toolkit.Role{"/tabIds/0": "tab", "/tabIds/1": "tab", "/password": "secret"}},
		"a name that means something else": {"memory", map[string]any{"value": "a"}, map[string]toolkit.Role{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(test.want, argument.Roles(test.tool, test.args)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

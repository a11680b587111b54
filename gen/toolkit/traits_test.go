package toolkit_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestTraitsRole(t *testing.T) {
	t.Parallel()
	traits := toolkit.Traits{Roles: []toolkit.Parameter{{Path: "/tab", Role: "tab"}, {Path: "/refs/*", Role: "ref"}, {Path: "/fields/*/value", Role: "typed"}}}
	for pointer, want := range map[string]toolkit.Role{
		"/tab": "tab", "/tab/0": "", "/table": "", "/refs": "", "/refs/3": "ref", "/refs/x": "", "/fields/12/value": "typed",
		"/fields/12": "", "/fields/12/value/0": "", "": "",
	} {
		if got := traits.Role(pointer); got != want {
			t.Errorf("%q has role %q, want %q", pointer, got, want)
		}
	}
	if !traits.Has("typed") || traits.Has("url") {
		t.Error("Has does not list the roles of all parameters")
	}
}

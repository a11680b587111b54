package tools_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestExpandTellsWhatIsCallableAndWhatWaits(t *testing.T) {
	t.Parallel()
	c := connectAs(t, toolkit.Options{DisableTools: []string{"storage"}}, sessions, nil)
	text := c.says("expand_tools", args{"query": "geolocation"}, "now callable: geolocation", `[{"name":"geolocation"`)
	if strings.Contains(text, "cookies") {
		t.Errorf("a search reached a disabled tool: %s", text)
	}
	c.says("expand_tools", args{"name": "geolocation"}, "already listed: geolocation")
	c.says("expand_tools", args{"capability": "debugger"}, "listed when paused: ", "listed when connected && !debugger_enabled && !dialog_open: debugger_enable")
	c.says("expand_tools", args{"tier": "2"}, "withheld by this server's flags: cookies, oc_context_export, oc_context_import, storage")
	c.says("expand_tools", args{"query": "unicorn"}, "no tool matches")
	c.refused("UNKNOWN_CAPABILITY", "expand_tools", args{"capability": "debuger"}, "debugger")
	c.refused("INVALID_ARGUMENTS", "expand_tools", args{"tier": 2}, "expected a string")

	res := c.raw("expand_tools", args{"name": "cookies"})
	if envelope, _ := res.StructuredContent.(map[string]any); envelope["code"] != "CAPABILITY_DISABLED" || envelope["capability"] != "storage" {
		t.Errorf("a disabled tool answers %v", res.StructuredContent)
	}
}

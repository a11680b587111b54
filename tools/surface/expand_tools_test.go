package surface_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestExpandTools(t *testing.T) {
	t.Parallel()
	c := tooltest.ConnectAs(t, toolkit.Options{DisableTools: []string{"storage"}}, tooltest.SessionRevision, nil)
	text := c.Expect("expand_tools", tooltest.Args{"query": "geolocation"}, "now callable: geolocation", `[{"name":"geolocation"`)
	if strings.Contains(text, "cookies") {
		t.Errorf("a search reached a disabled tool: %s", text)
	}
	c.Expect("expand_tools", tooltest.Args{"name": "geolocation"}, "already listed: geolocation")
	c.Expect("expand_tools", tooltest.Args{"capability": "debugger"}, "listed when paused: ", "listed when connected && !debugger_enabled && !dialog_open: debugger_enable")
	c.Expect("expand_tools", tooltest.Args{"tier": "2"}, "withheld by this server's flags: cookies, oc_context_export, oc_context_import, storage")
	c.Expect("expand_tools", tooltest.Args{"query": "unicorn"}, "no tool matches")
	c.ExpectRefusal("UNKNOWN_CAPABILITY", "expand_tools", tooltest.Args{"capability": "debuger"}, "debugger")
	c.ExpectRefusal("INVALID_ARGUMENTS", "expand_tools", tooltest.Args{"tier": 2}, "expected a string")

	res := c.Do("expand_tools", tooltest.Args{"name": "cookies"})
	if envelope, _ := res.StructuredContent.(map[string]any); envelope["code"] != "CAPABILITY_DISABLED" || envelope["capability"] != "storage" {
		t.Errorf("a disabled tool answers %v", res.StructuredContent)
	}
}

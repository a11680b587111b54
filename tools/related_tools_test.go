package tools_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestRefusalsNameTheToolThatIsMeant: names and actions of other servers lead to tools of this one.
func TestRefusalsNameTheToolThatIsMeant(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	for action, tool := range map[string]string{"left_click_drag": "drag_drop", "navigate": "navigate", "drag": "drag_drop"} {
		c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": action}, "the tool "+tool+" does that")
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": "left_clik"}, "left_click")
	for name, tool := range map[string]string{"click": "interact", "browser_click": "interact", "upload": "file_upload", "drag": "drag_drop"} {
		if _, err := c.CallTool(t.Context(), tooltest.Params(name, nil)); err == nil || !strings.Contains(err.Error(), `did you mean "`+tool+`"`) {
			t.Errorf("%s is answered with %v", name, err)
		}
	}
}

func TestPicturesRefuseWhatTheyCannotMean(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<title>Shot</title><button>Go</button>"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_screenshot", tooltest.Args{"path": ""}, "path is empty")
	c.ExpectRefusal("INVALID_ARGUMENTS", "page_screenshot", tooltest.Args{"fullPage": true, "ref": "e1"}, "without ref")
	c.ExpectRefusal("POLICY_DENIED", "file_upload", tooltest.Args{"selector": "button", "filePaths": []string{"/etc/hostname"}}, c.Output)
	for code, want := range map[string]string{"''": `""`, "'42'": `"42"`, "42": "42", "'true'": `"true"`, "'text'": "text", "null": "null", "'null'": `"null"`} {
		if got := c.Call("javascript_tool", tooltest.Args{"code": code}); got != want {
			t.Errorf("%s is shown as %s", code, got)
		}
	}
}

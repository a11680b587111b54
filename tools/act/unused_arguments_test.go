package act_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// An argument that the action does not use is refused, with the action that takes it.
func TestArgumentsThatTheActionDoesNotUse(t *testing.T) {
	t.Parallel()
	c, reading := openHTML(t, `<button onclick="document.title = 'hit'">Go</button>`)
	ref := tooltest.Ref(t, reading, `"Go"`)
	for _, v := range []struct {
		tool string
		args tooltest.Args
		want string
	}{
		{"computer", tooltest.Args{"action": "left_click", "ref": ref, "duration": 3}, "only for action wait"},
		{"computer", tooltest.Args{"action": "left_click", "ref": ref, "scroll_amount": 3}, "only for action scroll"},
		{"computer", tooltest.Args{"action": "hover", "ref": ref, "text": "x"}, "only for action left_click"},
		{"computer", tooltest.Args{"action": "type", "text": "x", "coordinate": []int{1, 1}}, "only for action left_click"},
		{"computer", tooltest.Args{"action": "screenshot", "ref": ref}, "only for action left_click"},
		{"cookies", tooltest.Args{"action": "clear", "name": "a"}, "only for action get or set or delete"},
		{"storage", tooltest.Args{"storageType": "local", "action": "get", "key": "a", "value": "b"}, "only for action set"},
		{"console_capture", tooltest.Args{"action": "clear", "level": "error"}, "only for action get"},
		{"request_intercept", tooltest.Args{"action": "list", "pattern": "*"}, "only for action add"},
		{"downloads", tooltest.Args{"timeout": 5}, "only for action wait"},
		{"act", tooltest.Args{"steps": []tooltest.Args{{"action": "click", "ref": ref, "value": "3"}}}, "click takes no"},
		{"act", tooltest.Args{"steps": []tooltest.Args{{"action": "wait", "value": "3", "ref": ref}}}, "only one of"},
		{"act", tooltest.Args{"steps": []tooltest.Args{{"action": "find", "query": "Go", "value": "x"}}}, "find takes no"},
	} {
		c.ExpectRefusal("INVALID_ARGUMENTS", v.tool, v.args, v.want)
	}
	c.ExpectScript("document.title", "")
	c.Expect("computer", tooltest.Args{"action": "left_click", "ref": ref, "text": "Shift"}, "clicked")
}

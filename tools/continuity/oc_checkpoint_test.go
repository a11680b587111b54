package continuity_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestCheckpoint(t *testing.T) {
	dir, home := t.TempDir(), tooltest.ServeSite(t)
	c := tooltest.ConnectIn(t, dir, toolkit.Options{})
	c.ExpectRefusal("NOT_FOUND", "oc_checkpoint", tooltest.Args{"action": "load"}, "no checkpoint")
	c.Call("navigate", tooltest.Args{"url": home + "/second.html"})
	c.Expect("oc_checkpoint", tooltest.Args{
		"action": "save", "taskDescription": "buy milk", "completedSteps": []string{"log in"},
		"pendingSteps": []string{"search", "pay"}, "extractedData": `{"price": 3}`,
	}, "tabs 1")
	again := tooltest.ConnectIn(t, dir, toolkit.Options{}) // as after a restart
	again.Expect("oc_checkpoint", tooltest.Args{"action": "load"}, "task: buy milk", "done: log in", "next: search; pay", `notes: {"price": 3}`, "/second.html")
	again.Expect("oc_checkpoint", tooltest.Args{"action": "delete"}, "deleted 1")
	again.ExpectRefusal("NOT_FOUND", "oc_checkpoint", tooltest.Args{"action": "load"})
	again.ExpectRefusal("NOT_FOUND", "oc_checkpoint", tooltest.Args{"action": "load", "id": "../../etc/passwd"})
	again.ExpectRefusal("INVALID_ARGUMENTS", "oc_checkpoint", tooltest.Args{"action": "save"}, `\"taskDescription\" is required`)
}

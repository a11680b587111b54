package continuity_test

import (
	"regexp"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMemorySurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	c := tooltest.ConnectIn(t, dir, toolkit.Options{})
	id := regexp.MustCompile(`\d+`).FindString(c.Expect("memory", tooltest.Args{"action": "record", "domain": "example.com", "key": "tip:search", "value": "press /"}, "0.5"))
	other := tooltest.ConnectIn(t, dir, toolkit.Options{})
	other.Expect("memory", tooltest.Args{"action": "query", "domain": "EXAMPLE.com", "key": "tip:"}, id+" tip:search = press / (0.5)")
	other.Expect("memory", tooltest.Args{"action": "query", "domain": "example.org"}, "no notes")
	for range 2 {
		other.Call("memory", tooltest.Args{"action": "validate", "id": 1, "success": false})
	}
	other.ExpectRefusal("NOT_FOUND", "memory", tooltest.Args{"action": "validate", "id": 1, "success": true})
	other.ExpectRefusal("INVALID_ARGUMENTS", "memory", tooltest.Args{"action": "record", "domain": "x"}, `\"key\" is required`, `\"value\" is required`)
	other.ExpectRefusal("INVALID_ARGUMENTS", "memory", tooltest.Args{"action": "validate"}, `\"id\" is required`, `\"success\" is required`)
}

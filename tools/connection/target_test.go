package connection_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestSwitchTarget(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/"})
	c.Call("tabs_create", tooltest.Args{"url": home + "/second.html"})
	c.Call("tabs_create", tooltest.Args{"url": home + "/second.html?twin"})
	list := c.Expect("list_targets", nil, "0 page", "Fixture home", "2 page")
	if !strings.Contains(list, "twin \"Second page\" (current)") {
		t.Errorf("the targets are\n%s", list)
	}
	c.Expect("switch_target", tooltest.Args{"title": "fixture"}, "Fixture home")
	c.Expect("read_page", nil, "Fixture home")
	c.Expect("switch_target", tooltest.Args{"url": "*?TWIN"}, "?twin")
	c.Expect("switch_target", tooltest.Args{"url": home + "/second.html"}, "second.html \"Second page\"") // exactly one is this
	c.ExpectRefusal("AMBIGUOUS", "switch_target", tooltest.Args{"title": "second"}, "candidates", "1 page", "2 page")
	c.Expect("switch_target", tooltest.Args{"index": 0, "title": "second"}, "Fixture home")
	c.ExpectRefusal("NOT_FOUND", "switch_target", tooltest.Args{"title": "third"}, "Fixture home")
	c.ExpectRefusal("NOT_FOUND", "switch_target", tooltest.Args{"index": 9}, "there are 3")
	c.ExpectRefusal("INVALID_ARGUMENTS", "switch_target", nil, "index")
}

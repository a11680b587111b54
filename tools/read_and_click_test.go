package tools_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestReadAndClick(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Expect("navigate", tooltest.Args{"url": home + "/"}, home+"/", `"Fixture home"`, " 200")
	reading := c.Expect("read_page", nil, `heading "Fixture home"`, `link "second page"`, `button "Click me"`, "disabled")
	if strings.Contains(reading, "invisible words") {
		t.Errorf("hidden text was read:\n%s", reading)
	}
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, reading, `"second page"`)}, "clicked link", "/second.html", `"Second page"`)
	c.Expect("read_page", tooltest.Args{"mode": "interactive"}, `link "home"`)

	c.Expect("interact", tooltest.Args{"query": "home link"}, `"Fixture home"`)
	c.Expect("interact", tooltest.Args{"query": "order form"}, `"Order form"`)
	c.Expect("navigate", tooltest.Args{"url": "back"}, `"Fixture home"`)
	c.Expect("navigate", tooltest.Args{"url": "forward"}, `"Order form"`)
	c.Expect("page_reload", tooltest.Args{"ignoreCache": true}, `"Order form"`)
}

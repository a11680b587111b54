package continuity_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestHealthNeverStartsABrowser(t *testing.T) {
	c, home := tooltest.Connect(t, toolkit.Options{}), tooltest.ServeSite(t)
	c.Expect("oc_connection_health", nil, "default: ")
	c.Call("navigate", tooltest.Args{"url": home + "/index.html"})
	c.Expect("oc_connection_health", nil, "answers in", "1 tab")
}

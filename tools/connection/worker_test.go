package connection_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestWorkerCookiesAreItsOwn(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Expect("worker", tooltest.Args{"action": "list"}, "no workers")
	c.Call("navigate", tooltest.Args{"url": home + "/cookies"})
	c.Expect("worker", tooltest.Args{"action": "create", "name": "ada"}, "ada (active): a worker in the server's own")
	visit := func(want bool) {
		t.Helper()
		c.Call("navigate", tooltest.Args{"url": home + "/cookies"})
		if text := c.Call("page_content", nil); strings.Contains(text, "served=yes") != want {
			t.Errorf("the cookie was sent: %v\n%s", !want, text)
		}
	}
	visit(false)
	visit(true)
	c.Expect("worker", tooltest.Args{"action": "create"}, "worker-1 (active)")
	visit(false)
	c.Expect("worker", tooltest.Args{"action": "list"}, "ada: a worker", "worker-1 (active): a worker")
	c.ExpectRefusal("FAILED", "worker", tooltest.Args{"action": "create", "name": "ada"}, "in use")
	c.ExpectRefusal("NOT_FOUND", "worker", tooltest.Args{"action": "delete", "name": "default"}, "no worker")
	c.ExpectRefusal("INVALID_ARGUMENTS", "worker", tooltest.Args{"action": "delete"}, "name")
	c.Expect("chrome_switch_connection", tooltest.Args{"connection_id": "ada"}, "ada (active)")
	c.Expect("worker", tooltest.Args{"action": "delete", "name": "ada"}, "deleted worker ada", "the active connection is default")
	visit(true)
	c.Expect("worker", tooltest.Args{"action": "create", "name": "ada"}, "ada (active)")
	visit(false)
}

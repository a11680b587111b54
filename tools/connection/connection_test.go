package connection_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestConnectionRefusals(t *testing.T) {
	t.Parallel()
	c := tooltest.NewOwnServer(t, app.Config{Clients: session.ClientPolicy{DebugPort: true}}).Connect(t.Name(), "", nil)
	port := proctest.FreePort(t)
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "chrome_launch", tooltest.Args{"debug_port": port}, "listens there")
	_ = ln.Close()
	c.ExpectRefusal("NO_BROWSER", "chrome_connect", tooltest.Args{"port": port}, "chrome_launch")
	c.ExpectRefusal("POLICY_DENIED", "chrome_connect", tooltest.Args{"host": "192.0.2.1"}, "this machine")
	c.ExpectRefusal("POLICY_DENIED", "chrome_launch", tooltest.Args{"extra_args": "--lang=de --utility-cmd-prefix=sh"}, "only the server's operator")
	c.Expect("chrome_launch", tooltest.Args{"debug_port": port, "extra_args": "--lang=de"}, "port-", "(active): launched", "about:blank")
	c.ExpectRefusal("FAILED", "chrome_launch", tooltest.Args{"connection_id": "port-" + strconv.Itoa(port)}, "in use")
	c.Expect("chrome_connect", tooltest.Args{"port": port, "connection_id": "guest"}, "guest: attached to http://127.0.0.1:", "the active connection is still port-")
	c.Expect("chrome_list_connections", nil, "default: the server's own, not in use", "guest: attached")
	c.Expect("chrome_disconnect", tooltest.Args{"connection_id": "guest"}, "disconnected guest", "(active): launched")
}

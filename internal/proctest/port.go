package proctest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// firstPort and lastPort bound the ports of FindPort. Systems give connections, and listeners on port 0, ports above
// them: Linux from 32768 on, others from 49152 on.
const firstPort, lastPort = 20000, 32000

// FindPort returns a TCP port of this machine on which nothing listens. Unlike the port of a closed listener on port 0
// no other process is given it. It asks by connecting: a listener of its own would stay open after its end in a program
// that is being started meanwhile, until that program runs.
func FindPort() (int, error) {
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort) //nolint:gosec // no secret
		if !Listens(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port between %d and %d", firstPort, lastPort)
}

// Listens reports whether something listens on a TCP port of this machine.
func Listens(port int) bool {
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// FreePort is FindPort for a test.
func FreePort(t testing.TB) int {
	t.Helper()
	port, err := FindPort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// FreeAddress returns an address of this machine, host:port, on which nothing listens.
func FreeAddress(t testing.TB) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(FreePort(t)))
}

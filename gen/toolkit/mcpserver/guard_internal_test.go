package mcpserver

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestWrongTokensAreSlowedDown counts the seconds that wrong tokens of one address and of another wait.
func TestWrongTokensAreSlowedDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f failures
		wait := func(address string) time.Duration {
			began := time.Now()
			if got := f.wait(t.Context(), &http.Request{RemoteAddr: address + ":1"}); got != address {
				t.Errorf("the address is %q", got)
			}
			return time.Since(began)
		}
		for range freeFailures {
			if took := wait("192.0.2.1"); took != 0 {
				t.Errorf("one of the first waits for %s", took)
			}
		}
		for range 3 {
			if took := wait("192.0.2.1"); took != time.Second {
				t.Errorf("one more waits for %s", took)
			}
		}
		if took := wait("192.0.2.2"); took != 0 {
			t.Errorf("another address waits for %s", took)
		}
	})
}

package tooltest

import (
	"testing"
	"time"
)

// Eventually polls a condition that no event announces, for at most a minute.
func Eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	limit := time.After(time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-limit:
			LogMachine(t)
			t.Fatalf("after a minute, still not: %s", what)
		}
	}
}

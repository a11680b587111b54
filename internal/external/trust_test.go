//go:build unix

package external

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A server that reads no more keeps nobody past the deadline, whatever a call has to say to it.
func TestDoesNotRead(t *testing.T) {
	t.Parallel()
	l := newLab(t, `"deaf": `+child("deaf", `, "timeoutMs": 500, "protocolVersion": "legacy"`))
	start := time.Now()
	l.fails(Timeout, "deaf", "echo", fmt.Sprintf(`{"text": %q}`, strings.Repeat("x", 1<<20)))
	l.fails(Timeout, "deaf", "echo", "")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

package tooltest_test

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// logged is a test that keeps what is logged.
type logged struct {
	testing.TB

	text strings.Builder
}

func (l *logged) Log(a ...any) { fmt.Fprintln(&l.text, a...) }

// TestMachineNamesTheBusy keeps a processor busy, so that there is a process to name.
func TestMachineNamesTheBusy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell of its processes")
	}
	var isOver atomic.Bool
	defer isOver.Store(true)
	go func() {
		for !isOver.Load() { // it is busy
		}
	}()
	l := &logged{TB: t}
	tooltest.LogMachine(l)
	want := regexp.MustCompile(`^the machine's load is [\d. /]+; in \d+\.\d s, [1-9]\d* processes used a processor\n *\d+ % nice -?\d+ \d+ \(.+\)`)
	if !want.MatchString(l.text.String()) {
		t.Errorf("the log is %s", l.text.String())
	}
}

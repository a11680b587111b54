package tooltest

import (
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
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
	LogMachine(l)
	want := regexp.MustCompile(`^the machine's load is [\d. /]+; in \d+\.\d s, [1-9]\d* processes used a processor\n *\d+ % nice -?\d+ \d+ \(.+\)`)
	if !want.MatchString(l.text.String()) {
		t.Errorf("the log is %s", l.text.String())
	}
}

// TestProcessesHaveTheirType starts a process with a command line as a renderer has it, in one piece.
func TestProcessesHaveTheirType(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell of its processes")
	}
	cmd := exec.Command("sh", "-c", "read -r line", "browser --type=renderer --lang=en")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), cmd.Wait() }() // it ends without a line
	if p := processes()[strconv.Itoa(cmd.Process.Pid)]; p.name != "(sh) --type=renderer" {
		t.Errorf("the process is %+v", p)
	}
}

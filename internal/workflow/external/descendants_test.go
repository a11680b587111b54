//go:build unix

package external

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow/external/supervisor"
)

// leavers are tools that leave a process in a session of its own with an empty environment: a child
// of the server, and one whose parent has ended, as a daemon's does.
var leavers = []string{"leave-bare-child", "leave-orphan"}

// addLeavers adds the leavers to a server.
func addLeavers(add func(string, func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error))) {
	add("leave-bare-child", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		bare := exec.Command("sleep", "600")
		bare.Env = []string{}
		bare.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := bare.Start(); err != nil {
			return nil, err
		}
		return textResult(strconv.Itoa(bare.Process.Pid)), nil
	})
	add("leave-orphan", func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, error) {
		parent := exec.Command("/bin/sh", "-c", "setsid sleep 600 >/dev/null 2>&1 & echo $!")
		parent.Env = []string{}
		pid, err := parent.Output()
		return textResult(strings.TrimSpace(string(pid))), err
	})
}

// leave calls a leaver and returns the process that it left.
func (l *fixture) leave(tool string) int {
	l.t.Helper()
	pid, err := strconv.Atoi(l.callText("a", tool, ""))
	if err != nil {
		l.t.Fatal(err)
	}
	return pid
}

// hasEnded reports whether a process has ended.
func hasEnded(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

func needsSupervisor(t *testing.T) {
	t.Helper()
	if !supervisor.Enabled {
		t.Skip("descendants are found on Linux only")
	}
}

// TestDescendantsWithoutMarkEnd stops a server, and has another one die.
func TestDescendantsWithoutMarkEnd(t *testing.T) {
	t.Parallel()
	needsSupervisor(t)
	for _, tool := range leavers {
		l := newFixture(t, `"a": `+stdioEntry("ok", `, "lifecycle": {"mode": "keep-alive", "idleTimeoutMs": 50}`))
		pid := l.leave(tool)
		eventually(t, "the server was stopped, and what it left by "+tool, func() bool { return hasEnded(pid) })

		l = newFixture(t, `"a": `+stdioEntry("ok", ""))
		pid = l.leave(tool)
		server, err := strconv.Atoi(l.callText("a", "pid", ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := proctest.Kill(server); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the server died, and what it left by "+tool, func() bool { return hasEnded(pid) })
	}
}

// TestProcessesEndAfterKill kills the owner of servers in the way that cannot be handled.
func TestProcessesEndAfterKill(t *testing.T) {
	t.Parallel()
	needsSupervisor(t)
	l := newFixture(t, `"stubborn": `+stdioEntry("stubborn", "")+`, "a": `+stdioEntry("ok", ""))
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), modeEnv+"=owner", "SERVERS="+filepath.Join(l.dir, "servers.json"), "STATE="+
		filepath.Join(l.dir, "state"), "LAB="+l.mark)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	owner.Stderr = os.Stderr
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	left := strings.Fields(line)
	if err != nil || len(left) != len(leavers) {
		t.Fatalf("the owner said %q, %v", line, err)
	}
	if n := len(l.processes()); n < 4 {
		t.Fatalf("%d processes, want the owner, two servers and a grandchild", n)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	eventually(t, "everything is gone", func() bool { return len(l.processes()) == 0 })
	for i, text := range left {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "what the server left by "+leavers[i]+" is gone", func() bool { return hasEnded(pid) })
	}
}

// holdRegistry is the test binary as the owner of a registry: it says which processes
// its server has left, and waits to be killed.
func holdRegistry() {
	r, err := Open(Config{Files: []string{os.Getenv("SERVERS")}, State: must(statedir.New(os.Getenv("STATE")))})
	if err != nil {
		panic(err)
	}
	if errs := r.Discover(context.Background()); len(errs) > 0 {
		panic(fmt.Sprint(errs))
	}
	for _, tool := range leavers {
		res, err := r.Call(context.Background(), "a", tool, nil, nil)
		if err != nil {
			panic(err)
		}
		fmt.Print(res.Content[0].Text, " ")
	}
	fmt.Println()
	select {}
}

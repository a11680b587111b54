package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart measures the wait of a client: the process started and initialize answered, then the
// first tools/list. It also reports the idle resident set. The program is built as users build it,
// because a test binary is larger.
func BenchmarkStart(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "callsheet")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var list time.Duration
	var resident float64
	for b.Loop() {
		cmd := exec.Command(exe)
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err1 != nil || err2 != nil {
			b.Fatal(err1, err2)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		answers := bufio.NewReader(out)
		ask(b, in, answers, initialize)
		b.StopTimer()
		_, _ = io.WriteString(in, ready+"\n")
		begun := time.Now()
		ask(b, in, answers, listOld)
		list += time.Since(begun)
		resident += residentMiB(b, cmd.Process.Pid)
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(list.Microseconds())/float64(b.N), "list-µs")
	b.ReportMetric(resident/float64(b.N), "RSS-MiB")
}

// BenchmarkBuild measures the part of the start between the command line and the first line of input.
func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		closeBuilt(b, builtServer(b))
	}
}

func ask(b *testing.B, in io.Writer, out *bufio.Reader, line string) {
	b.Helper()
	if _, err := io.WriteString(in, line+"\n"); err != nil {
		b.Fatal(err)
	}
	if _, err := out.ReadString('\n'); err != nil {
		b.Fatal(err)
	}
}

// residentMiB reads a process's resident set; 0 where /proc does not tell.
func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}

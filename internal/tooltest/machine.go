package tooltest

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
)

const (
	// measureTime is the time for which the processes of the machine are measured.
	measureTime = time.Second
	// ticksPerSecond is the unit of processor times in /proc.
	ticksPerSecond = 100
	// maxProcesses bounds the processes that are named.
	maxProcesses = 10
)

// process is a process of the machine. Its ticks are the processor time that it has used.
type process struct {
	id, nice string
	name     string // of its program, with the type that Chromium gives its processes
	ticks    int
}

// LogMachine logs the load of the machine and the processes that use its processors, measured for a
// second: what a test waited for in vain may have had no processor. Linux alone tells it.
func LogMachine(t testing.TB) {
	t.Helper()
	before := processes()
	began := time.Now()
	time.Sleep(measureTime)
	seconds := time.Since(began).Seconds()
	after := processes()
	if len(after) == 0 {
		return
	}
	var busy []process
	for id, p := range after {
		if p.ticks -= before[id].ticks; p.ticks > 0 {
			busy = append(busy, p)
		}
	}
	slices.SortFunc(busy, func(a, b process) int { return cmp.Compare(b.ticks, a.ticks) })
	var out strings.Builder
	load, _ := os.ReadFile("/proc/loadavg") // no file, no load
	fmt.Fprintf(&out, "the machine's load is %s; in %.1f s, %d processes used a processor", bytes.TrimSpace(load), seconds, len(busy))
	for _, p := range busy[:min(len(busy), maxProcesses)] {
		fmt.Fprintf(&out, "\n%4.0f %% nice %s %s %s", 100*float64(p.ticks)/ticksPerSecond/seconds, p.nice, p.id, p.name)
	}
	t.Log(out.String())
}

// LogIfLate is LogMachine for a refusal with TIMEOUT.
func LogIfLate(t testing.TB, refusal string) {
	t.Helper()
	if strings.Contains(refusal, string(codes.Timeout)) {
		LogMachine(t)
	}
}

// processes returns the processes of the machine by id. One that ends meanwhile is left out.
func processes() map[string]process {
	all := map[string]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		id, rest, _ := strings.Cut(string(data), " ")
		name := rest[:strings.LastIndex(rest, ")")+1]
		f := strings.Fields(rest[len(name):]) // from the state on, which proc(5) counts as the third
		if len(f) < 17 {
			continue
		}
		user, _ := strconv.Atoi(f[11]) // the kernel wrote a number
		system, _ := strconv.Atoi(f[12])
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		for arg := range strings.FieldsFuncSeq(string(args), isBetweenArguments) {
			if strings.HasPrefix(arg, "--type=") {
				name += " " + arg
			}
		}
		all[id] = process{id: id, nice: f[16], name: name, ticks: user + system}
	}
	return all
}

// isBetweenArguments reports whether a character separates arguments: NUL, and a space in the title that
// Chromium gives its processes.
func isBetweenArguments(r rune) bool { return r == 0 || r == ' ' }

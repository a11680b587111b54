package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// installed builds the program as users do and returns a function that runs it as one user.
func installed(b *testing.B) func(args ...string) time.Duration {
	b.Helper()
	exe := filepath.Join(b.TempDir(), "callsheet")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	env := append(os.Environ(), "XDG_RUNTIME_DIR="+b.TempDir(), "XDG_STATE_HOME="+b.TempDir())
	run := func(args ...string) time.Duration {
		b.Helper()
		cmd := exec.Command(exe, args...)
		cmd.Env = env
		begun := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%q: %v: %s", args, err, out)
		}
		return time.Since(begun)
	}
	b.Cleanup(func() { run("daemon", "stop") })
	return run
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}

// BenchmarkColdVerb is the first command of a day: it starts the daemon, and no browser. beside-ms
// is the time that the same machine takes at that moment to start the program at all.
func BenchmarkColdVerb(b *testing.B) {
	run := installed(b)
	var cold, beside []time.Duration
	for b.Loop() {
		cold = append(cold, run("tabs"))
		b.StopTimer()
		run("daemon", "stop")
		beside = append(beside, run("version"))
		b.StartTimer()
	}
	b.ReportMetric(median(cold), "median-ms")
	b.ReportMetric(median(beside), "beside-ms")
}

// BenchmarkWarmVerb is every other command: a process, the daemon's socket, one call. tabs costs
// the tool next to nothing, so this is the cost of a verb above its tool; with a wait of 50 ms the
// tool's part is known.
func BenchmarkWarmVerb(b *testing.B) {
	run := installed(b)
	run("navigate", "about:blank")
	for name, args := range map[string][]string{
		"tabs": {"tabs"}, "wait50": {"wait", "timeout", "50"}, "snapshot": {"snapshot"}, "help": {"help"},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				times = append(times, run(args...))
			}
			b.ReportMetric(median(times), "median-ms")
		})
	}
}

package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/tools"
)

// TestStart reads what the runtime traces of a server that answers its first requests: the packages of this module
// prepare nothing that a later call may not need, and no garbage is collected.
func TestStart(t *testing.T) {
	t.Parallel()
	cmd := command(t)
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1,gctrace=1", "GOGC=100")
	cmd.Stdin = strings.NewReader(initialize + "\n" + ready + "\n" + listOld + "\n")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte(`"tools":[`)) {
		t.Fatalf("%v: %s", err, out)
	}
	const most = 30 // allocations of a package; a pattern that is compiled has more
	packages := 0   // the test's binary has the compiler too, which a server has not
	for _, m := range regexp.MustCompile(`(?m)^init github\.com/callsheet/callsheet/((?:gen/toolkit|generated|internal|tools)\S*) @.*?(\d+) allocs$`).FindAllStringSubmatch(trace.String(), -1) {
		if strings.HasSuffix(m[1], "test") {
			continue
		}
		packages++
		var count int
		if _, err := fmt.Sscan(m[2], &count); err != nil || count > most {
			t.Errorf("the initialization of %s allocates %s times, want at most %d: compile and parse at the first use", m[1], m[2], most)
		}
	}
	if packages < 20 {
		t.Errorf("%d packages are traced: %s", packages, trace.Bytes())
	}
	if early := regexp.MustCompile(`(?m)^gc \d+ @0\..*`).Find(trace.Bytes()); early != nil { // startTime is one second
		t.Errorf("the start collects garbage: %s", early)
	}
}

// TestBuildAllocations compares the allocations of a server that is built with those of one registry of every tool: the
// registry is made once.
func TestBuildAllocations(t *testing.T) { //nolint:paralleltest // it counts allocations
	registry := testing.AllocsPerRun(5, func() { tools.Registry(tools.Needs{}) })
	server := testing.AllocsPerRun(5, func() { closeBuilt(t, builtServer(t)) })
	if server > 1.9*registry {
		t.Errorf("a server makes %v allocations and a registry %v", server, registry)
	}
}

func builtServer(t testing.TB) *app.App {
	t.Helper()
	var cfg config
	cfg.StateDir = t.TempDir()
	built, err := build(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func closeBuilt(t testing.TB, built *app.App) {
	t.Helper()
	if err := built.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

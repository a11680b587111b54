package main

import (
	"bufio"
	"os"
	"strings"
	"testing"

	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// watching starts a command line that shows changes until it is interrupted.
func (s shell) watching(args ...string) (lines *bufio.Reader, interrupt func() int) {
	s.t.Helper()
	cmd := s.command(args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return bufio.NewReader(out), func() int {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			s.t.Error(err)
		}
		_ = cmd.Wait() // the code says it
		return cmd.ProcessState.ExitCode()
	}
}

// until reads lines up to one that contains want.
func until(t *testing.T, lines *bufio.Reader, want string) {
	t.Helper()
	var seen strings.Builder
	for {
		line, err := lines.ReadString('\n')
		seen.WriteString(line)
		if strings.Contains(line, want) {
			return
		}
		if err != nil {
			t.Fatalf("no %q before %v:\n%s", want, err, seen.String())
		}
	}
}

func TestWatchTabs(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.does("navigate " + url)
	s.does("tabs", "One")
	lines, interrupt := s.watching("tabs", "--watch")
	until(t, lines, "One")
	s.does("tab-new " + url + "/two")
	until(t, lines, "Two")
	if code := interrupt(); code != exit.OK {
		t.Errorf("exit %d", code)
	}
}

func TestWatchTools(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	lines, interrupt := s.watching("tools", "--watch")
	until(t, lines, "tools are listed, in ")
	s.does("navigate " + url)
	s.does("debugger-enable")
	until(t, lines, "+ debugger_")
	until(t, lines, "tools are listed, in ")
	if code := interrupt(); code != exit.OK {
		t.Errorf("exit %d", code)
	}
	s.fails(exit.Usage, "tools --watch --slim", "--slim does not change the list of the daemon")
}

func TestWatchJobs(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	lines, interrupt := s.watching("jobs", "list", "--watch")
	until(t, lines, "no jobs")
	if code := interrupt(); code != exit.OK {
		t.Errorf("exit %d", code)
	}
}

// TestRefusalsNameVerbs holds the refusals that a person reads against every tool that has a verb.
func TestRefusalsNameVerbs(t *testing.T) {
	t.Parallel()
	for _, v := range cli.Verbs() {
		got := cmdline.InVerbs(cli.Verbs(), "callsheet", nil, "nothing is there; call "+v.Tool+" first")
		words := strings.Fields(strings.TrimPrefix(got, "nothing is there; call "))
		if len(words) != 3 || words[0] != "callsheet" || words[2] != "first" {
			t.Errorf("%s: %s", v.Tool, got)
			continue
		}
		if tool, _, err := cmdline.Parse(cli.Verbs(), words[1:2]); err == nil && tool != v.Tool {
			t.Errorf("%s: %s is a verb of %s", v.Tool, words[1], tool)
		}
	}
	s, url := newShell(t), fixture(t)
	s.fails(exit.Tool, "click Go", "callsheet navigate")
	s.does("navigate " + url)
	s.fails(exit.Tool, "click e77", "call callsheet snapshot for current refs")
	s.fails(exit.Tool, `click "No such thing"`, "try callsheet snapshot")
}

package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// TestHelpBeginsSmall reads the help of the program, which names 15 commands and 12 flags, and the whole one.
func TestHelpBeginsSmall(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for _, line := range []string{"help", "--help"} {
		text := s.does(line)
		if n := strings.Count(text, "\n"); n > 45 {
			t.Errorf("%s has %d lines", line, n)
		}
		for _, name := range firstCommands {
			if !strings.Contains(text, "\n  "+name+" ") {
				t.Errorf("%s lacks the command %s", line, name)
			}
		}
		for _, name := range firstFlags {
			if !strings.Contains(text, "\n  --"+name+" ") {
				t.Errorf("%s lacks the flag --%s", line, name)
			}
		}
	}
	s.does("help --all", "debugger-step-over", "--browser-provider")
	s.does("help click", "callsheet click")
	s.does("help workflow run", "callsheet workflow run")
	s.fails(exit.Usage, "help clik", `did you mean "click"?`)
}

// TestUnknownSubcommandsAreRefused names commands that the groups of commands have not.
func TestUnknownSubcommandsAreRefused(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for line, want := range map[string]string{
		"workflow list": "(init, inspect, lock, login, run, validate)",
		"workflow rnu":  `did you mean "run"?`,
		"site lst":      "unknown command",
		"policy chek":   `did you mean "check"?`,
		"daemon stpo":   `did you mean "stop"?`,
		"jobs lits":     `did you mean "list"?`,
		"config shwo":   `did you mean "show"?`,
		"totp lst":      `did you mean "list"?`,
		"webmcp lst":    `did you mean "list"?`,
	} {
		s.fails(exit.Usage, line, want)
	}
	s.does("workflow", "Available Commands")
}

// TestEachFlagIsDescribed looks at every flag of the commands that are no tools: the manifest describes the parameters of
// those, where their names do not.
func TestEachFlagIsDescribed(t *testing.T) {
	t.Parallel()
	p := program{}
	root := p.command()
	p.addVerbs(root, "")
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if strings.TrimSpace(f.Usage) == "" {
				t.Errorf("%s: --%s has no description", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			if sub.GroupID != "" { // a tool
				continue
			}
			check(sub)
		}
	}
	check(root)
}

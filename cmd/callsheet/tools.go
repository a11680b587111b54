package main

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/runner"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// toolsVerb is the command tools with its flags.
type toolsVerb struct {
	program

	cfg    config
	asJSON bool
}

// toolsCommand shows what a server with the same flags would list, and why it would not list the
// rest.
func (p program) toolsCommand() *cobra.Command {
	v := toolsVerb{program: p}
	var scenario string
	var watched bool
	var session string
	cmd := &cobra.Command{
		Use: "tools", Short: "Show what is listed under any flags and in any state, and why the rest is not",
		Example: "  callsheet tools --tools-only core,debugger --scenario paused", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watched {
				if err := onlyWatchFlags(cmd.Flags()); err != nil {
					return err
				}
				return v.watchList(cmd.Context(), session)
			}
			return v.show(scenario)
		},
	}
	v.cfg.SurfaceFlags(cmd.Flags())
	options.FileFlags(cmd.Flags())
	cmd.Flags().StringVar(&scenario, "scenario", "", "show the state of this `SCENARIO` of the manifest")
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "print it as JSON")
	cmd.Flags().BoolVar(&watched, flagWatch, false, "show each change of the daemon's list until interrupted")
	cmd.Flags().StringVar(&session, options.FlagSession, defaultSession, "with --watch, the list of this session `NAME`")
	return cmd
}

// onlyWatchFlags refuses flags that do not change the daemon's list.
func onlyWatchFlags(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{flagWatch, options.FlagSession, "scope", "json", options.FlagConfig, "profile"}, f.Name) && err == nil {
			err = exit.Misuse(fmt.Errorf("--%s does not change the list of the daemon, which --%s shows", f.Name, flagWatch))
		}
	})
	return err
}

func (v toolsVerb) show(scenario string) error {
	built, err := v.build(v.cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return exit.Misuse(err)
	}
	var facts toolkit.Facts
	if scenario != "" {
		if facts, err = built.Surface.Registry().Scenario(scenario); err != nil {
			return exit.Misuse(fmt.Errorf("--scenario: %w", err))
		}
	}
	rows := built.Surface.Rows(facts)
	if v.asJSON {
		return runner.WriteJSON(v.stdout, rows)
	}
	return v.printTable(rows)
}

// printTable prints the tools by capability; what is not listed is dim on a terminal.
func (v toolsVerb) printTable(rows []toolkit.Row) error {
	screen := terminal.New(v.stdout)
	groups, summary := runner.Groups(rows)
	for _, g := range groups {
		if err := screen.Line(screen.Style(terminal.Bold, g.Title) + ": " + g.Summary); err != nil {
			return err
		}
		var lines []terminal.Row
		for _, l := range g.Lines {
			row := terminal.Row{Cells: l.Cells}
			if !l.Listed {
				row.Style = terminal.Dim
			}
			lines = append(lines, row)
		}
		if err := screen.Rows("  ", lines); err != nil {
			return err
		}
	}
	return screen.Line(summary)
}

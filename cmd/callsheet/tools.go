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

// toolsCommand shows what a server with the same flags would list, and why it would not list the
// rest.
func (p program) toolsCommand() *cobra.Command {
	var cfg config
	var scenario string
	var asJSON, watched bool
	var session string
	cmd := &cobra.Command{
		Use: "tools", Short: "Show what is listed under any flags and in any state, and why the rest is not",
		Example: "  callsheet tools --tools-only core,debugger --scenario paused", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watched {
				if err := onlyWatchFlags(cmd.Flags()); err != nil {
					return err
				}
				return p.watchTools(cmd.Context(), cfg.Surface.Scope, session, asJSON)
			}
			return p.showTools(cfg, scenario, asJSON)
		},
	}
	cfg.SurfaceFlags(cmd.Flags())
	options.FileFlags(cmd.Flags())
	cmd.Flags().StringVar(&scenario, "scenario", "", "show the state of this `SCENARIO` of the manifest")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
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

func (p program) showTools(cfg config, scenario string, asJSON bool) error {
	built, err := p.build(cfg, slog.New(slog.DiscardHandler))
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
	if asJSON {
		return runner.WriteJSON(p.stdout, rows)
	}
	return p.toolsTable(rows)
}

// toolsTable prints the tools by capability; what is not listed is dim on a terminal.
func (p program) toolsTable(rows []toolkit.Row) error {
	screen := terminal.New(p.stdout)
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

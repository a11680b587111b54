package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/runner"
	"github.com/callsheet/callsheet/internal/cli/terminal"
)

// toolsCommand shows what a server with the same flags would list, and why it would not list the
// rest.
func (p program) toolsCommand() *cobra.Command {
	var cfg config
	var scenario string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "tools", Short: "Show what is listed under any flags and in any state, and why the rest is not",
		Example: "  callsheet tools --tools-only core,debugger --scenario paused", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			built, err := p.build(cfg, slog.New(slog.DiscardHandler))
			if err != nil {
				return usageError{err}
			}
			var facts toolkit.Facts
			if scenario != "" {
				if facts, err = built.Surface.Registry().Scenario(scenario); err != nil {
					return usageError{fmt.Errorf("--scenario: %w", err)}
				}
			}
			rows := built.Surface.Rows(facts)
			if asJSON {
				return runner.WriteJSON(p.stdout, rows)
			}
			return p.toolsTable(rows)
		},
	}
	cfg.surfaceFlags(cmd.Flags())
	configFlags(cmd.Flags())
	cmd.Flags().StringVar(&scenario, "scenario", "", "show the state of this `SCENARIO` of the manifest")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func (p program) toolsTable(rows []toolkit.Row) error {
	screen := terminal.New(p.stdout)
	heads, lines, summary := runner.Table(rows)
	if err := screen.Table(heads, lines); err != nil {
		return err
	}
	return screen.Line(summary)
}

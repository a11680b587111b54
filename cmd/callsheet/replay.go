package main

import "github.com/spf13/cobra"

// replayCommand is what a person does with recordings.
func (p program) replayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "replay", Short: "Show what a session did", Args: nothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.replayReportCommand())
	return cmd
}

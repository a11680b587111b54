package main

import (
	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/internal/cli/companion"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// siteCommand serves sites, and runs the program that writes and compiles them.
func (p program) siteCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "site", Short: "Make a web site's tasks into tools: write, check and serve them", Args: noArguments}
	cmd.AddCommand(p.siteServeCommand())
	for _, c := range companion.SiteCommands() {
		cmd.AddCommand(p.authoringCommand(c))
	}
	return cmd
}

// authoringCommand runs a command of callsheet-site with the arguments as they are given.
func (p program) authoringCommand(c companion.Command) *cobra.Command {
	run := func(cmd *cobra.Command, args ...string) error {
		return companion.Run(cmd.Context(), companion.Site, append([]string{c.Name()}, args...), companion.Streams{In: p.stdin, Out: p.stdout, Err: p.stderr})
	}
	cmd := &cobra.Command{
		Use: c.Use, Short: c.Short, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args...) },
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if err := run(cmd, "--help"); err != nil {
			cmd.Printf("%s\n\nUsage:\n  callsheet site %s\n\n%v\n", c.Short, c.Use, err)
		}
	})
	return cmd
}

func (p program) siteServeCommand() *cobra.Command {
	cfg := config{AuthToken: p.token}
	cmd := &cobra.Command{
		Use: "serve DIR", Short: "Serve the tools of a compiled site; as callsheet --site DIR", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cfg.Validate(cmd.Flags()); err != nil {
				return exit.Misuse(err)
			}
			cfg.Sites.Dir = args[0]
			return p.serve(cmd, cfg)
		},
	}
	cfg.Flags(cmd.Flags())
	_ = cmd.Flags().MarkHidden("site") // the argument is it
	return cmd
}

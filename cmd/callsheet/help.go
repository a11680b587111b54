package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What the help of the program shows without --all: the commands and flags of the first day.
var (
	firstCommands = []string{
		"navigate", "snapshot", "find", "click", "fill", "press", "wait", "screenshot", "eval", "tabs",
		"install", "doctor", "ui", "record", "workflow",
	}
	firstFlags = []string{
		"http", "auth-token", "config", "policy", "secrets", "headless", "user-data-dir", "attach", "tools-only", "read-only",
		"allow-file-urls", "workflows",
	}
)

// addHelp gives the program a short help, and "help --all" the whole one. The help of each command stays whole.
func addHelp(root *cobra.Command) {
	whole := root.HelpFunc()
	var all bool
	help := &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about any command; --all lists every command and flag",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return availableNames(root, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 && cmd == root {
				return unknownVerb(root, args, nil)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
	help.Flags().BoolVar(&all, "all", false, "list every command and flag")
	root.SetHelpCommand(help)
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd != root || all {
			whole(cmd, args)
			return
		}
		writeFirstHelp(cmd.OutOrStdout(), root)
	})
}

// availableNames lists the commands below the one that arguments name.
func availableNames(root *cobra.Command, args []string) (out []string) {
	cmd, _, err := root.Find(args)
	if err != nil {
		return nil
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, sub.Name())
		}
	}
	return out
}

// writeFirstHelp writes the help of the first day.
func writeFirstHelp(w io.Writer, root *cobra.Command) {
	_, _ = fmt.Fprintf(w, "%s\n\nUsage:\n  callsheet [flags]            serve an agent\n  callsheet COMMAND [flags]\n\nCommands:\n", root.Long)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range firstCommands {
		if cmd, _, err := root.Find([]string{name}); err == nil && cmd != root {
			_, _ = fmt.Fprintf(table, "  %s\t%s\n", name, firstSentence(cmd.Short))
		}
	}
	_ = table.Flush()
	_, _ = fmt.Fprint(w, "\nFlags:\n")
	for _, name := range firstFlags {
		if f := root.Flags().Lookup(name); f != nil {
			value, usage := pflag.UnquoteUsage(f)
			_, _ = fmt.Fprintf(table, "  --%s\t%s\n", strings.TrimSpace(name+" "+value), firstSentence(usage))
		}
	}
	_ = table.Flush()
	commands, flags := len(availableNames(root, nil)), 0
	root.Flags().VisitAll(func(*pflag.Flag) { flags++ })
	_, _ = fmt.Fprintf(w, "\n\"callsheet help --all\" lists all %d commands and %d flags, \"callsheet help COMMAND\" says more about one.\n", commands, flags)
}

// firstSentence returns a text up to its first full stop or semicolon.
func firstSentence(text string) string {
	for _, end := range []string{". ", "; "} {
		before, _, _ := strings.Cut(text, end)
		text = cmp.Or(before, text)
	}
	return strings.TrimSuffix(text, ".")
}

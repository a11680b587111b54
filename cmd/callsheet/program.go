package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/cli/manual"
)

// program is the command line with what it takes from its process.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	token          string   // from the environment
	args           []string // the command line
	build          func(config, *slog.Logger) (*app.App, error)
}

// run runs one command line and returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	p.args = args
	root := p.command()
	if !isServing(args) {
		p.addVerbs(root, args[0])
		exit.RefuseUnknown(root)
		addHelp(root)
	}
	root.SetArgs(cmdline.Arguments(root, joinOptionalValue(args)))
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	ran, err := root.ExecuteContextC(ctx)
	return exit.Code(ctx, p.stderr, err, help(ran))
}

// help is the command line that says more about a verb.
func help(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return strings.Replace(cmd.CommandPath(), "callsheet", "callsheet help", 1)
	}
	return "callsheet help"
}

// command builds the tree without the tools' verbs. The flags of serve may stand before it, and
// need it not at all.
func (p program) command() *cobra.Command {
	cfg := config{AuthToken: p.token}
	serve := func(cmd *cobra.Command, _ []string) error {
		if err := cfg.Validate(cmd.Flags()); err != nil {
			return exit.Misuse(err)
		}
		return p.serve(cmd, cfg)
	}
	root := &cobra.Command{
		Use:   "callsheet",
		Short: "Drive a real browser from an AI agent, over the Model Context Protocol",
		Long: "Callsheet drives a real Chromium for AI agents. Without a verb it serves on standard input and output.\n" +
			"Every tool is also a verb; verbs share one browser, which a daemon keeps between them.",
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.applyConfig(cmd) },
		Args:              func(cmd *cobra.Command, args []string) error { return unknownVerb(cmd, args, cli.Verbs()) }, RunE: serve, Version: version,
	}
	root.SetVersionTemplate("callsheet {{.Version}}\n")
	root.SetFlagErrorFunc(exit.ExplainFlag)
	serving := &cobra.Command{Use: "serve", Short: "Serve on standard input and output, or over HTTP with --http", Args: noArguments, RunE: serve}
	root.AddCommand(serving,
		&cobra.Command{Use: "version", Short: "Print the version", Args: noArguments, RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "callsheet", version)
			return err
		}},
	)
	manual.Add(root, version)
	if isServing(p.args) {
		cfg.Flags(root.PersistentFlags())
	} else { // the flags are there for help alone, and no tool's verb may have them
		cfg.Flags(root.Flags())
		serving.Flags().AddFlagSet(root.Flags())
	}
	return root
}

// unknownVerb refuses what is no verb, naming the nearest one.
func unknownVerb(cmd *cobra.Command, args []string, table []cmdline.Verb) error {
	if len(args) == 0 {
		return nil
	}
	for _, v := range table {
		if v.Name == args[0] {
			return exit.Misuse(fmt.Errorf("the flags of %s stand after it; those before it are for serving", v.Name))
		}
	}
	names := cmdline.Commands()
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return cmdline.Unknown(table, args[0], names)
}

// noArguments refuses arguments of verbs that take none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return exit.Misuse(fmt.Errorf("%s takes no argument, got %q", cmd.Name(), args[0]))
}

// joinOptionalValue lets --http, whose value may be left out, take it from the next argument too:
// without this only "--http=9876" would, and 9876 would be a verb. A value is anything that begins
// with a digit, a bracket or a colon, or has a port.
func joinOptionalValue(args []string) []string {
	const flag = "--http"
	out := make([]string, 0, len(args)) // not nil: cobra would take the arguments of the process
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		if args[i] == flag && i+1 < len(args) && isAddress(args[i+1]) {
			out = append(out, flag+"="+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

func isAddress(arg string) bool {
	return arg != "" && (strings.ContainsRune("0123456789[:", rune(arg[0])) || arg[0] != '-' && strings.Contains(arg, ":")) ||
		arg == "localhost"
}

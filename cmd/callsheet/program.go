package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Exit codes. 1 is for a tool's error, when a verb runs one.
const (
	exitOK        = 0
	exitUsage     = 2
	exitTransport = 3
)

// program is the command line with what it takes from its process.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	token          string // from the environment
	build          func(config, *slog.Logger) (app, error)
}

// usageError is a mistake in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// run runs one command line and returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	root := p.command()
	root.SetArgs(joinOptional(args, "--http"))
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		for line := range strings.Lines(err.Error()) {
			_, _ = fmt.Fprintln(p.stderr, "callsheet: "+strings.TrimSuffix(line, "\n"))
		}
		_, _ = fmt.Fprintln(p.stderr, `run "callsheet help" for what there is`)
		return exitUsage
	}
	_, _ = fmt.Fprintln(p.stderr, "callsheet:", err)
	return exitTransport
}

// command builds the tree of verbs. The flags of serve are accepted by every verb and without one.
func (p program) command() *cobra.Command {
	cfg := config{AuthToken: p.token}
	serve := func(cmd *cobra.Command, _ []string) error {
		if err := cfg.complete(cmd.Flags()); err != nil {
			return usageError{err}
		}
		return p.serve(cmd.Context(), cfg)
	}
	root := &cobra.Command{
		Use:           "callsheet",
		Short:         "Drive a real browser from an AI agent, over the Model Context Protocol",
		Long:          "Callsheet drives a real Chromium for AI agents. Without a verb it serves on standard input and output.",
		SilenceErrors: true, SilenceUsage: true,
		Args: verbs, RunE: serve, Version: version,
	}
	root.SetVersionTemplate("callsheet {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{explainFlag(cmd, err)}
	})
	root.AddCommand(
		&cobra.Command{Use: "serve", Short: "Serve on standard input and output, or over HTTP with --http", Args: nothing, RunE: serve},
		&cobra.Command{Use: "version", Short: "Print the version", Args: nothing, RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "callsheet", version)
			return err
		}},
	)
	cfg.flags(root.PersistentFlags())
	return root
}

// verbs refuses what is no verb, naming the nearest one.
func verbs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := []string{"help", "completion"}
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usageError{fmt.Errorf("unknown verb %q%s", args[0], suggest(args[0], names, ""))}
}

// nothing refuses arguments of verbs that take none.
func nothing(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("%s takes no argument, got %q", cmd.Name(), args[0])}
}

// explainFlag adds the nearest flag to a complaint about an unknown one.
func explainFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) == 1 {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	return fmt.Errorf("unknown flag --%s%s", name, suggest(name, names, "--"))
}

func suggest(name string, known []string, prefix string) string {
	if near := toolkit.Nearest(name, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", prefix+near)
	}
	return ""
}

// joinOptional lets a flag whose value may be left out take it from the next argument too, as "--http 9876": without
// this only "--http=9876" would, and 9876 would be a verb. A value is anything that begins with a digit, a bracket or
// a colon, or has a port.
func joinOptional(args []string, flag string) []string {
	var out []string
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

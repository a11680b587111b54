// Package exit is how the programs of this repository end: the exit codes, the errors that choose them, and what is
// printed about an error.
//
// It must not know what a command does.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/gen/toolkit/invisible"
)

// The exit codes. A command that was interrupted ends as shells expect of an interrupted program.
const (
	OK          = 0
	Tool        = 1
	Usage       = 2
	Transport   = 3
	Interrupted = 130
)

// UsageError is a mistake in how a program was called.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Misuse returns err as a UsageError.
func Misuse(err error) error { return UsageError{err} }

// RefusedError ends a program with Tool. What was refused has been printed.
type RefusedError struct{}

func (RefusedError) Error() string { return "the tool refused" }

// Code returns the exit code of an error, and prints the error unless the command has. help is the command line that
// says more about the command.
func Code(ctx context.Context, stderr io.Writer, err error, help string) int {
	var usage UsageError
	var verb *command.UsageError
	var refused RefusedError
	var code CodeError
	switch {
	case err == nil:
		return OK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &refused):
		return Tool
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return Interrupted
	case errors.As(err, &usage), errors.As(err, &verb):
		for line := range strings.Lines(err.Error()) {
			_, _ = fmt.Fprintln(stderr, "callsheet: "+invisible.Shown(strings.TrimSuffix(line, "\n")))
		}
		_, _ = fmt.Fprintf(stderr, "run %q for what there is\n", help)
		return Usage
	}
	_, _ = fmt.Fprintln(stderr, "callsheet:", invisible.Shown(err.Error()))
	return Transport
}

// ExactArguments takes n arguments; what names them in the refusal of another number.
func ExactArguments(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return UsageError{fmt.Errorf("%s takes %s", cmd.CommandPath(), what)}
	}
}

// CodeError ends a program with the code of another one that it has run. That one has printed why.
type CodeError int

func (e CodeError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// ExplainFlag returns a complaint about flags as a UsageError, with the nearest flag to an unknown one.
func ExplainFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) == 1 {
		return UsageError{err}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	return UsageError{fmt.Errorf("unknown flag --%s%s", name, Suggest(name, names, "--"))}
}

// Suggest returns a clause with the known name that is nearest to a name; "" where none is near. The prefix is put
// before it.
func Suggest(name string, known []string, prefix string) string {
	if near := toolkit.Nearest(name, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", prefix+near)
	}
	return ""
}

// RefuseUnknown makes the commands that only group others print their help where no argument follows, and refuse an
// argument that names none of theirs: cobra prints the help for it, as if that were what was asked for.
func RefuseUnknown(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		RefuseUnknown(cmd)
	}
	if root.Runnable() || !root.HasSubCommands() {
		return
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return UsageError{fmt.Errorf("unknown command %q of %s (%s)%s",
			args[0], cmd.CommandPath(), strings.Join(names, ", "), Suggest(args[0], names, ""))}
	}
}

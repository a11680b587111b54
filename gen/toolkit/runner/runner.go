// Package runner is the command line of a registry: a command for each verb, which runs in this process or
// on a server, and the command tools, which shows what a server lists under any flags and why it leaves
// out the rest.
//
// It decides what is printed and which exit code a command line ends with. It must not know a tool, nor
// how a server keeps its data.
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

// Exit codes.
const (
	ExitOK          = 0
	ExitTool        = 1 // a tool refused, and said why
	ExitUsage       = 2 // the command line is wrong
	ExitTransport   = 3 // the server cannot be reached, or cannot start
	ExitInterrupted = 130
)

// flagServer names the server that runs a verb.
const flagServer = "server"

// Program is a command line.
type Program struct {
	Name    string // of the executable
	Version string // sent to servers
	Verbs   []command.Verb
	// Open makes the surface that the flags describe, for verbs in this process and for the command tools.
	// Close is called once the command is done; it may be nil.
	Open func(ctx context.Context, opt toolkit.Options) (surface *toolkit.Surface, close func() error, err error)
	// Before makes calls ahead of that of a verb, in its session, such as one that selects a project. The
	// refusal of one ends the command. Nil makes none.
	Before func(cmd *cobra.Command, call func(tool string, args []byte) error) error
	// Principal is on whose behalf calls in this process are made.
	Principal string
	Token     string       // bearer token for a server over HTTP; "" sends none
	Server    []string     // the command that starts the server of verbs without --server; nil runs them in this process
	OptIns    []string     // capabilities that are off unless a flag of their name is given
	Logger    *slog.Logger // where defects go; nil discards them
}

// Add adds a command for each verb, and the command tools. A root that runs nothing prints its help.
func (p *Program) Add(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	verbs := command.Build(p.Verbs, p.run)
	for _, verb := range verbs {
		verb.Flags().String(flagServer, "", "run it on this `SERVER`: the URL of one over HTTP, or a command that serves on standard input and output")
	}
	root.AddGroup(command.Groups(p.Verbs)...)
	root.AddCommand(verbs...)
	root.AddCommand(p.toolsCommand())
	if !root.Runnable() {
		root.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if root.Args == nil {
		root.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			others := slicesx.Map(cmd.Commands(), func(c *cobra.Command) string { return c.Name() })
			return command.Unknown(p.Verbs, args[0], others)
		}
	}
}

// run runs one verb.
func (p *Program) run(ctx context.Context, cmd *cobra.Command, call command.Call) error {
	server, err := cmd.Flags().GetString(flagServer)
	if err != nil {
		return err
	}
	c, err := p.connect(ctx, server)
	if err != nil {
		return err
	}
	err = p.call(ctx, cmd, c, call)
	return errors.Join(err, c.close())
}

func (p *Program) call(ctx context.Context, cmd *cobra.Command, c caller, call command.Call) error {
	if p.Before != nil {
		err := p.Before(cmd, func(tool string, args []byte) error {
			result, err := c.call(ctx, tool, args)
			if err == nil && result.Refused {
				err = p.show(cmd, command.Call{Verb: call.Verb, JSON: call.JSON}, result)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	result, err := c.call(ctx, call.Verb.Tool, call.Args)
	if err != nil {
		return err
	}
	return p.show(cmd, call, result)
}

// errRefused is a refusal that has been printed.
var errRefused = errors.New("the tool refused")

// Execute runs the command line of a tree and returns its exit code. It prints the error to the tree's
// stream of errors.
func (p *Program) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	began := false // flags and arguments were right
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	root.SetArgs(command.Arguments(root, args))
	ran, err := root.ExecuteContextC(ctx)
	var usage *command.UsageError
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, errRefused):
		return ExitTool
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	p.complain(root.ErrOrStderr(), err)
	if !began || errors.As(err, &usage) {
		_, _ = fmt.Fprintf(root.ErrOrStderr(), "run %q for what there is\n", ran.CommandPath()+" --help")
		return ExitUsage
	}
	return ExitTransport
}

// complain prints an error, each line with the program's name.
func (p *Program) complain(w io.Writer, err error) {
	for line := range strings.Lines(err.Error()) {
		_, _ = fmt.Fprintf(w, "%s: %s\n", p.Name, strings.TrimSuffix(line, "\n"))
	}
}

// Command tracker is an issue tracker for agents: "tracker serve" speaks the Model Context Protocol on
// standard input and output or over HTTP, each tool is a command, and "tracker tools" shows what is served.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/runner"

	"github.com/callsheet/callsheet/examples/tracker/generated/cli"
	"github.com/callsheet/callsheet/examples/tracker/generated/toolset"
	"github.com/callsheet/callsheet/examples/tracker/internal/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	program, root := newCommand()
	code := program.Execute(ctx, root, os.Args[1:])
	stop()
	os.Exit(code)
}

// newCommand makes the command line: a command of each tool beside serve, token and tools.
func newCommand() (*runner.Program, *cobra.Command) {
	var database, project string
	root := &cobra.Command{Use: "tracker", Short: "An issue tracker for agents"}
	root.PersistentFlags().StringVar(&database, "database", "tracker.db", "the `FILE` with everything")
	root.PersistentFlags().StringVar(&project, "project", "", "work in the project `NAME`")
	program := &runner.Program{
		Name: "tracker", Version: server.Version, Verbs: cli.Verbs(), Principal: server.Local, Token: os.Getenv("TRACKER_TOKEN"),
		Open: func(ctx context.Context, opt toolkit.Options) (*toolkit.Surface, func() error, error) {
			s, err := server.New(ctx, database, opt)
			if err != nil {
				return nil, nil, err
			}
			return s.Surface(), s.Close, nil
		},
		Before: func(_ *cobra.Command, call func(tool string, args []byte) error) error {
			if project == "" {
				return nil
			}
			return call(toolset.ToolProjectSelect, fmt.Appendf(nil, `{"name":%q}`, project))
		},
	}
	program.Add(root)
	root.AddCommand(serveCommand(&database), tokenCommand(&database))
	return program, root
}

func serveCommand(database *string) *cobra.Command {
	var address string
	var opt toolkit.Options
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the Model Context Protocol on standard input and output, or over HTTP", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return withServer(ctx, *database, opt, func(s *server.Server) error {
				if address != "" {
					return s.ServeHTTP(ctx, address)
				}
				return s.ServeStdio(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
			})
		},
	}
	cmd.Flags().StringVar(&address, "http", "", "serve over HTTP at `ADDRESS`, to people with a token")
	runner.SurfaceFlags(cmd.Flags(), &opt)
	return cmd
}

func tokenCommand(database *string) *cobra.Command {
	return &cobra.Command{
		Use: "token PERSON", Short: "Make a bearer token for a person", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServer(cmd.Context(), *database, toolkit.Options{}, func(s *server.Server) error {
				token, err := s.CreateToken(cmd.Context(), args[0])
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
				}
				return err
			})
		},
	}
}

// withServer runs something with a server, and closes that.
func withServer(ctx context.Context, database string, opt toolkit.Options, run func(*server.Server) error) error {
	s, err := server.New(ctx, database, opt)
	if err != nil {
		return err
	}
	return errors.Join(run(s), s.Close())
}

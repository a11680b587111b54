// Command tracker is an issue tracker for agents: "tracker serve" speaks the Model Context Protocol on
// standard input and output or over HTTP, and each tool is a command.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit/command"

	"github.com/callsheet/callsheet/examples/tracker/generated/cli"
	"github.com/callsheet/callsheet/examples/tracker/internal/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "tracker:", err)
		os.Exit(1)
	}
}

// newCommand makes the command line: a command of each tool beside serve and token.
func newCommand() *cobra.Command {
	var database, project string
	root := &cobra.Command{Use: "tracker", Short: "An issue tracker for agents", SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().StringVar(&database, "database", "tracker.db", "the `FILE` with everything")
	verbs := command.Build(cli.Verbs(), func(ctx context.Context, cmd *cobra.Command, call command.Call) error {
		return withServer(ctx, database, func(s *server.Server) error { return s.Run(ctx, cmd.OutOrStdout(), project, call) })
	})
	for _, verb := range verbs {
		verb.Flags().StringVar(&project, "project", "", "work in the project `NAME`")
	}
	root.AddGroup(command.Groups(cli.Verbs())...)
	root.AddCommand(verbs...)
	root.AddCommand(serveCommand(&database), tokenCommand(&database))
	return root
}

func serveCommand(database *string) *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the Model Context Protocol on standard input and output, or over HTTP", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return withServer(ctx, *database, func(s *server.Server) error {
				if address != "" {
					return s.ServeHTTP(ctx, address)
				}
				return s.ServeStdio(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
			})
		},
	}
	cmd.Flags().StringVar(&address, "http", "", "serve over HTTP at `ADDRESS`, to people with a token")
	return cmd
}

func tokenCommand(database *string) *cobra.Command {
	return &cobra.Command{
		Use: "token PERSON", Short: "Make a bearer token for a person", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServer(cmd.Context(), *database, func(s *server.Server) error {
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
func withServer(ctx context.Context, database string, run func(*server.Server) error) error {
	s, err := server.New(ctx, database)
	if err != nil {
		return err
	}
	return errors.Join(run(s), s.Close())
}

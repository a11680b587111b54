// Command minimal serves the tools of manifest/tools.yaml to clients of the Model Context Protocol:
// on standard input and output, or over HTTP. Each tool is a command too, and "minimal tools" shows
// what is served.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/toolkit/runner"

	"github.com/callsheet/callsheet/examples/minimal/generated/cli"
	"github.com/callsheet/callsheet/examples/minimal/generated/registry"
	"github.com/callsheet/callsheet/examples/minimal/tools/greeting"
)

// version is what clients and the health page are told.
const version = "0.1.0"

// tokenVariable names the environment variable with the bearer token of clients over HTTP. Addresses
// that other machines can reach are refused without one.
const tokenVariable = "MINIMAL_TOKEN"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	program, root := newCommand(log)
	code := program.Execute(ctx, root, os.Args[1:])
	stop()
	os.Exit(code)
}

// newCommand makes the command line. Without a command it serves.
func newCommand(log *slog.Logger) (*runner.Program, *cobra.Command) {
	var address string
	var opt toolkit.Options
	token := os.Getenv(tokenVariable)
	root := &cobra.Command{
		Use: "minimal", Short: "Serve tools to clients of the Model Context Protocol",
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), opt, address, token, log) },
	}
	root.Flags().StringVar(&address, "http", "", "serve over HTTP at this `ADDRESS`, under "+httpserver.Path+"; without it on standard input and output")
	runner.SurfaceFlags(root.Flags(), &opt)
	program := &runner.Program{
		Name: "minimal", Version: version, Verbs: cli.Verbs(), Token: token, Logger: log,
		Open: func(_ context.Context, opt toolkit.Options) (*toolkit.Surface, func() error, error) {
			surface, err := open(opt)
			return surface, nil, err
		},
	}
	program.Add(root)
	return program, root
}

// open makes the tools that the options choose.
func open(opt toolkit.Options) (*toolkit.Surface, error) {
	return toolkit.NewSurface(registry.New(registry.Compose(new(greeting.Tools))), opt)
}

// serve serves until the client or a signal ends it.
func serve(ctx context.Context, opt toolkit.Options, address, token string, log *slog.Logger) error {
	surface, err := open(opt)
	if err != nil {
		return err
	}
	server := mcpserver.New(surface, mcpserver.Options{Name: "minimal", Version: version, Logger: log})
	if address == "" {
		return server.ServeStdio(ctx, os.Stdin, os.Stdout)
	}
	listener, err := httpserver.Listen(ctx, address, token != "")
	if err != nil {
		return err
	}
	handler, err := httpserver.Handler(server.HTTPHandler(mcpserver.HTTPOptions{AuthToken: token}), version)
	if err != nil {
		return err
	}
	log.Info("serving", "url", "http://"+listener.Addr().String()+httpserver.Path)
	return httpserver.Serve(ctx, listener, handler, log, server.Close)
}

// Command conformance serves the tools of manifest/tools.yaml to clients of the Model Context Protocol:
// on standard input and output, or over HTTP.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"

	"github.com/callsheet/callsheet/examples/conformance/generated/registry"
	"github.com/callsheet/callsheet/examples/conformance/internal/rows"
	"github.com/callsheet/callsheet/examples/conformance/tools/ask"
	"github.com/callsheet/callsheet/examples/conformance/tools/content"
	"github.com/callsheet/callsheet/examples/conformance/tools/notify"
)

// version is the server's version in the answer to initialize and on the health page.
const version = "0.1.0"

// tokenVariable names the environment variable with the bearer token of clients over HTTP. Addresses
// that other machines can reach are refused without one.
const tokenVariable = "CONFORMANCE_TOKEN"

func main() {
	address := flag.String("http", "", "serve over HTTP at this `address`, under "+httpserver.Path+"; \"\" serves standard input and output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *address, os.Getenv(tokenVariable)); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// newServer makes the server of the registry. Its lists change while it serves.
func newServer(log *slog.Logger) (*mcpserver.Server, error) {
	generated := registry.New(registry.Compose(ask.Tools{}, content.Tools{}, notify.Tools{ToggleTool: rows.ToggleTool, TogglePrompt: rows.TogglePrompt}))
	reg, err := rows.Compose(generated)
	if err != nil {
		return nil, err
	}
	surface, err := toolkit.NewSurface(reg, toolkit.Options{})
	if err != nil {
		return nil, err
	}
	return mcpserver.New(surface, mcpserver.Options{Name: "conformance", Version: version, Updates: true, Logger: log}), nil
}

// serve serves until the client or a signal ends it.
func serve(ctx context.Context, address, token string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	server, err := newServer(log)
	if err != nil {
		return err
	}
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

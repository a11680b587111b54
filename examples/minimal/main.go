// Command minimal serves the tools of manifest/tools.yaml to clients of the Model Context Protocol:
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

	"github.com/callsheet/callsheet/examples/minimal/generated/registry"
	"github.com/callsheet/callsheet/examples/minimal/tools/greeting"
)

// version is the server's version in the answer to initialize and on the health page.
const version = "0.1.0"

// tokenVariable names the environment variable with the bearer token of clients over HTTP. Addresses
// that other machines can reach are refused without one.
const tokenVariable = "MINIMAL_TOKEN"

func main() {
	address := flag.String("http", "", "serve over HTTP at this `address`, under "+httpserver.Path+"; \"\" serves standard input and output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *address, os.Getenv(tokenVariable)); err != nil {
		fmt.Fprintln(os.Stderr, "minimal:", err)
		os.Exit(1)
	}
}

// serve serves until the client or a signal ends it.
func serve(ctx context.Context, address, token string) error {
	tools := registry.New(registry.Compose(new(greeting.Tools)))
	surface, err := toolkit.NewSurface(tools, toolkit.Options{})
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
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

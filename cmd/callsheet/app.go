package main

import (
	"context"
	"log/slog"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/browser"
	"github.com/callsheet/callsheet/internal/connection"
	"github.com/callsheet/callsheet/internal/files"
	"github.com/callsheet/callsheet/tools"
)

// stdioSession is the id of the one session that a client on standard input and output has.
const stdioSession = "stdio"

// app is what is served: a surface, and what stands behind its handlers.
type app struct {
	surface *toolkit.Surface
	ended   func(sessionID string)      // a client has gone; what its session owned can go
	close   func(context.Context) error // everything goes
}

// build joins configuration, browser and tools. Nothing is started before the first call needs it. Its errors are
// mistakes in the configuration.
func build(cfg config, log *slog.Logger) (app, error) {
	output, err := files.NewDir(cfg.Browser.OutputDir)
	if err != nil {
		return app{}, err
	}
	board := connection.New(connection.Config{
		Browser: browser.Config{
			Executable: cfg.Browser.Path, Headless: cfg.Browser.Headless, UserDataDir: cfg.Browser.UserDataDir,
			CDPEndpoint: cfg.Browser.CDPEndpoint, Viewport: browser.Size(cfg.Browser.Viewport), Args: cfg.Browser.Args,
			AllowFile: cfg.Browser.AllowFileURLs, Logger: log,
		},
		// Clients of one server never share cookies, except where there is only one.
		Shared: func(id string) bool { return id == stdioSession },
	})
	surface, err := toolkit.NewSurface(toolset.New(tools.New(board.Own(), board.Set, output)), cfg.Surface)
	if err != nil {
		return app{}, err
	}
	return app{
		surface: surface,
		ended:   func(id string) { endSession(board, id, log) },
		close:   board.Close,
	}, nil
}

// endSession closes what a client that has gone had open.
func endSession(board *connection.Switchboard, id string, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if err := board.End(ctx, id); err != nil {
		log.Warn("end the connections of a client that has gone", "session", id, "error", err)
	}
}

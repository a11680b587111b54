package main

import (
	"context"
	"log/slog"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/answer"
	"github.com/callsheet/callsheet/internal/browser"
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
	b := browser.New(browser.Config{
		Executable: cfg.Browser.Path, Headless: cfg.Browser.Headless, UserDataDir: cfg.Browser.UserDataDir,
		CDPEndpoint: cfg.Browser.CDPEndpoint, Viewport: browser.Size(cfg.Browser.Viewport), Args: cfg.Browser.Args,
		AllowFile: cfg.Browser.AllowFileURLs, Logger: log,
	})
	surface, err := toolkit.NewSurface(toolset.New(tools.New(b, sessions(b), output)), cfg.Surface)
	if err != nil {
		return app{}, err
	}
	return app{
		surface: surface,
		ended:   func(id string) { endSession(b, id) },
		close:   b.Close,
	}, nil
}

// endSession closes what a client that has gone had open.
func endSession(b *browser.Browser, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	b.EndSession(ctx, id)
}

// sessions gives the client on standard input the browser's own context, and every other session one of its own, so
// that clients of one server never share cookies.
func sessions(b *browser.Browser) answer.Sessions {
	return func(id string) *browser.Session {
		if id == stdioSession {
			return b.Session(id)
		}
		return b.IsolatedSession(id)
	}
}

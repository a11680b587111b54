package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// sessionsTimeout bounds the end of sessions, whose calls are cancelled by then; options.CloseTimeout the
// end of the browser and everything else behind the handlers.
const sessionsTimeout = 300 * time.Millisecond

// serve serves until the client, the operator or the transport ends it, and leaves nothing behind.
func (p program) serve(ctx context.Context, cfg config) (err error) {
	if cfg.DaemonSession != "" {
		return p.serveDaemonSession(ctx, cfg)
	}
	log := slog.New(slog.NewTextHandler(cfg.Vault.RedactWriter(p.stderr), &slog.HandlerOptions{Level: cfg.LogLevel}))
	built, err := p.build(cfg, log)
	if err != nil {
		return exit.Misuse(err)
	}
	mcp := built.Server(built.Surface)
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.CloseTimeout)
		defer cancel()
		sessions, done := context.WithTimeout(ending, sessionsTimeout)
		defer done()
		if late := mcp.Close(sessions); late != nil {
			log.Warn("sessions did not end in time", "error", late)
		}
		err = errors.Join(err, built.Close(ending))
	}()
	built.ResumeJobs(ctx)
	if cfg.HTTP == "" {
		return mcp.ServeStdio(ctx, p.stdin, p.stdout)
	}
	return serveOverHTTP(ctx, cfg, built, mcp, log)
}

func serveOverHTTP(ctx context.Context, cfg config, built *app.App, mcp *mcpserver.Server, log *slog.Logger) error {
	ln, err := httpserver.Listen(ctx, cfg.HTTP, cfg.AuthToken != "")
	if errors.Is(err, httpserver.ErrUnguarded) {
		return exit.Misuse(fmt.Errorf("%w: --auth-token or %s", err, options.TokenVariable))
	}
	if err != nil {
		return err
	}
	handler, err := httpserver.Handler(mcp.HTTPHandler(mcpserver.HTTPOptions{
		AuthToken: cfg.AuthToken, AllowedHosts: cfg.AllowedHosts,
	}), version)
	if err != nil {
		return err
	}
	pages := newUI(cfg, built, log)
	log.Info("serving", "url", "http://"+ln.Addr().String()+httpserver.Path)
	return httpserver.Serve(ctx, ln, mountUI(handler, pages), log, func(ctx context.Context) error {
		pages.Close()
		return mcp.Close(ctx)
	})
}

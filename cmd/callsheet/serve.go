package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/metrics"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/app/principals"
	"github.com/callsheet/callsheet/internal/cli/configfile"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/ui"
)

// sessionsTimeout bounds the end of sessions, whose calls are cancelled by then; options.CloseTimeout the
// end of the browser and everything else behind the handlers.
const sessionsTimeout = 300 * time.Millisecond

// serve serves until the client, the operator or the transport ends it, and leaves nothing behind.
func (p program) serve(cmd *cobra.Command, cfg config) (err error) {
	ctx := cmd.Context()
	if cfg.DaemonSession != "" {
		return p.serveDaemonSession(ctx, cfg)
	}
	log := cfg.Logger(p.stderr, cfg.LogLevel)
	if cfg.BesideCommands {
		cfg.DaemonSession = defaultSession
		if err = p.serveDaemonSession(ctx, cfg); !errors.Is(err, errNoDaemon) {
			return err
		}
		log.Warn("commands work in another browser than this server", "error", err)
	}
	var tokens *principals.Tokens
	if cfg.HTTP != "" {
		if tokens, err = bearerTokens(cmd, &cfg, log); err != nil {
			return exit.Misuse(err)
		}
	}
	built, err := p.build(cfg, log)
	if err != nil {
		return exit.Misuse(err)
	}
	end := func(closing func(context.Context) error) {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.CloseTimeout)
		defer cancel()
		sessions, done := context.WithTimeout(ending, sessionsTimeout)
		defer done()
		if late := closing(sessions); late != nil {
			log.Warn("sessions did not end in time", "error", late)
		}
		err = errors.Join(err, built.Close(ending))
	}
	built.ResumeJobs(ctx)
	if cfg.HTTP == "" {
		mcp := built.Server(built.Surface)
		defer end(mcp.Close)
		return mcp.ServeStdio(ctx, p.stdin, p.stdout)
	}
	protocol, err := protocolHandler(cfg, built, tokens)
	if err != nil {
		end(func(context.Context) error { return nil })
		return exit.Misuse(err)
	}
	defer end(protocol.Close)
	return serveOverHTTP(ctx, cfg, protocol, newPages(cfg, built, tokens, log), log)
}

// bearerTokens returns the tokens of the configuration file and of the command line.
func bearerTokens(cmd *cobra.Command, cfg *config, log *slog.Logger) (*principals.Tokens, error) {
	path, _, err := options.FilePath(cmd.Flags())
	if err != nil {
		return nil, err
	}
	return principals.NewTokens(cfg.AuthToken, path, func() (map[string]configfile.Token, error) {
		if path == "" {
			return nil, nil
		}
		file, err := configfile.Load(path, false, options.Settings) // one that is gone has no token
		if err == nil && file != nil {
			err = file.Err()
		}
		if err != nil || file == nil {
			return nil, err
		}
		cfg.HasTokens = cfg.HasTokens || file.Tokens != nil
		return file.Tokens, nil
	}, log)
}

// protocolServer serves the protocol over HTTP until it is closed.
type protocolServer interface {
	http.Handler
	Close(context.Context) error
}

// unguarded serves every client.
type unguarded struct {
	http.Handler
	*mcpserver.Server
}

// protocolHandler serves the protocol to the holders of tokens, or to everybody where no token is demanded.
func protocolHandler(cfg config, built *app.App, tokens *principals.Tokens) (protocolServer, error) {
	opt := mcpserver.HTTPOptions{AllowedHosts: cfg.AllowedHosts}
	if !cfg.IsGuarded() {
		server := built.Server(built.Surface)
		return unguarded{server.HTTPHandler(opt), server}, nil
	}
	return principals.NewHandler(tokens, opt, func(powers []string) (*mcpserver.Server, error) {
		surface, err := built.PowerSurface(powers)
		if err != nil {
			return nil, err
		}
		return built.Server(surface), nil
	})
}

// pages has the paths of a server over HTTP beside that of the protocol.
type pages struct {
	*http.ServeMux
	ui *ui.Server
}

func newPages(cfg config, built *app.App, tokens *principals.Tokens, log *slog.Logger) pages {
	p := pages{http.NewServeMux(), newUI(cfg, built, log)}
	p.Handle(ui.Path, p.ui)
	p.HandleFunc("GET /readyz", readiness(built, log))
	guard := mcpserver.HTTPOptions{AllowedHosts: cfg.AllowedHosts}
	if cfg.IsGuarded() {
		guard.Authenticate = tokens.Principal
	}
	switch {
	case built.Metrics == nil:
	case cfg.HasOpenMetrics():
		p.Handle("GET "+metrics.Path, built.Metrics)
	default:
		p.Handle("GET "+metrics.Path, mcpserver.Guard(guard, log, built.Metrics))
	}
	return p
}

// readinessTime is how long an answer about readiness stands for later requests, which need no token.
const readinessTime = time.Second

// readiness answers whether calls can succeed. The log says why they cannot.
func readiness(built *app.App, log *slog.Logger) http.HandlerFunc {
	var mu sync.Mutex
	var asked time.Time
	var problem error
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(asked) > readinessTime {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), readinessTime)
			problem, asked = built.Ready(ctx), time.Now()
			cancel()
			if problem != nil {
				log.Warn("not ready", "error", problem)
			}
		}
		if problem != nil {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
	}
}

func serveOverHTTP(ctx context.Context, cfg config, protocol protocolServer, beside pages, log *slog.Logger) error {
	ln, err := httpserver.Listen(ctx, cfg.HTTP, cfg.IsGuarded())
	if errors.Is(err, httpserver.ErrUnguarded) {
		return exit.Misuse(fmt.Errorf("%w: callsheet token add, --auth-token or %s", err, options.TokenVariable))
	}
	if err != nil {
		return err
	}
	handler, err := httpserver.Handler(protocol, version)
	if err != nil {
		return err
	}
	log.Info("serving", "url", "http://"+ln.Addr().String()+httpserver.Path)
	beside.Handle("/", handler)
	return httpserver.Serve(ctx, ln, cfg.Proxies.Restore(beside), log, func(ctx context.Context) error {
		beside.ui.Close()
		return protocol.Close(ctx)
	})
}

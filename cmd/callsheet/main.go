// Command callsheet is the server and its command line. It joins flags to a surface, a browser and
// a transport; what they do is decided elsewhere. Standard output belongs to the protocol.
//
// It is one package because the commands share the streams, the flags and the daemon of one program.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/app/startheap"
)

// version is set by the linker: -X main.version=….
var version = "dev"

// startTime is longer than a server needs until it has answered the first requests.
const startTime = time.Second

func main() {
	time.AfterFunc(startTime, startheap.Restore)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once
	signal.Ignore(syscall.SIGPIPE) // a client that goes away is an error to answer, not the end of the process
	token := os.Getenv(options.TokenVariable)
	_ = os.Unsetenv(options.TokenVariable) // browsers and other children have no use for it
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, token: token, build: build}
	os.Exit(p.run(ctx, os.Args[1:]))
}

// config is the flags of a server.
type config = options.Config

// build returns the server that flags describe.
func build(cfg config, log *slog.Logger) (*app.App, error) { return app.New(appConfig(&cfg, log)) }

// appConfig returns the configuration of a server of this version.
func appConfig(cfg *config, log *slog.Logger) app.Config {
	out := cfg.AppConfig(log)
	out.Version = version
	return out
}

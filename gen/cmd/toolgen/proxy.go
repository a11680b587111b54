package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/proxy"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/gen/upstream"
)

// proxyTokenVariable names the environment variable with the bearer token of clients over HTTP.
const proxyTokenVariable = "TOOLGEN_TOKEN"

// proxyFlags are the flags of "toolgen proxy".
type proxyFlags struct {
	gates         toolkit.Options
	http          string
	unchangedOnly bool
	static        bool
}

func (a *app) proxy() *cobra.Command {
	var f proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy",
		Short: "Serve the forwarded tools of the manifest, without Go code",
		Long: `Serve the forwarded tools of the manifest, on standard input and output or over HTTP.

The upstream is asked for its tools first. Where a forwarded tool is not what manifest/upstream.json
recorded, the differences are shown and nothing is served. Results are passed on as they come. Each
session has a connection to the upstream of its own. Over HTTP, clients need the bearer token of
$` + proxyTokenVariable + ` where other machines can reach the address.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return a.runProxy(ctx, f)
		},
	}
	flags, g := cmd.Flags(), &f.gates
	flags.StringVar(&f.http, "http", "", "serve over HTTP at this `address`, under "+httpserver.Path)
	flags.BoolVar(&f.unchangedOnly, "unchanged-only", false, "where the upstream has changed, serve the tools that have not")
	flags.BoolVar(&f.static, "static", false, "send every client a list that does not follow facts")
	flags.StringVar(&g.Scope, "scope", "", "serve this scope (default: the manifest's first)")
	flags.StringVar(&g.Profile, "profile", "", "serve this profile of the first scope")
	flags.StringSliceVar(&g.ToolsOnly, "tools-only", nil, "serve these capabilities alone")
	flags.StringSliceVar(&g.DisableTools, "disable-tools", nil, "serve all capabilities but these")
	flags.StringSliceVar(&g.OptIn, "opt-in", nil, "serve these capabilities that are off by default")
	flags.StringSliceVar(&g.Tools, "tools", nil, "serve these tools alone")
	flags.StringSliceVar(&g.ExcludeTools, "exclude-tools", nil, "serve all tools but these")
	flags.BoolVar(&g.ReadOnly, "read-only", false, "serve only tools that change nothing")
	flags.StringSliceVar(&g.DisableSurfaces, "disable-surfaces", nil, "policy surfaces whose powers no call has")
	flags.BoolVar(&g.Slim, "slim", false, "list the slim tools alone")
	flags.BoolVar(&g.AllTools, "all-tools", false, "list every tier")
	return cmd
}

func (a *app) runProxy(ctx context.Context, f proxyFlags) error {
	_, src, err := a.load()
	if err != nil {
		return err
	}
	set, diags := gen.Lint(src)
	if diags.HasErrors() || set == nil {
		return a.report(diags, src.Line)
	}
	if set.Upstream == nil || src.Upstream == nil {
		return inputError{proxy.ErrNothingForwarded}
	}
	recorded, err := upstream.ReadRecord(src.Upstream.Data)
	if err != nil {
		return inputError{err}
	}
	server, offered, err := a.connect(ctx, set.Upstream)
	if err != nil {
		return inputError{err}
	}
	defer server.Close()
	changed, err := a.compareRecord(set, recorded, offered, f.unchangedOnly)
	if err != nil {
		return inputError{err}
	}
	registry, err := proxy.New(set, server, changed)
	if err != nil {
		return inputError{err}
	}
	if f.static {
		f.gates.Visibility = toolkit.Static
	}
	surface, err := toolkit.NewSurface(registry, f.gates)
	if err != nil {
		return err
	}
	return a.serveProxy(ctx, surface, mcpserver.Options{
		Name: cmp.Or(recorded.Name, "proxy"), Version: cmp.Or(recorded.Version, "0"), SessionEnded: server.SessionEnded,
	}, f.http)
}

// compareRecord says what has changed since the record; without says that the other tools are served.
func (a *app) compareRecord(set *model.Toolset, recorded, offered upstream.List, unchangedOnly bool) ([]upstream.Change, error) {
	changed, fresh := proxy.Compare(set, recorded, offered)
	if len(fresh) > 0 {
		fmt.Fprintf(a.stderr, "toolgen: the upstream has tools that the record does not have, and they are not served: %s; \"toolgen import --update\" adds them\n", strings.Join(fresh, ", "))
	}
	if len(changed) > 0 && !unchangedOnly {
		return nil, &proxy.ChangedError{Changes: changed}
	}
	for _, c := range changed {
		fmt.Fprintf(a.stderr, "toolgen: not served: %s\n", c)
	}
	return changed, nil
}

// serveProxy serves until the client or a signal ends it.
func (a *app) serveProxy(ctx context.Context, surface *toolkit.Surface, opt mcpserver.Options, address string) error {
	log := slog.New(slog.NewTextHandler(a.stderr, nil))
	opt.Logger = log
	server := mcpserver.New(surface, opt)
	if address == "" {
		return inputErrorOf(server.ServeStdio(ctx, os.Stdin, os.Stdout))
	}
	token := a.env(proxyTokenVariable)
	listener, err := httpserver.Listen(ctx, address, token != "")
	if err != nil {
		return inputError{err}
	}
	handler, err := httpserver.Handler(server.HTTPHandler(mcpserver.HTTPOptions{AuthToken: token}), opt.Version)
	if err != nil {
		return inputError{err}
	}
	log.Info("serving", "url", "http://"+listener.Addr().String()+httpserver.Path)
	return inputErrorOf(httpserver.Serve(ctx, listener, handler, log, server.Close))
}

func inputErrorOf(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
		return nil
	}
	return inputError{err}
}

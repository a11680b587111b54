package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/desktop"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/text/fence"
	"github.com/callsheet/callsheet/internal/ui"
)

// uiRequest asks the daemon for the address of the ui, and uiReply has it.
type (
	uiRequest struct {
		UI bool `json:"ui"`
	}
	uiReply struct {
		Address string `json:"address"`
	}
)

// ticketTimeout bounds the request for a ticket of a server.
const ticketTimeout = 10 * time.Second

// uiCommand prints and opens the address of the ui.
func (p program) uiCommand() *cobra.Command {
	var server string
	var noOpen bool
	cmd := &cobra.Command{
		Use: "ui", Short: "Watch what agents do, in a browser", Args: noArguments,
		Long: "Print the address of a page that shows the sessions of the daemon, or with --server those of a server over HTTP, and open it.\n" +
			"The address is good once, for five minutes.",
		Example: "  callsheet ui\n  callsheet ui --no-open --server http://127.0.0.1:9876",
		RunE: func(cmd *cobra.Command, _ []string) error {
			address, err := signInAddress(cmd.Context(), server, p.token)
			if err != nil {
				return err
			}
			if err := p.printLine("%s", address); err != nil || noOpen {
				return err
			}
			_, err = desktop.Open(cmd.Context(), power.NewProcess(operator.Grant("ui")), address)
			if missing := (*desktop.MissingError)(nil); errors.As(err, &missing) {
				return nil // the address is printed
			}
			return err
		},
	}
	cmd.Flags().StringVar(&server, "server", "", "watch the server at this `URL`, whose token "+options.TokenVariable+" has (default the daemon)")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "print the address alone")
	return cmd
}

// signInAddress returns an address that signs in once: of the daemon, which is started if none runs, or of a
// server.
func signInAddress(ctx context.Context, server, token string) (string, error) {
	if server == "" {
		at, err := daemonDirectory()
		if err != nil {
			return "", err
		}
		start, err := daemonProgram(nil)
		if err != nil {
			return "", err
		}
		var reply uiReply
		err = at.Control(ctx, buildID(start.Path), start, uiRequest{UI: true}, &reply)
		return reply.Address, err
	}
	base, err := url.Parse(server)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return "", exit.Misuse(fmt.Errorf("--server: %q is no address such as http://127.0.0.1:9876", server))
	}
	base = &url.URL{Scheme: base.Scheme, Host: base.Host, Path: ui.Path}
	ticket, err := fetchTicket(ctx, base, token)
	if err != nil {
		return "", err
	}
	return uiAddress(base, ticket), nil
}

// uiAddress is the address that signs in with a ticket. Browsers send no server what stands after #.
func uiAddress(base *url.URL, ticket string) string { return base.String() + "#token=" + ticket }

// fetchTicket asks a server for a ticket, which it answers or writes to a file of this user.
func fetchTicket(ctx context.Context, base *url.URL, token string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ticketTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base.String()+"api/ticket", bytes.NewReader([]byte("{}")))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", fmt.Errorf("reach the server: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	var reply struct{ Ticket, File, Error string }
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&reply); err != nil {
		return "", fmt.Errorf("the server has no ui: it answered %d", res.StatusCode)
	}
	switch {
	case reply.Error != "":
		return "", fmt.Errorf("the server refused: %s", fence.Line(reply.Error))
	case reply.File == "":
		return reply.Ticket, ui.CheckTicket(reply.Ticket)
	}
	at, err := daemonDirectory()
	if err != nil {
		return "", err
	}
	return ui.ReadTicket(at.Path(), reply.File)
}

// newUI returns the ui of an App that is served over HTTP. Without a private directory for tickets, which a server
// with a token does not need, callsheet ui cannot sign in.
func newUI(cfg config, a *app.App, log *slog.Logger) *ui.Server {
	opt := ui.Options{AuthToken: cfg.AuthToken, AllowedHosts: cfg.AllowedHosts}
	if cfg.AuthToken == "" {
		at, err := daemonDirectory()
		if err != nil {
			log.Warn("callsheet ui cannot sign in", "error", err)
		} else {
			opt.TicketDirectory = at.Path()
		}
	}
	return a.UI(opt)
}

// daemonUI is the ui of a daemon. It listens from the first request for its address on.
type daemonUI struct {
	app *app.App
	log *slog.Logger

	mu     sync.Mutex
	server *ui.Server // nil before it listens
	base   url.URL
	stop   context.CancelFunc
	ended  chan struct{}
}

// address returns an address that signs in once, and listens if this is the first.
func (d *daemonUI) address(ctx context.Context) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		if err := d.listen(ctx); err != nil {
			return "", err
		}
	}
	return uiAddress(&d.base, d.server.Ticket()), nil
}

func (d *daemonUI) listen(ctx context.Context) error {
	ln, err := httpserver.Listen(ctx, net.JoinHostPort("127.0.0.1", "0"), false)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.server, d.stop, d.ended = d.app.UI(ui.Options{}), stop, make(chan struct{})
	d.base = url.URL{Scheme: "http", Host: ln.Addr().String(), Path: ui.Path}
	go func() {
		defer close(d.ended)
		err := httpserver.Serve(serving, ln, d.server, d.log, func(context.Context) error { d.server.Close(); return nil })
		if err != nil {
			d.log.Warn("the ui ended", "error", err)
		}
	}()
	return nil
}

// close ends the ui and its streams.
func (d *daemonUI) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop != nil {
		d.stop()
		<-d.ended
	}
}

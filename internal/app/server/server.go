// Package server is what Callsheet itself adds to the protocol adapter: what it tells models about
// itself, on which addresses it may listen, its health page and an orderly end.
//
// It must not know the protocol (gen/toolkit/mcpserver does), browsers, or how flags are written.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// DefaultAddress is where HTTP is served unless the operator says otherwise.
const DefaultAddress = "127.0.0.1:9876"

// Path is where the protocol is served over HTTP; HealthPath answers whether the process is alive.
const (
	Path       = "/mcp"
	HealthPath = "/healthz"
)

// ErrUnguarded is returned for an address that other machines can reach when there is no token to
// keep them out.
var ErrUnguarded = errors.New("other machines can reach this address, so it needs --auth-token (or CALLSHEET_AUTH_TOKEN)")

// Address completes what the operator wrote: a port alone is one on loopback, a host alone gets the
// default port.
func Address(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	switch {
	case text == "":
		return DefaultAddress, nil
	case err == nil:
	case strings.Trim(text, "0123456789") == "":
		host, port = "", text
	default:
		host = strings.Trim(text, "[]")
		_, port, _ = net.SplitHostPort(DefaultAddress)
	}
	if host == "" {
		host, _, _ = net.SplitHostPort(DefaultAddress)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("address %q: %q is no port", text, port)
	}
	return net.JoinHostPort(host, port), nil
}

// Listen opens a complete address. What the name resolved to decides whether it is guarded enough,
// not how it is spelled.
func Listen(ctx context.Context, address string, guarded bool) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !guarded && (!ok || !tcp.IP.IsLoopback()) {
		_ = ln.Close()
		return nil, fmt.Errorf("listen on %s: %w", address, ErrUnguarded)
	}
	return ln, nil
}

// Handler routes HTTP: the protocol and the health page, which says nothing worth guarding.
func Handler(protocol http.Handler, version string) (http.Handler, error) {
	health, err := json.Marshal(map[string]string{"status": "ok", "version": version})
	if err != nil {
		return nil, fmt.Errorf("encode health: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle(Path, protocol)
	mux.HandleFunc("GET "+HealthPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(append(health, '\n'))
	})
	return mux, nil
}

// finallyTimeout is how long requests may take to end when the server does; headerTime and bodyTime
// how long a client may take to send a request, idleTime until it sends the next one.
const (
	graceTime  = 3 * time.Second
	headerTime = 10 * time.Second
	bodyTime   = 30 * time.Second
	idleTime   = 5 * time.Minute
)

// ServeHTTP serves until ctx is done, then ends: no new requests, closing (which ends sessions and
// calls), and after finallyTimeout whatever is left is cut off. It closes ln.
func ServeHTTP(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger, closing func(context.Context) error) error {
	srv := &http.Server{
		Handler: Prompt(h, bodyTime), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve http: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- closing(grace) }()
	if err := srv.Shutdown(grace); err != nil {
		_ = srv.Close()
	}
	if err := <-closed; err != nil {
		log.Warn("sessions did not end in time", "error", err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		log.Warn("the listener failed while ending", "error", err)
	}
	return nil
}

// Prompt gives clients so long to send a request's body; whoever takes longer loses the connection.
// The time of the answer, which may be a stream, is not bounded.
func Prompt(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			conn := http.NewResponseController(w)
			_ = conn.SetReadDeadline(time.Now().Add(limit)) // what has no connection is not slow
			r.Body = &prompt{ReadCloser: r.Body, came: func() { _ = conn.SetReadDeadline(time.Time{}) }}
		}
		next.ServeHTTP(w, r)
	})
}

// prompt is a body that tells when it has come whole: the connection is read on from then, for its
// end.
type prompt struct {
	io.ReadCloser
	came func()
}

// Read reads the body.
func (p *prompt) Read(into []byte) (int, error) {
	n, err := p.ReadCloser.Read(into)
	if errors.Is(err, io.EOF) {
		p.came()
	}
	return n, err
}

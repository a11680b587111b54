// Package httpserver serves a handler of the protocol over HTTP: it listens where a token or the
// loopback interface keeps strangers out, adds a health page, bounds slow clients and ends in order.
//
// It must not know the protocol (mcpserver does), which program it is part of, or how flags are
// written.
package httpserver

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

// Path is where the protocol is served over HTTP; HealthPath answers whether the process is alive.
const (
	Path       = "/mcp"
	HealthPath = "/healthz"
)

// ErrUnguarded is returned for an address that other machines can reach when there is no token to
// keep them out.
var ErrUnguarded = errors.New("other machines can reach this address, so it needs a token")

// Address completes what an operator wrote with the host and port of def: a port alone gets the host,
// a host alone the port, and "" is def.
func Address(text, def string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	switch {
	case text == "":
		return def, nil
	case err == nil:
	case strings.Trim(text, "0123456789") == "":
		host, port = "", text
	default:
		host = strings.Trim(text, "[]")
		_, port, _ = net.SplitHostPort(def)
	}
	if host == "" {
		host, _, _ = net.SplitHostPort(def)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("address %q: %q is no port", text, port)
	}
	return net.JoinHostPort(host, port), nil
}

// Listen opens a complete address. guarded says that a token is demanded; without one, what the name
// resolved to must be a loopback address.
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

// Handler routes HTTP: the protocol at Path, and at HealthPath a page that needs no token.
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

// graceTime is how long requests may take to end when the server does; headerTime and bodyTime
// how long a client may take to send a request, idleTime until it sends the next one.
const (
	graceTime  = 3 * time.Second
	headerTime = 10 * time.Second
	bodyTime   = 30 * time.Second
	idleTime   = 5 * time.Minute
)

// Serve serves until ctx is done, then ends: no new requests, closing (which ends sessions and
// calls), and after graceTime whatever is left is cut off. It closes ln.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger, closing func(context.Context) error) error {
	srv := &http.Server{
		Handler: LimitBodyTime(h, bodyTime), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
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

// LimitBodyTime closes the connection of a client that takes longer than limit to send a request's
// body. The time of the answer, which may be a stream, is not bounded.
func LimitBodyTime(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			conn := http.NewResponseController(w)
			_ = conn.SetReadDeadline(time.Now().Add(limit)) // what has no connection is not slow
			r.Body = &timedBody{ReadCloser: r.Body, onEnd: func() { _ = conn.SetReadDeadline(time.Time{}) }}
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody calls onEnd when the whole body has arrived, so that the connection has no deadline while
// the answer is written.
type timedBody struct {
	io.ReadCloser
	onEnd func()
}

// Read reads the body.
func (b *timedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if errors.Is(err, io.EOF) {
		b.onEnd()
	}
	return n, err
}

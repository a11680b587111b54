package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// Redirect receives the redirect of the authorization server.
type Redirect struct {
	URL       string // of the redirect
	server    *http.Server
	mu        sync.Mutex
	state     string // the state that the redirect must repeat
	responses chan authorizationResponse
}

type authorizationResponse struct {
	result *auth.AuthorizationResult
	err    error
}

// Listen opens a listener for a redirect; address "" means any port.
func Listen(ctx context.Context, address string) (*Redirect, error) {
	if address == "" {
		address = "http://127.0.0.1:0/callback"
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return nil, errors.New("oauthRedirectUrl must be http://127.0.0.1:PORT/PATH")
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", u.Host)
	if err != nil {
		return nil, fmt.Errorf("listen for the redirect: %w", err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		_ = ln.Close()
		return nil, errors.New("oauthRedirectUrl must be a loopback address")
	} else if u.Port() == "0" {
		u.Host = fmt.Sprintf("%s:%d", u.Hostname(), tcp.Port)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	b := &Redirect{URL: u.String(), responses: make(chan authorizationResponse, 1)}
	b.server = &http.Server{Handler: http.HandlerFunc(b.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = b.server.Serve(ln) }()
	return b, nil
}

// Close ends the listening.
func (l *Redirect) Close() { _ = l.server.Close() }

// serve accepts the redirect. It ignores a request with another state.
func (l *Redirect) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	l.mu.Lock()
	isOwn := l.state != "" && q.Get("state") == l.state
	l.mu.Unlock()
	if !isOwn {
		http.Error(w, "This request belongs to another login.", http.StatusBadRequest)
		return
	}
	a := authorizationResponse{result: &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"),
		Iss: q.Get("iss")}}
	text := "You are logged in and may close this window."
	if code := q.Get("error"); code != "" || a.result.Code == "" {
		a.err = fmt.Errorf("the authorization server refused: %.100q",
			strings.TrimSpace(code+" "+q.Get("error_description")))
		text = "The login was refused. You may close this window."
	}
	select {
	case l.responses <- a:
	default:
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, text)
}

// Authorize opens the authorization URL and waits for the redirect.
func (l *Redirect) Authorize(ctx context.Context, address string,
	browse func(string) error) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the authorization URL is neither http nor https")
	}
	l.mu.Lock()
	l.state = u.Query().Get("state")
	l.mu.Unlock()
	if err := browse(address); err != nil {
		return nil, fmt.Errorf("open the authorization URL: %w", err)
	}
	select {
	case a := <-l.responses:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

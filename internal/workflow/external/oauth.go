package external

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
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// loginTimeout bounds the time that the user takes to log in.
const loginTimeout = 5 * time.Minute

// refreshTimeout bounds the refresh of a token.
const refreshTimeout = 30 * time.Second

// tokenSource returns and refreshes the access token of a server.
type tokenSource struct {
	server  *server
	address string
	client  *http.Client

	mu       sync.Mutex
	isLoaded bool
	grant    *grant // nil before a login
}

// token returns the access token, or "" before a login. rejected is a token that the server
// rejected, or "".
func (t *tokenSource) token(ctx context.Context, rejected string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	vault, alias := &t.server.reg.tokens, t.server.entry.Alias
	if !t.isLoaded {
		g, err := vault.load(alias, t.address)
		if err != nil {
			return "", err
		}
		t.isLoaded, t.grant = true, g
	}
	if t.grant == nil {
		return "", nil
	}
	if t.grant.Token.Valid() && t.grant.Token.AccessToken != rejected {
		return t.grant.Token.AccessToken, nil
	}
	err := vault.withLock(ctx, alias, t.address, func() error {
		g, err := vault.load(alias, t.address) // another process may have refreshed it
		if err != nil || g == nil {
			return errors.Join(err, t.server.loginRequired())
		}
		if t.grant = g; g.Token.Valid() && g.Token.AccessToken != rejected {
			return nil
		}
		if err := t.refresh(ctx, g); err != nil {
			return err
		}
		return vault.store(alias, t.address, g)
	})
	if err != nil {
		return "", err
	}
	return t.grant.Token.AccessToken, nil
}

func (t *tokenSource) refresh(ctx context.Context, g *grant) error {
	if g.Token.RefreshToken == "" {
		return t.server.loginRequired()
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, t.client), refreshTimeout)
	defer cancel()
	cfg := oauth2.Config{ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.AuthStyle}}
	fresh, err := cfg.TokenSource(ctx, &oauth2.Token{RefreshToken: g.Token.RefreshToken}).Token()
	if retrieve, ok := errors.AsType[*oauth2.RetrieveError](err); ok && retrieve.ErrorCode == "invalid_grant" {
		return t.server.loginRequired()
	}
	if err != nil {
		return errors.New("refresh the token: the request to the authorization server failed") // the response may contain the token
	}
	g.Token = fresh
	return nil
}

// loginRequired returns the error of a server that requires a login.
func (s *server) loginRequired() error {
	return errorf(s.entry.Alias, LoginRequired, "the server requires a login; run: callsheet workflow login %s",
		s.entry.Alias)
}

// Login logs the user in to a server by OAuth: authorization code with PKCE, with dynamic client
// registration unless the entry names a client. It passes the authorization URL to Config.Browse
// and receives the redirect on loopback. It stores the tokens encrypted. A server that requires no
// login is not an error.
func (r *Registry) Login(ctx context.Context, alias string) error {
	s, err := r.usableServer(alias)
	if err != nil {
		return err
	}
	if s.entry.Transport == config.Stdio {
		return errorf(alias, BadEntry, "%s: login applies only to servers over HTTP", s.entry.Pos)
	}
	if err := r.tokens.sealer.CheckKey(); err != nil { // before the user has to act
		return &Error{Alias: alias, Reason: LoginRequired, Err: err}
	}
	if r.cfg.Browse == nil {
		return errorf(alias, LoginRequired, "log in: no browser is available")
	}
	resolved, err := s.resolve()
	if err != nil {
		return &Error{Alias: alias, Reason: BadEntry, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginTimeout, fmt.Errorf("no login within %v", loginTimeout))
	defer cancel()
	if err := s.obtainGrant(ctx, resolved); err != nil {
		return s.newError("", fmt.Errorf("log in: %w", err))
	}
	s.mu.Lock()
	s.failures, s.retryAt = 0, time.Time{}
	s.mu.Unlock()
	return nil
}

func (s *server) obtainGrant(ctx context.Context, resolved config.Resolved) error {
	redirect, err := listenForRedirect(ctx, resolved.RedirectURL)
	if err != nil {
		return err
	}
	defer redirect.close()
	client := &http.Client{Transport: &serverTransport{next: s.reg.transport(), limit: s.entry.MaxResult}}
	var got *grant
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:           redirect.url,
		RequestRefreshToken:   true,
		AcceptUnadvertisedIss: true,
		Client:                client,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult,
			error) {
			return redirect.authorize(ctx, args.URL, s.reg.cfg.Browse)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			got = &grant{TokenURL: c.Endpoint.TokenURL, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
				AuthStyle: c.Endpoint.AuthStyle, Scopes: c.Scopes, Token: token}
			return oauth2.StaticTokenSource(token), nil
		},
	}
	s.setClientIdentity(cfg, resolved)
	handler, err := auth.NewAuthorizationCodeHandler(cfg)
	if err != nil {
		return err
	}
	withHeaders := &http.Client{Transport: &serverTransport{next: s.reg.transport(),
		baseURL: parseBaseURL(resolved), headers: resolved.Headers, limit: s.entry.MaxResult}}
	c := newConnection(s, func() {})
	err = c.handshake(ctx, &mcp.StreamableClientTransport{Endpoint: resolved.URL, HTTPClient: withHeaders,
		OAuthHandler: handler, DisableStandaloneSSE: true}, s.entry.Protocol == config.Legacy)
	if err == nil {
		c.close(errors.New("logged in"))
	}
	if got == nil {
		return c.withStderr(ctx, err)
	}
	// The grant is valid even if the server then failed for another reason.
	return s.reg.tokens.withLock(context.WithoutCancel(ctx), s.entry.Alias, resolved.URL, func() error {
		return s.reg.tokens.store(s.entry.Alias, resolved.URL, got)
	})
}

// setClientIdentity selects the OAuth client: a preregistered one, one with a metadata document, or
// dynamic registration.
func (s *server) setClientIdentity(cfg *auth.AuthorizationCodeHandlerConfig, resolved config.Resolved) {
	entry := s.entry.OAuth
	if entry.Scope != "" {
		cfg.ScopeFilter = func([]string) []string { return strings.Fields(entry.Scope) }
	}
	if resolved.ClientID != "" {
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: resolved.ClientID}
		if resolved.ClientSecret != "" {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: resolved.ClientSecret}
		}
		return
	}
	if resolved.MetadataURL != "" {
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: resolved.MetadataURL}
	}
	name := entry.ClientName
	if name == "" {
		name = "Callsheet"
	}
	cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		ClientName: name, RedirectURIs: []string{cfg.RedirectURL}, Scope: entry.Scope, TokenEndpointAuthMethod: "none",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	}}
}

// redirectListener receives the redirect of the authorization server.
type redirectListener struct {
	url       string
	server    *http.Server
	mu        sync.Mutex
	state     string // the state that the redirect must repeat
	responses chan authorizationResponse
}

type authorizationResponse struct {
	result *auth.AuthorizationResult
	err    error
}

// listenForRedirect opens the listener; address "" means any port.
func listenForRedirect(ctx context.Context, address string) (*redirectListener, error) {
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
	b := &redirectListener{url: u.String(), responses: make(chan authorizationResponse, 1)}
	b.server = &http.Server{Handler: http.HandlerFunc(b.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = b.server.Serve(ln) }()
	return b, nil
}

func (l *redirectListener) close() { _ = l.server.Close() }

// serve accepts the redirect. It ignores a request with another state.
func (l *redirectListener) serve(w http.ResponseWriter, r *http.Request) {
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

// authorize opens the authorization URL and waits for the redirect.
func (l *redirectListener) authorize(ctx context.Context, address string,
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

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

// loginTime is how long a person may take to log in.
const loginTime = 5 * time.Minute

// refreshTime is how long renewing a token may take.
const refreshTime = 30 * time.Second

// tokens gives the access token of a server and renews it.
type tokens struct {
	s       *server
	address string
	client  *http.Client

	mu   sync.Mutex
	read bool
	last *grant // nil when there was no login
}

// token is the access token, or "" when there was no login. refused is one that the server would not take, or "".
func (t *tokens) token(ctx context.Context, refused string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	vault, alias := &t.s.reg.vault, t.s.entry.Alias
	if !t.read {
		g, err := vault.load(alias, t.address)
		if err != nil {
			return "", err
		}
		t.read, t.last = true, g
	}
	if t.last == nil {
		return "", nil
	}
	if t.last.Token.Valid() && t.last.Token.AccessToken != refused {
		return t.last.Token.AccessToken, nil
	}
	err := vault.exclusive(alias, t.address, func() error {
		g, err := vault.load(alias, t.address) // another process may have renewed it
		if err != nil || g == nil {
			return errors.Join(err, t.s.login())
		}
		if t.last = g; g.Token.Valid() && g.Token.AccessToken != refused {
			return nil
		}
		if err := t.renew(ctx, g); err != nil {
			return err
		}
		return vault.store(alias, t.address, g)
	})
	if err != nil {
		return "", err
	}
	return t.last.Token.AccessToken, nil
}

func (t *tokens) renew(ctx context.Context, g *grant) error {
	if g.Token.RefreshToken == "" {
		return t.s.login()
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, t.client), refreshTime)
	defer cancel()
	cfg := oauth2.Config{ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.AuthStyle}}
	fresh, err := cfg.TokenSource(ctx, &oauth2.Token{RefreshToken: g.Token.RefreshToken}).Token()
	if retrieve, ok := errors.AsType[*oauth2.RetrieveError](err); ok && retrieve.ErrorCode == "invalid_grant" {
		return t.s.login()
	}
	if err != nil {
		return errors.New("renew the token: the authorization server could not be asked") // its answer may hold the token
	}
	g.Token = fresh
	return nil
}

// login is the error of a server that wants one.
func (s *server) login() error {
	return errf(s.entry.Alias, LoginRequired, "the server wants a login; run: callsheet workflow login %s", s.entry.Alias)
}

// Login logs the user in to a server by OAuth: authorization code with PKCE, the client registered at the authorization
// server unless the entry names one. Config.Browse is given the address at which the user agrees; the answer comes to a
// listener on loopback. The tokens are kept encrypted. A server that wants no login is fine.
func (r *Registry) Login(ctx context.Context, alias string) error {
	s, err := r.server(alias)
	if err != nil {
		return err
	}
	if s.entry.Transport == config.Stdio {
		return errf(alias, BadEntry, "%s: a server that is a process logs in by itself", s.entry.Pos)
	}
	if err := r.vault.sealer.Ready(); err != nil { // before the user is bothered
		return &Error{Alias: alias, Kind: LoginRequired, Err: err}
	}
	if r.cfg.Browse == nil {
		return errf(alias, LoginRequired, "log in: there is no way to show the user an address")
	}
	resolved, err := s.resolve()
	if err != nil {
		return &Error{Alias: alias, Kind: BadEntry, Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime, fmt.Errorf("nobody logged in within %v", loginTime))
	defer cancel()
	if err := s.logIn(ctx, resolved); err != nil {
		return s.fail("", fmt.Errorf("log in: %w", err))
	}
	s.mu.Lock()
	s.failures, s.retryAt = 0, time.Time{}
	s.mu.Unlock()
	return nil
}

func (s *server) logIn(ctx context.Context, resolved config.Resolved) error {
	back, err := listen(ctx, resolved.RedirectURL)
	if err != nil {
		return err
	}
	defer back.close()
	client := &http.Client{Transport: &bounded{next: http.DefaultTransport, limit: s.entry.MaxResult}}
	var got *grant
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:           back.url,
		RequestRefreshToken:   true,
		AcceptUnadvertisedIss: true,
		Client:                client,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			return back.fetch(ctx, args.URL, s.reg.cfg.Browse)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			got = &grant{TokenURL: c.Endpoint.TokenURL, ClientID: c.ClientID, ClientSecret: c.ClientSecret, AuthStyle: c.Endpoint.AuthStyle, Scopes: c.Scopes, Token: token}
			return oauth2.StaticTokenSource(token), nil
		},
	}
	s.identify(cfg, resolved)
	handler, err := auth.NewAuthorizationCodeHandler(cfg)
	if err != nil {
		return err
	}
	withHeaders := &http.Client{Transport: &bounded{next: http.DefaultTransport, home: homeOf(resolved), headers: resolved.Headers, limit: s.entry.MaxResult}}
	c := newConnection(s, func() {})
	err = c.handshake(ctx, &mcp.StreamableClientTransport{Endpoint: resolved.URL, HTTPClient: withHeaders, OAuthHandler: handler, DisableStandaloneSSE: true}, s.entry.Protocol == config.Legacy)
	if err == nil {
		c.close(errors.New("logged in"))
	}
	if got == nil {
		return c.explain(ctx, err)
	}
	// The grant is good even if the server then failed for another reason.
	return s.reg.vault.exclusive(s.entry.Alias, resolved.URL, func() error {
		return s.reg.vault.store(s.entry.Alias, resolved.URL, got)
	})
}

// identify says who the client is: one that the operator registered, one that a document describes, or one that is
// registered now.
func (s *server) identify(cfg *auth.AuthorizationCodeHandlerConfig, resolved config.Resolved) {
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

// redirect is the listener to which the authorization server sends the user back.
type redirect struct {
	url    string
	server *http.Server
	mu     sync.Mutex
	state  string // what the answer must repeat
	answer chan answer
}

type answer struct {
	result *auth.AuthorizationResult
	err    error
}

// listen opens the listener; address "" means any port.
func listen(ctx context.Context, address string) (*redirect, error) {
	if address == "" {
		address = "http://127.0.0.1:0/callback"
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return nil, errors.New("oauthRedirectUrl must be http://127.0.0.1:PORT/PATH")
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", u.Host)
	if err != nil {
		return nil, fmt.Errorf("listen for the answer: %w", err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		_ = ln.Close()
		return nil, errors.New("oauthRedirectUrl must be on this machine alone")
	} else if u.Port() == "0" {
		u.Host = fmt.Sprintf("%s:%d", u.Hostname(), tcp.Port)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	b := &redirect{url: u.String(), answer: make(chan answer, 1)}
	b.server = &http.Server{Handler: http.HandlerFunc(b.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = b.server.Serve(ln) }()
	return b, nil
}

func (b *redirect) close() { _ = b.server.Close() }

// serve takes the answer. One that does not repeat our state is from somebody else and changes nothing.
func (b *redirect) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	b.mu.Lock()
	ours := b.state != "" && q.Get("state") == b.state
	b.mu.Unlock()
	if !ours {
		http.Error(w, "This is not the login that was begun.", http.StatusBadRequest)
		return
	}
	a := answer{result: &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}}
	text := "You are logged in and may close this window."
	if code := q.Get("error"); code != "" || a.result.Code == "" {
		a.err = fmt.Errorf("the authorization server refused: %.100q", strings.TrimSpace(code+" "+q.Get("error_description")))
		text = "The login was refused. You may close this window."
	}
	select {
	case b.answer <- a:
	default:
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, text)
}

// fetch shows the user the address and waits for the answer.
func (b *redirect) fetch(ctx context.Context, address string, browse func(string) error) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the authorization server's address is not one of the web")
	}
	b.mu.Lock()
	b.state = u.Query().Get("state")
	b.mu.Unlock()
	if err := browse(address); err != nil {
		return nil, fmt.Errorf("show the address: %w", err)
	}
	select {
	case a := <-b.answer:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

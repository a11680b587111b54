package external

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/callsheet/callsheet/internal/workflow/external/config"
	"github.com/callsheet/callsheet/internal/workflow/external/oauth"
)

// loginTimeout bounds the time that the user takes to log in.
const loginTimeout = 5 * time.Minute

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
	if err := r.tokens.Sealer.CheckKey(); err != nil { // before the user has to act
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
	redirect, err := oauth.Listen(ctx, resolved.RedirectURL)
	if err != nil {
		return err
	}
	defer redirect.Close()
	client := &http.Client{Transport: &serverTransport{next: s.reg.transport(), limit: s.entry.MaxResult}}
	var got *oauth.Grant
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:           redirect.URL,
		RequestRefreshToken:   true,
		AcceptUnadvertisedIss: true,
		Client:                client,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult,
			error) {
			return redirect.Authorize(ctx, args.URL, s.reg.cfg.Browse)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			got = &oauth.Grant{TokenURL: c.Endpoint.TokenURL, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
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
	return s.reg.tokens.WithLock(context.WithoutCancel(ctx), s.entry.Alias, resolved.URL, func() error {
		return s.reg.tokens.Save(s.entry.Alias, resolved.URL, got)
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

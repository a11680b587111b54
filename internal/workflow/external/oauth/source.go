// Package oauth has the grants of logins at servers: it keeps them encrypted, refreshes their tokens, and receives the
// redirect of a login.
//
// It must not know how a server is called, nor what its tools are.
package oauth

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// refreshTimeout bounds the refresh of a token.
const refreshTimeout = 30 * time.Second

// Source returns and refreshes the access token of a server.
type Source struct {
	Store    *Store
	Alias    string
	Address  string
	Client   *http.Client
	Required func() error // makes the error of a server that wants a login

	mu       sync.Mutex
	isLoaded bool
	grant    *Grant // nil before a login
}

// Token returns the access token, or "" before a login. rejected is a token that the server
// rejected, or "".
func (t *Source) Token(ctx context.Context, rejected string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isLoaded {
		g, err := t.Store.Load(t.Alias, t.Address)
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
	err := t.Store.WithLock(ctx, t.Alias, t.Address, func() error {
		g, err := t.Store.Load(t.Alias, t.Address) // another process may have refreshed it
		if err != nil || g == nil {
			return errors.Join(err, t.Required())
		}
		if t.grant = g; g.Token.Valid() && g.Token.AccessToken != rejected {
			return nil
		}
		if err := t.refresh(ctx, g); err != nil {
			return err
		}
		return t.Store.Save(t.Alias, t.Address, g)
	})
	if err != nil {
		return "", err
	}
	return t.grant.Token.AccessToken, nil
}

func (t *Source) refresh(ctx context.Context, g *Grant) error {
	if g.Token.RefreshToken == "" {
		return t.Required()
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, t.Client), refreshTimeout)
	defer cancel()
	cfg := oauth2.Config{ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.AuthStyle}}
	fresh, err := cfg.TokenSource(ctx, &oauth2.Token{RefreshToken: g.Token.RefreshToken}).Token()
	if retrieve, ok := errors.AsType[*oauth2.RetrieveError](err); ok && retrieve.ErrorCode == "invalid_grant" {
		return t.Required()
	}
	if err != nil {
		return errors.New("refresh the token: the request to the authorization server failed") // the response may contain the token
	}
	g.Token = fresh
	return nil
}

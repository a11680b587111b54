package httpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// The limits of an answer, in bytes: of one that is a result, and of what is quoted from the body of
// one that is an error.
const (
	MaxResult = 16 << 20
	MaxError  = 8 << 10
)

// maxRedirects is how many redirects within a server are followed.
const maxRedirects = 5

// Secret is the value of an environment variable; Value is "" when it is not set.
type Secret struct{ Variable, Value string }

// Options say which server is called.
type Options struct {
	Server  string            // address that paths are added to
	Headers map[string]string // sent with each request
	Secrets map[string]Secret // by the name of the scheme
	Hidden  []string          // further secrets, which headers have
}

// Client calls the operations of one interface. It is safe for concurrent use.
type Client struct {
	opt    Options
	http   *http.Client
	hidden []string // forms of secrets that results must not have
}

// New makes a client; it connects when it is called.
func New(opt Options) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 1 << 20
	transport.IdleConnTimeout = time.Minute
	c := &Client{opt: opt, hidden: hidden(opt)}
	c.http = &http.Client{Transport: transport, CheckRedirect: sameServer}
	return c
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// redirectError says that a redirect was not followed.
type redirectError struct{ to, why string }

func (e *redirectError) Error() string {
	return fmt.Sprintf("the server redirects to %s, %s; it was not followed", e.to, e.why)
}

// sameServer follows redirects within a server: another one would get the credentials.
func sameServer(req *http.Request, via []*http.Request) error {
	first, to := via[0].URL, *req.URL
	to.RawQuery, to.User, to.Fragment = "", nil, ""
	switch {
	case first.Scheme != to.Scheme || first.Host != to.Host:
		return &redirectError{to.String(), "which is another server"}
	case len(via) > maxRedirects:
		return &redirectError{to.String(), fmt.Sprintf("after %d redirects", maxRedirects)}
	case via[0].Method != http.MethodGet && via[0].Method != http.MethodHead:
		return &redirectError{to.String(), "and a request that may change something is not repeated"}
	}
	return nil
}

// Call sends the request of an operation and returns the result as the protocol has it. A status other
// than 2xx is a result with isError. An error says that there is no answer; it never has a secret.
func (c *Client) Call(ctx context.Context, op *Operation, raw json.RawMessage) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fmt.Errorf("the arguments are no object: %w", err)
		}
	}
	req, err := c.request(ctx, op, args)
	if err != nil {
		return nil, withoutURL(err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxResult+1))
	if err != nil {
		return nil, fmt.Errorf("the answer breaks off: %w", err)
	}
	return c.result(op, resp, body), nil
}

// withoutURL takes the address out of an error: its query may have a secret.
func withoutURL(err error) error {
	var at *url.Error
	if !errors.As(err, &at) {
		return err
	}
	var redirect *redirectError
	if errors.As(at.Err, &redirect) {
		return redirect
	}
	return at.Err
}

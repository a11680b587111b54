package external

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/workflow/external/config"
	"github.com/callsheet/callsheet/internal/workflow/external/oauth"
)

// dial connects over HTTP: Streamable HTTP first and then, unless the entry says otherwise, the
// older SSE transport.
func (s *server) dial(ctx context.Context, resolved config.Resolved) (*connection, error) {
	transport := &serverTransport{next: s.reg.transport(), baseURL: parseBaseURL(resolved),
		headers: resolved.Headers, limit: s.entry.MaxResult, loginRequired: s.loginRequired}
	if resolved.Headers["Authorization"] == "" {
		plain := &http.Client{Transport: &serverTransport{next: s.reg.transport(), limit: s.entry.MaxResult}}
		transport.tokens = &oauth.Source{Store: &s.reg.tokens, Alias: s.entry.Alias, Address: resolved.URL, Client: plain, Required: s.loginRequired}
	}
	client := &http.Client{Transport: transport}
	open := func(t mcp.Transport) (*connection, error) {
		c := newConnection(s, func() {})
		c.sawTooLarge = &transport.sawTooLarge
		if err := c.handshake(ctx, t, s.entry.Protocol == config.Legacy); err != nil {
			return nil, c.withStderr(ctx, err)
		}
		return c, nil
	}
	sse := &mcp.SSEClientTransport{Endpoint: resolved.URL, HTTPClient: client, MaxEventSize: s.entry.MaxResult}
	if s.entry.Transport == config.SSE {
		return open(sse)
	}
	c, err := open(&mcp.StreamableClientTransport{Endpoint: resolved.URL, HTTPClient: client,
		MaxEventSize: s.entry.MaxResult})
	if err == nil || s.entry.Transport == config.Streamable || ctx.Err() != nil || ReasonOf(err) == LoginRequired {
		return c, err
	}
	if c, sseErr := open(sse); sseErr == nil {
		return c, nil
	}
	return nil, err
}

// serverTransport is the RoundTripper for all requests of one server. It adds the headers and the
// token of the entry and bounds responses.
type serverTransport struct {
	next          http.RoundTripper
	baseURL       *url.URL          // the server's own URL
	headers       map[string]string // sent only to the server's own address, not to a redirect target
	limit         int
	sawTooLarge   atomic.Bool   // a response that belongs to no single call was too large
	tokens        *oauth.Source // for the own address only; nil if the entry has its own Authorization
	loginRequired func() error  // returns the error for 401 Unauthorized; nil passes the response on
}

// RoundTrip sends a request. It repeats a request once with a fresh token after 401 Unauthorized.
func (s *serverTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil && s.tokens != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	rejected := ""
	for isRetry := false; ; isRetry = true {
		resp, sent, err := s.send(req, body, rejected)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusUnauthorized || s.loginRequired == nil || s.tokens == nil {
			cancel, _ := req.Context().Value(callKey{}).(context.CancelCauseFunc)
			resp.Body = &limitedBody{ReadCloser: resp.Body, limit: s.limit, cancel: cancel, sawTooLarge: &s.sawTooLarge}
			return resp, nil
		}
		_ = resp.Body.Close()
		if isRetry || sent == "" {
			return nil, s.loginRequired()
		}
		rejected = sent
	}
}

// send adds headers and token and sends the request. It returns the token that it sent.
func (s *serverTransport) send(req *http.Request, body []byte, rejected string) (resp *http.Response, token string,
	err error) {
	out := req.Clone(req.Context())
	if body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	if !s.isOwnAddress(req.URL) {
		resp, err = s.next.RoundTrip(out)
		return resp, "", err
	}
	if s.tokens != nil {
		if token, err = s.tokens.Token(req.Context(), rejected); err != nil {
			return nil, "", err
		}
		if token != "" {
			out.Header.Set("Authorization", "Bearer "+token)
		}
	}
	for k, v := range s.headers {
		out.Header.Set(k, v)
	}
	resp, err = s.next.RoundTrip(out)
	return resp, token, err
}

// parseBaseURL parses the URL of an entry; nil matches no request.
func parseBaseURL(resolved config.Resolved) *url.URL {
	u, err := url.Parse(resolved.URL)
	if err != nil {
		return nil
	}
	return u
}

// isOwnAddress reports whether a URL has the server's host, with the same scheme and port or
// upgraded to https.
func (s *serverTransport) isOwnAddress(u *url.URL) bool {
	if s.baseURL == nil || !strings.EqualFold(u.Hostname(), s.baseURL.Hostname()) {
		return false
	}
	return u.Scheme == s.baseURL.Scheme && portOf(u) == portOf(s.baseURL) || u.Scheme == "https" &&
		s.baseURL.Scheme == "http"
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" || u.Scheme != "https" && u.Scheme != "http" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// limitedBody fails if a line exceeds the limit. A JSON response is one or few lines, and so is an
// event of a stream; a stream may have any length.
type limitedBody struct {
	io.ReadCloser
	limit       int
	line        int
	cancel      context.CancelCauseFunc // cancels the call; may be nil
	sawTooLarge *atomic.Bool
	broken      bool
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.broken {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p)
	for chunk := p[:n]; len(chunk) > 0; {
		i := bytes.IndexByte(chunk, '\n')
		if i < 0 {
			b.line += len(chunk)
			chunk = nil
		} else {
			b.line += i
			chunk = chunk[i+1:]
		}
		if b.line > b.limit {
			b.broken = true
			if b.cancel != nil {
				b.cancel(errTooLarge)
			} else {
				b.sawTooLarge.Store(true)
			}
			return 0, errTooLarge
		}
		if i >= 0 {
			b.line = 0
		}
	}
	return n, err
}

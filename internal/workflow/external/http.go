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
)

// dial reaches a server over HTTP: Streamable HTTP first and, unless the entry says which, the older transport after it.
func (s *server) dial(ctx context.Context, resolved config.Resolved) (*connection, error) {
	via := &serverTransport{next: http.DefaultTransport, baseURL: parseBaseURL(resolved), headers: resolved.Headers, limit: s.entry.MaxResult, loginRequired: s.loginRequired}
	if resolved.Headers["Authorization"] == "" {
		plain := &http.Client{Transport: &serverTransport{next: http.DefaultTransport, limit: s.entry.MaxResult}}
		via.tokens = &tokenSource{server: s, address: resolved.URL, client: plain}
	}
	client := &http.Client{Transport: via}
	open := func(t mcp.Transport) (*connection, error) {
		c := newConnection(s, func() {})
		c.sawTooLarge = &via.sawTooLarge
		if err := c.handshake(ctx, t, s.entry.Protocol == config.Legacy); err != nil {
			return nil, c.withStderr(ctx, err)
		}
		return c, nil
	}
	older := &mcp.SSEClientTransport{Endpoint: resolved.URL, HTTPClient: client, MaxEventSize: s.entry.MaxResult}
	if s.entry.Transport == config.SSE {
		return open(older)
	}
	c, err := open(&mcp.StreamableClientTransport{Endpoint: resolved.URL, HTTPClient: client, MaxEventSize: s.entry.MaxResult})
	if err == nil || s.entry.Transport == config.Streamable || ctx.Err() != nil || ReasonOf(err) == LoginRequired {
		return c, err
	}
	if c, second := open(older); second == nil {
		return c, nil
	}
	return nil, err
}

// serverTransport is what all HTTP of a server goes through: it adds the entry's headers and the token, and bounds what comes
// back.
type serverTransport struct {
	next          http.RoundTripper
	baseURL       *url.URL          // the server's own address
	headers       map[string]string // for requests to it, and to no other server that it sends us on to
	limit         int
	sawTooLarge   atomic.Bool  // an answer that came on a stream of no one call was larger than the limit
	tokens        *tokenSource // for it alone too; nil where the entry has its own Authorization
	loginRequired func() error // what a refusal for want of a login becomes; nil where it stays an answer
}

// RoundTrip sends a request. One that is refused for its token is sent again with a new one, once.
func (b *serverTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil && b.tokens != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	refused := ""
	for again := false; ; again = true {
		resp, sent, err := b.send(req, body, refused)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusUnauthorized || b.loginRequired == nil || b.tokens == nil {
			cancel, _ := req.Context().Value(callKey{}).(context.CancelCauseFunc)
			resp.Body = &limitedBody{ReadCloser: resp.Body, limit: b.limit, cancel: cancel, sawTooLarge: &b.sawTooLarge}
			return resp, nil
		}
		_ = resp.Body.Close()
		if again || sent == "" {
			return nil, b.loginRequired()
		}
		refused = sent
	}
}

// send sends the request as it must look, and says which token was with it.
func (b *serverTransport) send(req *http.Request, body []byte, refused string) (resp *http.Response, token string, err error) {
	out := req.Clone(req.Context())
	if body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	if !b.isOwnAddress(req.URL) {
		resp, err = b.next.RoundTrip(out)
		return resp, "", err
	}
	if b.tokens != nil {
		if token, err = b.tokens.token(req.Context(), refused); err != nil {
			return nil, "", err
		}
		if token != "" {
			out.Header.Set("Authorization", "Bearer "+token)
		}
	}
	for k, v := range b.headers {
		out.Header.Set(k, v)
	}
	resp, err = b.next.RoundTrip(out)
	return resp, token, err
}

// parseBaseURL is the address of a resolved entry; nil for one that is none, which no request gets to.
func parseBaseURL(resolved config.Resolved) *url.URL {
	u, err := url.Parse(resolved.URL)
	if err != nil {
		return nil
	}
	return u
}

// isOwnAddress reports whether an address is the server's own: its host by the same way, or by TLS where it began without.
func (b *serverTransport) isOwnAddress(u *url.URL) bool {
	if b.baseURL == nil || !strings.EqualFold(u.Hostname(), b.baseURL.Hostname()) {
		return false
	}
	return u.Scheme == b.baseURL.Scheme && portOf(u) == portOf(b.baseURL) || u.Scheme == "https" && b.baseURL.Scheme == "http"
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" || u.Scheme != "https" && u.Scheme != "http" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// limitedBody ends with an error where a line is longer than the limit. A JSON answer is one line or a few, an event of a
// stream as well; a stream as a whole may be as long as it likes.
type limitedBody struct {
	io.ReadCloser
	limit       int
	line        int
	cancel      context.CancelCauseFunc // of the call, or nil
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

package external

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/external/servers"
)

// dial reaches a server over HTTP: Streamable HTTP first and, unless the entry says which, the older transport after it.
func (s *server) dial(ctx context.Context, resolved servers.Resolved) (*connection, error) {
	via := &bounded{next: http.DefaultTransport, headers: resolved.Headers, limit: s.entry.MaxResult, login: s.login}
	if resolved.Headers["Authorization"] == "" {
		plain := &http.Client{Transport: &bounded{next: http.DefaultTransport, limit: s.entry.MaxResult}}
		via.tokens = &tokens{s: s, address: resolved.URL, client: plain}
	}
	client := &http.Client{Transport: via}
	open := func(t mcp.Transport) (*connection, error) {
		c := &connection{s: s, done: make(chan struct{}), end: func() {}, large: &via.large}
		if err := c.handshake(ctx, t, s.entry.Protocol == servers.Legacy); err != nil {
			return nil, c.explain(ctx, err)
		}
		return c, nil
	}
	older := &mcp.SSEClientTransport{Endpoint: resolved.URL, HTTPClient: client, MaxEventSize: s.entry.MaxResult}
	if s.entry.Transport == servers.SSE {
		return open(older)
	}
	c, err := open(&mcp.StreamableClientTransport{Endpoint: resolved.URL, HTTPClient: client, MaxEventSize: s.entry.MaxResult})
	if err == nil || s.entry.Transport == servers.Streamable || ctx.Err() != nil || KindOf(err) == LoginRequired {
		return c, err
	}
	if c, second := open(older); second == nil {
		return c, nil
	}
	return nil, err
}

// bounded is what all HTTP of a server goes through: it adds the entry's headers and the token, and bounds what comes
// back.
type bounded struct {
	next    http.RoundTripper
	headers map[string]string
	limit   int
	large   atomic.Bool  // an answer that came on a stream of no one call was larger than the limit
	tokens  *tokens      // nil where the entry has its own Authorization
	login   func() error // what a refusal for want of a login becomes; nil where it stays an answer
}

// RoundTrip sends a request. One that is refused for its token is sent again with a new one, once.
func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
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
		if resp.StatusCode != http.StatusUnauthorized || b.login == nil || b.tokens == nil {
			cancel, _ := req.Context().Value(callKey{}).(context.CancelCauseFunc)
			resp.Body = &boundedBody{ReadCloser: resp.Body, limit: b.limit, cancel: cancel, large: &b.large}
			return resp, nil
		}
		_ = resp.Body.Close()
		if again || sent == "" {
			return nil, b.login()
		}
		refused = sent
	}
}

// send sends the request as it must look, and says which token was with it.
func (b *bounded) send(req *http.Request, body []byte, refused string) (resp *http.Response, token string, err error) {
	out := req.Clone(req.Context())
	if body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
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

// boundedBody ends with an error where a line is longer than the limit. A JSON answer is one line or a few, an event of a
// stream as well; a stream as a whole may be as long as it likes.
type boundedBody struct {
	io.ReadCloser
	limit  int
	line   int
	cancel context.CancelCauseFunc // of the call, or nil
	large  *atomic.Bool
	broken bool
}

func (b *boundedBody) Read(p []byte) (int, error) {
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
				b.large.Store(true)
			}
			return 0, errTooLarge
		}
		if i >= 0 {
			b.line = 0
		}
	}
	return n, err
}

package remote

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// overHTTP reaches a server of streamable HTTP.
func overHTTP(address string, header http.Header) (mcp.Transport, *headers, error) {
	endpoint, err := url.Parse(address)
	if err != nil || endpoint.Host == "" {
		return nil, nil, fmt.Errorf("%q is no address with a host, as http://127.0.0.1:8080/mcp is", address)
	}
	h := &headers{of: header, host: endpoint.Host}
	return &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: h}, DisableStandaloneSSE: true}, h, nil
}

// headers adds headers to each request: those of the caller, unless a redirect leads to another host, and the revision
// of the protocol, which the SDK adds only for its own sessions.
type headers struct {
	of       http.Header
	host     string
	revision atomic.Value // string: what was negotiated
	refusal  atomic.Value // string: the last answer with an error status
}

const revisionHeader = "Mcp-Protocol-Version"

// RoundTrip implements http.RoundTripper.
func (h *headers) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if req.URL.Host == h.host {
		for name, values := range h.of {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	if revision, ok := h.revision.Load().(string); ok && req.Header.Get(revisionHeader) == "" {
		req.Header.Set(revisionHeader, revision)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || resp.StatusCode < http.StatusBadRequest || req.Method != http.MethodPost {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	_ = resp.Body.Close() // it is read
	if err != nil {
		return nil, err
	}
	h.refusal.Store(refusal(resp, body))
	if req.Header.Get("Mcp-Session-Id") != "" && isSessionLost(resp.StatusCode, body) {
		resp.StatusCode, resp.Status, body = http.StatusNotFound, "404 Not Found", nil
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// isSessionLost reports whether a server does not know the session. The protocol has it say so by 404 without a body,
// but many servers send an error of JSON-RPC with status 404 or 400, after which the SDK keeps the connection.
func isSessionLost(status int, body []byte) bool {
	return status == http.StatusNotFound || status == http.StatusBadRequest && bytes.Contains(bytes.ToLower(body), []byte("session"))
}

// Bounds of what is read of the body of a refusal, and of what an error quotes of it, in bytes.
const (
	maxRefusal = 64 << 10
	maxQuoted  = 300
)

// refusal is the status with the beginning of the body.
func refusal(resp *http.Response, body []byte) string {
	text := resp.Status
	if at := resp.Header.Get("WWW-Authenticate"); at != "" {
		text += " (" + at + ")"
	}
	if body = bytes.TrimSpace(body[:min(len(body), maxQuoted)]); len(body) > 0 {
		text += fmt.Sprintf(" %q", body)
	}
	return text
}

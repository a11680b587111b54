package remote

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// readHTTP reads a server of streamable HTTP.
func readHTTP(ctx context.Context, src Source, opts Options) (*Server, error) {
	endpoint, err := url.Parse(src.URL)
	if err != nil || endpoint.Host == "" {
		return nil, fmt.Errorf("it is no URL with a host, as http://127.0.0.1:8080/mcp is")
	}
	client := &http.Client{}
	if opts.Client != nil {
		copied := *opts.Client
		client = &copied
	}
	record := newRecorder()
	client.Transport = &recordingTripper{next: client.Transport, record: record, header: opts.Header, host: endpoint.Host}
	s, err := readSession(ctx, &mcp.StreamableClientTransport{Endpoint: src.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true}, record, opts)
	if answer := record.lastRefusal(); err != nil && answer != "" {
		return nil, fmt.Errorf("the server answers %s: %w", answer, err)
	}
	return s, err
}

// recordingTripper adds headers to requests and records messages in both directions.
type recordingTripper struct {
	next   http.RoundTripper // nil is the default
	record *recorder
	header http.Header
	host   string // that gets the headers
}

func (t *recordingTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		_ = req.Body.Close() // it is read
		if err != nil {
			return nil, err
		}
		t.record.sent(body)
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	if req.URL.Host == t.host && len(t.header) > 0 {
		req = req.Clone(req.Context())
		for name, values := range t.header {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest && req.Method == http.MethodPost {
		t.record.refused(refusal(resp))
		return resp, nil
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	resp.Body = &recordingBody{ReadCloser: resp.Body, record: t.record, events: kind == "text/event-stream"}
	return resp, nil
}

// maxRefusal is how many bytes of an error's body are quoted.
const maxRefusal = 300

// refusal is the status with the beginning of the body, which can still be read afterwards.
func refusal(resp *http.Response) string {
	begin, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // a part is better than nothing
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body}
	text := resp.Status
	if at := resp.Header.Get("WWW-Authenticate"); at != "" {
		text += " (" + at + ")"
	}
	if begin = bytes.TrimSpace(begin); len(begin) > 0 {
		text += fmt.Sprintf(" %q", begin)
	}
	return text
}

// recordingBody records the messages of a body while it is read: the body is one, or each event is one.
type recordingBody struct {
	io.ReadCloser
	record *recorder
	events bool
	line   []byte // unfinished; for a body without events, all of it
	data   []byte // of the event so far
}

func (b *recordingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.line = append(b.line, p[:n]...)
	switch {
	case b.events:
		b.cut()
		if err != nil && len(b.data) > 0 {
			b.record.received(b.data)
			b.data = nil
		}
	case err != nil:
		b.record.received(b.line)
		b.line = nil
	}
	return n, err
}

// cut takes the complete lines: "data:" lines belong to an event, and an empty line ends it.
func (b *recordingBody) cut() {
	for {
		line, rest, ok := bytes.Cut(b.line, []byte("\n"))
		if !ok {
			return
		}
		b.line = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			b.record.received(b.data)
			b.data = nil
		} else if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			b.data = append(append(b.data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
		}
	}
}

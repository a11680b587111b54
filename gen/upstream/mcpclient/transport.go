package mcpclient

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/processgroup"
)

// Options say which server is called. One of Command and URL is set.
type Options struct {
	Command     []string          // program and arguments
	Environment []string          // NAME=value, added to the variables of the system
	Dir         string            // working directory of the program; "" is the present one
	Stderr      io.Writer         // gets what the program writes to standard error; nil discards it
	URL         string            // address of a server over HTTP
	Headers     map[string]string // sent with each request
	Changed     func()            // called when the server says that its list has changed; must not block; may be nil
}

// systemVariables are those that a program gets of the environment: what it needs to run at all.
var systemVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TMP", "TEMP",
	"SystemRoot", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "ProgramFiles", "NODE_EXTRA_CA_CERTS",
}

// patience bounds each of the three steps of ending a program: closed input, the signal to terminate,
// the kill.
const patience = 3 * time.Second

// Connect starts or finds the server and begins a session. Ctx bounds the beginning alone.
func Connect(ctx context.Context, opt Options) (*Client, error) {
	if len(opt.Command) == 0 {
		return connectHTTP(ctx, opt)
	}
	c := &Client{what: strings.Join(opt.Command, " "), stderr: &tail{next: opt.Stderr}, changed: opt.Changed}
	cmd := exec.Command(opt.Command[0], opt.Command[1:]...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = opt.Dir, c.stderr, patience
	processgroup.Set(cmd)
	cmd.Env = []string{}
	for _, name := range systemVariables {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, opt.Environment...)
	var err error
	if c.conn, err = (&mcp.CommandTransport{Command: cmd, TerminateDuration: patience}).Connect(ctx); err != nil {
		return nil, &EndedError{Server: c.what, Cause: err}
	}
	c.cmd = cmd
	return c, c.connect(ctx)
}

func connectHTTP(ctx context.Context, opt Options) (*Client, error) {
	c := &Client{what: opt.URL, changed: opt.Changed}
	at, err := url.Parse(opt.URL)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("%q is no address with a host, as http://127.0.0.1:8080/mcp is", opt.URL)
	}
	transport := &mcp.StreamableClientTransport{
		Endpoint: opt.URL, HTTPClient: &http.Client{Transport: &headers{opt.Headers, at.Host}}, DisableStandaloneSSE: true,
	}
	if c.conn, err = transport.Connect(ctx); err != nil {
		return nil, fmt.Errorf("reach the upstream at %s: %w", opt.URL, err)
	}
	return c, c.connect(ctx)
}

// headers adds headers to each request: those of the manifest, unless a redirect leads to another host, and the
// revision of the protocol, which the SDK adds only for its own sessions.
type headers struct {
	of   map[string]string
	host string
}

// RoundTrip implements http.RoundTripper.
func (h *headers) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if req.URL.Host == h.host {
		for name, value := range h.of {
			req.Header.Set(name, value)
		}
	}
	session := req.Header.Get("Mcp-Session-Id") != ""
	if session {
		req.Header.Set("Mcp-Protocol-Version", protocolVersion)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil && session && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusBadRequest) {
		err = sessionLost(resp)
	}
	return resp, err
}

// maxRefusal bounds what is read of the body of a refusal, in bytes.
const maxRefusal = 64 << 10

// sessionLost makes the answer of a server that does not know the session the one of the protocol: 404 without a
// body. The SDK keeps a connection whose refusals have an error of JSON-RPC, and many servers send one with status
// 404 or 400.
func sessionLost(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	_ = resp.Body.Close() // it is read
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusNotFound || bytes.Contains(bytes.ToLower(body), []byte("session")) {
		resp.StatusCode, resp.Status, body = http.StatusNotFound, "404 Not Found", nil
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

// tailBytes is how much of a program's standard error messages repeat.
const tailBytes = 2000

// tail keeps the end of what is written, and passes it on.
type tail struct {
	next io.Writer

	mu   sync.Mutex
	last []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if over := len(t.last) - tailBytes; over > 0 {
		t.last = slices.Delete(t.last, 0, over)
	}
	if t.next != nil {
		_, _ = t.next.Write(p) // what cannot be shown is still kept
	}
	return len(p), nil
}

// String is the end of the text, without the spaces around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.last), "\uFFFD"))
}

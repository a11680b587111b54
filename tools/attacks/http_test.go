package attacks_test

import (
	"io"
	"net/http"
	"strings"
)

// post sends a request to the endpoint and returns the status and the body.
func (c *client) post(method, body string, headers ...string) (status int, text string) {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, c.server.http, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return res.StatusCode, string(out)
}

// stop is a call that a page would like to make.
const stop = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"oc_stop","arguments":{}}}`

// requestAttack is an attack by one request that must be refused with a status.
func requestAttack(name, about string, status int, method, body string, headers ...string) attack {
	return attack{name: "http_" + name, about: about, on: []transport{overNothing}, run: func(c *client) {
		if got, text := c.post(method, body, headers...); got != status {
			c.Errorf("status %d, want %d: %s", got, status, text)
		}
	}}
}

// Attacks on the endpoint by pages in a browser of the same machine.
var _ = add(
	requestAttack("origin", "a page of another origin calls a tool", 403, "POST", stop, "Origin", "http://evil.example"),
	requestAttack("origin_null", "a sandboxed frame calls a tool", 403, "POST", stop, "Origin", "null"),
	requestAttack("origin_lookalike", "a page whose host begins like loopback calls a tool", 403, "POST", stop, "Origin", "http://127.0.0.1.evil.example"),
	requestAttack("rebinding", "a page rebinds its own name to this machine", 403, "POST", stop, "Host", "evil.example"),
	requestAttack("rebinding_port", "the same with a port", 403, "POST", stop, "Host", "evil.example:9876"),
	requestAttack("rebinding_address", "the same with the address of another interface", 403, "POST", stop, "Host", "192.0.2.1"),
	requestAttack("fetch_site", "a page of another site sends a simple request, which has no Origin", 403, "POST", stop, "Sec-Fetch-Site", "cross-site"),
	requestAttack("fetch_same_site", "a page of another port of this machine sends a request", 403, "POST", stop, "Sec-Fetch-Site", "same-site"),
	requestAttack("fetch_same_origin", "a page that this server would serve sends a request", 403, "POST", stop, "Sec-Fetch-Site", "same-origin"),
	requestAttack("stream_of_page", "a page listens to a session", 403, "GET", "", "Origin", "http://evil.example", "Accept", "text/event-stream"),
	requestAttack("end_session_of_page", "a page ends a session", 403, "DELETE", "", "Origin", "http://evil.example", "Mcp-Session-Id", "x"),
	requestAttack("preflight", "a page asks whether it may send a request", 403, "OPTIONS", "", "Origin", "http://evil.example", "Access-Control-Request-Method", "POST"),
	attack{
		name: "http_page_reaches_endpoint", about: "a page in the server's own browser calls a tool of the server that drives it", on: []transport{overStdio, overHTTP},
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", `<script>
				const body = '`+strings.ReplaceAll(stop, "oc_stop", "tabs_create")+`';
				Promise.all(['text/plain', 'application/json'].map((type) => ['cors', 'no-cors'].map((mode) =>
					fetch('`+c.server.http+`', {method: 'POST', mode, body, headers: {'content-type': type}}).then((r) => r.text(), (e) => 'refused'))).flat())
					.then((all) => document.title = 'got ' + all.join('|'))</script>`)
			c.ok("navigate", args{"url": s.url("evil", "/")})
			c.eventually("document.title.startsWith('got ')")
			c.lacks(c.script("document.title"), "tabs", "jsonrpc", "result")
		},
	},
)

package mcpserver_test

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// TestGuard holds Host, Origin and token against every method.
func TestGuard(t *testing.T) {
	t.Parallel()
	open, closed := mcpserver.HTTPOptions{AllowedHosts: []string{"box.test"}}, mcpserver.HTTPOptions{AuthToken: "s3cret"}
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	urls := map[string]string{"open": listen(t, s, open), "closed": listen(t, s, closed)}
	tests := []struct {
		server string
		header headers
		status int // of the guard; 0 lets pass
	}{
		{"open", headers{}, 0},
		{"open", headers{"Host": "localhost"}, 0},
		{"open", headers{"Host": "127.9.9.9:80"}, 0},
		{"open", headers{"Host": "[::1]:9876"}, 0},
		{"open", headers{"Host": "box.test:9876"}, 0},
		{"open", headers{"Host": "evil.test"}, 403},
		{"open", headers{"Host": "localhost.evil.test"}, 403},
		{"open", headers{"Host": "10.0.0.1"}, 403},
		{"open", headers{"Origin": "http://localhost:5173"}, 0},
		{"open", headers{"Origin": "http://[::1]"}, 0},
		{"open", headers{"Origin": "https://box.test"}, 0},
		{"open", headers{"Origin": "http://evil.test"}, 403},
		{"open", headers{"Origin": "null"}, 403},
		{"open", headers{"Origin": "http://localhost@evil.test"}, 403},
		{"open", headers{"Sec-Fetch-Site": "none"}, 0},
		{"open", headers{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:5173"}, 403},
		{"open", headers{"Sec-Fetch-Site": "cross-site"}, 403},
		{"open", headers{"Sec-Fetch-Site": "same-site", "Origin": "https://box.test"}, 0},
		{"closed", headers{}, 401},
		{"closed", headers{"Authorization": "Bearer s3cret"}, 0},
		{"closed", headers{"Authorization": "bearer s3cret"}, 0},
		{"closed", headers{"Authorization": "Bearer s3cre"}, 401},
		{"closed", headers{"Authorization": "Bearer s3cret2"}, 401},
		{"closed", headers{"Authorization": "Bearer"}, 401},
		{"closed", headers{"Authorization": "Basic s3cret"}, 401},
		{"closed", headers{"Authorization": "Bearer s3cret", "Host": "10.0.0.1:9876"}, 0},
		{"closed", headers{"Authorization": "Bearer s3cret", "Host": "evil.test"}, 403},
		{"closed", headers{"Authorization": "Bearer s3cret", "Origin": "http://evil.test"}, 403},
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions, http.MethodPut} {
		for _, test := range tests {
			res, got := do(t, method, urls[test.server], `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, with(bare, test.header))
			refused := res.StatusCode == 401 || res.StatusCode == 403
			if refused != (test.status != 0) || refused && res.StatusCode != test.status {
				t.Errorf("%s %s %v: %s %.80s", method, test.server, test.header, res.Status, got)
			}
		}
	}
}

// TestWrongTokensAreLogged sends wrong tokens, and tells them from a missing one.
func TestWrongTokensAreLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	var mu sync.Mutex
	write := writerFunc(func(p []byte) (int, error) { mu.Lock(); defer mu.Unlock(); return log.Write(p) })
	s, _ := newBench().serve(t, mcpserver.Options{Logger: slog.New(slog.NewTextHandler(write, nil))}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{AuthToken: "the right token"})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	send := func(header headers) (status int, text string) {
		res, text := do(t, http.MethodPost, url, list, with(bare, header))
		return res.StatusCode, text
	}
	if status, text := send(headers{}); status != 401 || !strings.Contains(text, "missing") {
		t.Errorf("without a token: %d %s", status, text)
	}
	for range 3 {
		if status, text := send(headers{"Authorization": "Bearer a wrong one"}); status != 401 || !strings.Contains(text, "wrong") {
			t.Errorf("a wrong token: %d %s", status, text)
		}
	}
	if status, text := send(headers{"Authorization": "Bearer the right token"}); status != 200 {
		t.Errorf("the right token: %d %s", status, text)
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(log.String(), `msg="authentication failed" address=127.0.0.1 reason="missing token"`) {
		t.Errorf("a missing token is not logged:\n%s", log.String())
	}
	if n := strings.Count(log.String(), `msg="authentication failed" address=127.0.0.1 reason="wrong token"`); n != 3 || strings.Contains(log.String(), "a wrong one") {
		t.Errorf("%d failures are logged:\n%s", n, log.String())
	}
}

// writerFunc is a function as a writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

package mcpserver_test

import (
	"net/http"
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

package httpserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
)

func TestProxiesRestoreWhatTheirClientSent(t *testing.T) {
	t.Parallel()
	var proxies httpserver.Proxies
	if err := proxies.Set("127.0.0.1, 10.0.0.0/8"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, from string
		header     http.Header
		want       string // host, scheme and address
	}{
		{"no headers", "127.0.0.1:5", nil, "box:1  127.0.0.1:5"},
		{"all headers", "127.0.0.1:5", http.Header{"X-Forwarded-Host": {"a.test:8443"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-For": {"192.0.2.7"}}, "a.test:8443 https 192.0.2.7:0"},
		{"a host without its port", "127.0.0.1:5", http.Header{"X-Forwarded-Host": {"a.test"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Port": {"8443"}}, "a.test:8443 https 127.0.0.1:5"},
		{"the usual port", "127.0.0.1:5", http.Header{"X-Forwarded-Host": {"a.test"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Port": {"443"}}, "a.test https 127.0.0.1:5"},
		{"behind two proxies", "127.0.0.1:5", http.Header{"X-Forwarded-For": {"203.0.113.9, 192.0.2.7, 10.1.2.3"}}, "box:1  192.0.2.7:0"},
		{"what a client wrote itself", "127.0.0.1:5", http.Header{"X-Forwarded-For": {"127.0.0.1", "192.0.2.7"}, "X-Forwarded-Host": {"localhost, a.test"}}, "a.test  192.0.2.7:0"},
		{"no address", "127.0.0.1:5", http.Header{"X-Forwarded-For": {"unknown"}, "X-Forwarded-Proto": {"javascript"}}, "box:1  127.0.0.1:5"},
		{"a stranger", "192.0.2.8:5", http.Header{"X-Forwarded-Host": {"localhost"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-For": {"127.0.0.1"}}, "box:1  192.0.2.8:5"},
		{"a mapped address", "[::ffff:10.1.2.3]:5", http.Header{"X-Forwarded-Proto": {"https"}}, "box:1 https [::ffff:10.1.2.3]:5"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host, r.RemoteAddr, r.Header = "box:1", c.from, c.header
		var got string
		proxies.Restore(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Host + " " + r.URL.Scheme + " " + r.RemoteAddr })).ServeHTTP(httptest.NewRecorder(), r)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if err := proxies.Set("proxy.test"); err == nil {
		t.Error("a name is taken for an address")
	}
}

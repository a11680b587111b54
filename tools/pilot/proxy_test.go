package pilot_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestProxy has a worker's requests go through a real proxy on loopback, and those of the next
// worker not.
func TestProxy(t *testing.T) {
	t.Parallel()
	home := tooltest.ServeSite(t)
	var through atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through.Add(1)
		out := r.Clone(r.Context())
		out.RequestURI = ""
		res, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = res.Body.Close() }()
		for name, values := range res.Header {
			w.Header()[name] = values
		}
		w.Header().Set("X-Through", "proxy")
		w.WriteHeader(res.StatusCode)
		_, _ = io.Copy(w, res.Body)
	}))
	t.Cleanup(proxy.Close)
	c := tooltest.Connect(t, pilotOptions())
	c.Expect(toolset.ToolOcProxyHook, tooltest.Args{"action": "status"}, "no proxy")
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": home + "/index.html"}) // in a context of its own, which is open
	c.Expect(toolset.ToolOcProxyHook, tooltest.Args{"action": "set", "proxyUrl": proxy.URL}, proxy.URL, "opened from now on", toolset.ToolWorker)
	c.Expect(toolset.ToolOcProxyHook, tooltest.Args{"action": "status"}, proxy.URL)
	before := through.Load()
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": home + "/second.html"})
	if through.Load() != before {
		t.Error("the context that was open went through the proxy")
	}
	visit := func(worker string) int32 {
		before := through.Load()
		c.Call(toolset.ToolWorker, tooltest.Args{"action": "create", "name": worker})
		c.Call(toolset.ToolNavigate, tooltest.Args{"url": home + "/index.html"})
		return through.Load() - before
	}
	if visit("through") == 0 {
		t.Error("the worker's request did not arrive at the proxy")
	}
	c.Expect(toolset.ToolOcProxyHook, tooltest.Args{"action": "clear"}, "opened from now on")
	c.Expect(toolset.ToolOcProxyHook, tooltest.Args{"action": "clear"}, "no proxy was set")
	if n := visit("direct"); n != 0 {
		t.Errorf("%d requests after clear", n)
	}
	for _, bad := range []string{"http://ann:hunter2hunter2@127.0.0.1:1", "ftp://127.0.0.1:1", "127.0.0.1", "http://127.0.0.1", "http://127.0.0.1:1/path"} {
		envelope := c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolOcProxyHook, tooltest.Args{"action": "set", "proxyUrl": bad}, "/proxyUrl")
		if strings.Contains(envelope["message"].(string), "hunter2") {
			t.Errorf("the refusal tells a password: %v", envelope)
		}
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolOcProxyHook, tooltest.Args{"action": "set"}, "proxyUrl")
}

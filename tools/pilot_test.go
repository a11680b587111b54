package tools_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// piloted are the gates of a server with --pilot.
func piloted() toolkit.Options { return toolkit.Options{AllTools: true, OptIn: []string{"pilot"}} }

// TestPilotIsOff: without the flag its tools are in no list, and a call says which flag it takes.
func TestPilotIsOff(t *testing.T) {
	t.Parallel()
	c := connect(t, toolkit.Options{AllTools: true})
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if strings.Contains(tool.Name, "pilot") || tool.Name == toolset.ToolOcProxyHook {
			t.Errorf("%s is listed", tool.Name)
		}
	}
	c.refused("CAPABILITY_DISABLED", toolset.ToolOcProxyHook, args{"action": "status"}, "--pilot")
	if res := c.raw(toolset.ToolExpandTools, args{"name": toolset.ToolOcPilotHandoffCreate}); !res.IsError || !strings.Contains(textOf(res), "--pilot") {
		t.Errorf("revealed: %s", textOf(res))
	}
	if text := textOf(c.raw(toolset.ToolExpandTools, args{"query": "hand a login over to another session by a token"})); strings.Contains(text, "oc_pilot") {
		t.Errorf("found: %s", text)
	}
}

// TestHandoff carries a login into another session by a token that works once.
func TestHandoff(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), site(t)
	c := connectIn(t, dir, piloted(), "", nil)
	c.call(toolset.ToolNavigate, args{"url": home + "/index.html"})
	c.call(toolset.ToolCookies, args{"action": "set", "name": "sid", "value": "hunter2hunter2", "attributes": "HttpOnly"})
	c.call(toolset.ToolStorage, args{"storageType": "local", "action": "set", "key": "user", "value": "ann"})
	c.refused("POLICY_DENIED", toolset.ToolOcPilotHandoffCreate, args{"origin": "https://example.com"}, "https://example.com")
	text := c.says(toolset.ToolOcPilotHandoffCreate, args{"origin": home}, "token csh1.", "cookies 1", "storage keys 1", "works once")
	token := strings.Fields(text)[1]
	short := strings.Fields(c.call(toolset.ToolOcPilotHandoffCreate, args{"ttl_ms": 1}))[1]
	if strings.Contains(text, "hunter2") || grep(t, dir, "hunter2hunter2") != nil || grep(t, dir, token[len(token)-20:]) != nil {
		t.Errorf("the login, or the key to it, is in the result or on the disk: %s", text)
	}
	t.Run("elsewhere", func(t *testing.T) {
		other := connectIn(t, dir, piloted(), "", nil)
		other.call(toolset.ToolNavigate, args{"url": strings.Replace(home, "127.0.0.1", "localhost", 1) + "/index.html"})
		other.refused("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, args{"token": token}, "open a page of "+home)
		other.call(toolset.ToolNavigate, args{"url": home + "/cookies"})
		other.refused("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, args{"token": short}, "expired")
		other.refused("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, args{"token": token[:len(token)-3]}, "changed")
		other.refused("NOT_FOUND", toolset.ToolOcPilotHandoffRedeem, args{"token": "csh1.NONE" + token[strings.LastIndex(token, "."):]}, "no such handoff")
		other.refused("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, args{"token": "csh"}, "no handoff token")
		other.says(toolset.ToolOcPilotHandoffRedeem, args{"token": token}, home, "cookies 1", "storage keys 1")
		other.call(toolset.ToolNavigate, args{"url": home + "/cookies"})
		other.says(toolset.ToolReadPage, nil, "sid=hunter2hunter2")
		other.says(toolset.ToolStorage, args{"storageType": "local", "action": "get", "key": "user"}, "ann")
		other.refused("POLICY_DENIED", toolset.ToolOcPilotHandoffRedeem, args{"token": token}, "redeemed before")
	})
}

// TestProxy has a worker's requests go through a real proxy on loopback, and those of the next worker not.
func TestProxy(t *testing.T) {
	t.Parallel()
	home := site(t)
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
	c := connect(t, piloted())
	c.says(toolset.ToolOcProxyHook, args{"action": "status"}, "no proxy")
	c.call(toolset.ToolNavigate, args{"url": home + "/index.html"}) // in a context of its own, which is open
	c.says(toolset.ToolOcProxyHook, args{"action": "set", "proxyUrl": proxy.URL}, proxy.URL, "opened from now on", toolset.ToolWorker)
	c.says(toolset.ToolOcProxyHook, args{"action": "status"}, proxy.URL)
	before := through.Load()
	c.call(toolset.ToolNavigate, args{"url": home + "/second.html"})
	if through.Load() != before {
		t.Error("the context that was open went through the proxy")
	}
	visit := func(worker string) int32 {
		before := through.Load()
		c.call(toolset.ToolWorker, args{"action": "create", "name": worker})
		c.call(toolset.ToolNavigate, args{"url": home + "/index.html"})
		return through.Load() - before
	}
	if visit("through") == 0 {
		t.Error("the worker's request did not arrive at the proxy")
	}
	c.says(toolset.ToolOcProxyHook, args{"action": "clear"}, "opened from now on")
	c.says(toolset.ToolOcProxyHook, args{"action": "clear"}, "no proxy was set")
	if n := visit("direct"); n != 0 {
		t.Errorf("%d requests after clear", n)
	}
	for _, bad := range []string{"http://ann:hunter2hunter2@127.0.0.1:1", "ftp://127.0.0.1:1", "127.0.0.1", "http://127.0.0.1", "http://127.0.0.1:1/path"} {
		envelope := c.refused("INVALID_ARGUMENTS", toolset.ToolOcProxyHook, args{"action": "set", "proxyUrl": bad}, "/proxyUrl")
		if strings.Contains(envelope["message"].(string), "hunter2") {
			t.Errorf("the refusal tells a password: %v", envelope)
		}
	}
	c.refused("INVALID_ARGUMENTS", toolset.ToolOcProxyHook, args{"action": "set"}, "proxyUrl")
}

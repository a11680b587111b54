package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// gateway stands before a browser as a provider does: it demands a header, and drops connections.
type gateway struct {
	srv *httptest.Server

	mu     sync.Mutex
	opened int
	conns  []net.Conn
}

func startGateway(t *testing.T, browser *person) *gateway {
	text, err := os.ReadFile(filepath.Join(browser.dir, "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	port, path, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	g := &gateway{}
	g.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" || r.URL.Query().Get("key") != "k&y" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		inner, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		r.URL.Path, r.URL.RawQuery, r.Host = path, "", "127.0.0.1:"+port
		if err := r.Write(inner); err != nil {
			return
		}
		outer, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		g.mu.Lock()
		g.opened, g.conns = g.opened+1, append(g.conns, inner, outer)
		g.mu.Unlock()
		go func() { _, _ = io.Copy(inner, outer); _ = inner.Close() }()
		_, _ = io.Copy(outer, inner)
		_ = outer.Close()
	}))
	t.Cleanup(func() { g.drop(); g.srv.Close() })
	return g
}

// drop ends the connections and returns how many were opened until now.
func (g *gateway) drop() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.conns {
		_ = c.Close()
	}
	g.conns = nil
	return g.opened
}

// TestBrowserProvider works in the browser of a provider, and again after its connection was dropped.
func TestBrowserProvider(t *testing.T) {
	t.Parallel()
	site := personSite(t)
	g := startGateway(t, startPerson(t, site+"/private"))
	dir := t.TempDir()
	secrets, file := filepath.Join(dir, "secrets.env"), filepath.Join(dir, "callsheet.yaml")
	address := strings.TrimPrefix(g.srv.URL, "http://")
	for name, text := range map[string]string{
		secrets: "CLOUD_TOKEN@http://" + address + "=t0ken\n",
		file: "version: 1\nsecrets: " + secrets + "\nbrowser-provider: cloud\nproviders:\n  cloud:\n    url: \"ws://" + address + "/session?key={env:CLOUD_KEY}\"\n" +
			"    headers: {Authorization: \"Bearer {secret:CLOUD_TOKEN}\"}\n    keep-alive: 1s\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	serve := func(key string) agent {
		cmd := command(t, "serve", "--config", file, "--state-dir", t.TempDir())
		cmd.Env = append(cmd.Env, "CLOUD_KEY="+key)
		cs, err := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cs.Close() })
		return agent{t, cs}
	}
	a := serve("k&y")
	if text := a.call("navigate", map[string]any{"url": site + "/agent?n=first"}); !strings.Contains(text, "Agent first") {
		t.Fatal(text)
	}
	if n := g.drop(); n != 1 {
		t.Errorf("%d connections", n)
	}
	eventually(t, "a call connects again", func() bool {
		return strings.Contains(a.call("navigate", map[string]any{"url": site + "/agent?n=again"}), "Agent again")
	})
	if n := g.drop(); n != 2 {
		t.Errorf("%d connections", n)
	}
	text := serve("wr0ngkey").call("navigate", map[string]any{"url": site + "/agent"})
	if !strings.Contains(text, "NO_BROWSER") || strings.Contains(text, "wr0ngkey") || strings.Contains(text, "t0ken") {
		t.Errorf("a wrong key: %s", text)
	}
	cmd := command(t, "serve", "--config", file, "--browser-provider", "clout")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), `no provider "clout"`) {
		t.Errorf("an unknown provider: %s", out)
	}
}

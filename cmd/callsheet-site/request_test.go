package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// TestSiteCheckSendsSecrets checks a tool that sends a request with a secret of the operator.
func TestSiteCheckSendsSecrets(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/lost" {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Path != "/api" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html><title>Home</title><p>Home")
			return
		}
		mu.Lock()
		defer mu.Unlock()
		keys = append(keys, r.Header.Get("X-Key"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"n":1}`)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	dir := t.TempDir()
	for name, text := range map[string]string{
		"secrets.env":     "KEY=k3yk3yk3y\n",
		"site.yaml":       "version: 1\nname: api\ndescription: An interface.\norigins: [https://api.example]\nsecrets: [KEY]\n",
		"tools/get.yaml":  "name: get\ndescription: Get.\noutput: {n: {type: integer, required: true}}\nsteps: [{request: {path: /api, headers: {X-Key: \"{secret:KEY}\"}}}]\nextract: {n: {json: /n}}\n",
		"tools/lose.yaml": "name: lose\ndescription: Lose the answer.\nsteps: [{request: {path: /lost, query: {key: \"{secret:KEY}\"}}}]\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args       []string
		want, keys string
		code       int
	}{
		{[]string{"get", "--secrets", filepath.Join(dir, "secrets.env")}, "passed    get", "k3yk3yk3y", exit.OK},
		{[]string{"lose", "--secrets", filepath.Join(dir, "secrets.env")}, "/lost has no answer", "k3yk3yk3y", exit.Tool},
		{[]string{"lose", "--json", "--secrets", filepath.Join(dir, "secrets.env")}, "/lost has no answer", "k3yk3yk3y", exit.Tool},
		{[]string{"get"}, "no vault has the value of {secret:KEY}", "k3yk3yk3y", exit.Tool},
	} {
		out, err := command(t, append([]string{"check", dir, "--site-origin", server.URL, "--state-dir", t.TempDir()}, c.args...)...).CombinedOutput()
		mu.Lock()
		got := strings.Join(keys, " ")
		mu.Unlock()
		if !strings.Contains(string(out), c.want) || strings.Contains(string(out), "k3yk3yk3y") || got != c.keys || (err == nil) != (c.code == exit.OK) {
			t.Errorf("%v: %v, keys %q\n%s", c.args, err, got, out)
		}
	}
}

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/cli/exit"
)

// upstream is a real MCP server over HTTP with one tool, and what puts another one beside it.
func upstream() (handler http.Handler, grow func(name string)) {
	s := mcp.NewServer(&mcp.Implementation{Name: "upstream", Version: "1"}, nil)
	grow = func(name string) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "said " + name}}}, nil
			})
	}
	grow("hello")
	get := func(*http.Request) *mcp.Server { return s }
	return mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}), grow
}

// flowsOf writes a workflow that calls the server at an address, and returns how the verbs of
// workflows are run on it.
func flowsOf(t *testing.T, address string) (dir string, run func(want int, args ...string) string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"w.yaml": "greet: { steps: [{ call: up:hello }] }\n", "servers.json": fmt.Sprintf(`{"servers": {"up": {"url": %q}}}`, address),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func(want int, args ...string) string {
		t.Helper()
		cmd := command(t, append(append([]string{"workflow"}, args...), "--workflows", dir, "--state-dir", filepath.Join(dir, "state"))...)
		cmd.Env = append(cmd.Env, "CALLSHEET_KEY=correct horse battery staple")
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%v: exit %d, want %d (%v)\n%s", args, code, want, err, out)
		}
		return string(out)
	}
}

func holds(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("%q is missing in:\n%s", part, out)
		}
	}
}

// A server that has changed since it was locked is refused until somebody has looked at it.
func TestWorkflowLock(t *testing.T) {
	handler, grow := upstream()
	web := httptest.NewServer(handler)
	defer web.Close()
	dir, run := flowsOf(t, web.URL)
	holds(t, run(exit.Transport, "lock"), "servers.lock.json", "callsheet workflow lock --update")
	holds(t, run(exit.Tool, "run", "greet", "--locked"), "callsheet workflow lock --update")
	holds(t, run(exit.OK, "lock", "--update"), "up added")
	if out := run(exit.OK, "lock"); strings.Contains(out, "up added") {
		t.Errorf("nothing has changed: %s", out)
	}
	holds(t, run(exit.OK, "run", "greet", "--locked"), "said hello")

	grow("more")
	holds(t, run(exit.Tool, "lock"), "up:more added")
	holds(t, run(exit.Tool, "run", "greet", "--locked"), "the tools differ from", "up:more added")
	holds(t, run(exit.OK, "run", "greet"), "said hello")
	holds(t, run(exit.OK, "lock", "--update"), "up:more added")
	holds(t, run(exit.OK, "run", "greet", "--locked"), "said hello")

	text, err := os.ReadFile(filepath.Join(dir, "servers.lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, string(text), `"hello"`, `"more"`)
	web.Close()
	holds(t, run(exit.Transport, "lock"), "up:")
}

// protected is the MCP server behind an authorization server whose user agrees at once.
func protected(t *testing.T) (address string) {
	t.Helper()
	behind, _ := upstream()
	var mu sync.Mutex
	var challenge, token string
	var base string
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		ok := token != "" && r.Header.Get("Authorization") == "Bearer "+token
		mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+base+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		behind.ServeHTTP(w, r)
	})
	answer := func(path string, status int, v func(r *http.Request) any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(v(r))
		})
	}
	answer("/.well-known/oauth-protected-resource/mcp", http.StatusOK, func(*http.Request) any {
		return map[string]any{"resource": base + "/mcp", "authorization_servers": []string{base}}
	})
	answer("/.well-known/oauth-authorization-server", http.StatusOK, func(*http.Request) any {
		return map[string]any{"issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
			"registration_endpoint": base + "/register", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}}
	})
	answer("/register", http.StatusCreated, func(r *http.Request) any {
		var meta map[string]any
		_ = json.NewDecoder(r.Body).Decode(&meta)
		return map[string]any{"client_id": "client-1", "redirect_uris": meta["redirect_uris"], "token_endpoint_auth_method": "none"}
	})
	answer("/token", http.StatusOK, func(r *http.Request) any {
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != challenge {
			return map[string]any{"error": "invalid_grant"}
		}
		token = "access-token-1"
		return map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600}
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		q := r.URL.Query()
		challenge = q.Get("code_challenge")
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"state": {q.Get("state")}, "code": {"code-1"}}.Encode(), http.StatusFound)
	})
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	base = web.URL
	return base + "/mcp"
}

// A login prints an address, ends when the person agrees there in a browser, and holds for later
// processes.
func TestWorkflowLogin(t *testing.T) {
	dir, run := flowsOf(t, protected(t))
	holds(t, run(exit.Tool, "run", "greet"), "callsheet workflow login up")
	holds(t, run(exit.Transport, "login", "nobody"), "no such server")

	cmd := command(t, "workflow", "login", "up", "--workflows", dir, "--state-dir", filepath.Join(dir, "state"))
	cmd.Env = append(cmd.Env, "CALLSHEET_KEY=correct horse battery staple")
	var out strings.Builder
	cmd.Stdout = &out
	told, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	agreed := false
	for lines := bufio.NewScanner(told); lines.Scan(); {
		address := strings.TrimSpace(lines.Text())
		if !strings.HasPrefix(address, "http") {
			continue
		}
		res, err := http.Get(address) // the user's browser
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		holds(t, string(page), "You are logged in")
		agreed = true
	}
	if err := cmd.Wait(); err != nil || !agreed {
		t.Fatalf("%v, agreed: %v\n%s", err, agreed, &out)
	}
	holds(t, out.String(), "logged in to up")
	holds(t, run(exit.OK, "run", "greet"), "said hello")
}

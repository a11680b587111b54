//go:build unix

package external

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/workflow/external/oauth"
)

// authServer is a small authorization server with the MCP server it protects behind it.
type authServer struct {
	mu        sync.Mutex
	url       string
	clients   map[string]string // id → redirect URI
	codes     map[string]string // code → PKCE challenge
	good      string            // the access token that is accepted now
	refresh   string            // the refresh token that is accepted now
	n         int
	refreshes int
	expiresIn int
	refuse    bool // the user does not agree
}

func newAuthServer(t *testing.T) *authServer {
	t.Helper()
	a := &authServer{clients: map[string]string{}, codes: map[string]string{}, expiresIn: 3600}
	s := newTestServer()
	protected := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		ok := a.good != "" && r.Header.Get("Authorization") == "Bearer "+a.good
		a.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.url+
				`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		protected.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"resource": a.url + "/mcp", "authorization_servers": []string{a.url},
			"scopes_supported": []string{"tools"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"issuer": a.url, "authorization_endpoint": a.url + "/authorize",
			"token_endpoint":        a.url + "/token",
			"registration_endpoint": a.url + "/register", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported":               []string{"S256"},
			"authorization_response_iss_parameter_supported": true})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var meta struct {
			RedirectURIs []string `json:"redirect_uris"`
			AuthMethod   string   `json:"token_endpoint_auth_method"`
		}
		_ = json.NewDecoder(r.Body).Decode(&meta)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.clients["client-1"] = meta.RedirectURIs[0]
		answer(w, 201, map[string]any{"client_id": "client-1", "redirect_uris": meta.RedirectURIs,
			"token_endpoint_auth_method": meta.AuthMethod})
	})
	mux.HandleFunc("/authorize", a.authorize)
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		status, v := a.token(r)
		answer(w, status, v)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { _ = srv.Config.Close() })
	a.url = srv.URL
	return a
}

// authorize is the user who agrees at once.
func (a *authServer) authorize(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := r.URL.Query()
	if q.Get("code_challenge_method") != "S256" || a.clients[q.Get("client_id")] != q.Get("redirect_uri") ||
		q.Get("resource") == "" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}, "iss": {a.url}}
	if a.refuse {
		back.Set("error", "access_denied")
	} else {
		a.codes["code-1"] = q.Get("code_challenge")
		back.Set("code", "code-1")
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (a *authServer) token(r *http.Request) (int, any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = r.ParseForm()
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if a.codes[r.Form.Get("code")] != base64.RawURLEncoding.EncodeToString(sum[:]) {
			return 400, map[string]any{"error": "invalid_grant"}
		}
		delete(a.codes, r.Form.Get("code"))
	case "refresh_token":
		if r.Form.Get("refresh_token") != a.refresh || a.refresh == "" {
			a.refresh, a.good = "", "" // reuse revokes the family
			return 400, map[string]any{"error": "invalid_grant"}
		}
		a.refreshes++
	}
	a.n++
	a.good, a.refresh = fmt.Sprintf("access-token-%d", a.n), fmt.Sprintf("refresh-token-%d", a.n)
	return 200, map[string]any{"access_token": a.good, "refresh_token": a.refresh, "token_type": "Bearer",
		"expires_in": a.expiresIn}
}

// followURL is a browser that follows the address.
func followURL(address string) error {
	resp, err := http.Get(address)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func withKey(key string) func(*Config) {
	return func(c *Config) {
		c.Browse = followURL
		c.Key = func() (string, error) { return key, nil }
	}
}

const passphrase = "correct horse battery staple"

func TestLogin(t *testing.T) {
	t.Parallel()
	a := newAuthServer(t)
	entry := `"wiki": ` + httpEntry(a.url+"/mcp", `, "auth": "oauth"`)
	l := newFixture(t, entry, withKey(passphrase))
	wantError(t, l.callFails(LoginRequired, "wiki", "echo", ""), "callsheet workflow login wiki")
	if err := l.Login(withTimeout(t, 30*1e9), "wiki"); err != nil {
		t.Fatal(err)
	}
	if got := l.callText("wiki", "echo", `{"text": "let in"}`); got != "let in" {
		t.Error(got)
	}

	files, _ := filepath.Glob(filepath.Join(l.dir, "state", "external", "tokens", "*"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		info, _ := os.Stat(f)
		if bytes.Contains(data, []byte("token-1")) || bytes.Contains(data, []byte("client-1")) ||
			info.Mode().Perm() != 0o600 {
			t.Errorf("%s (%v) is readable", f, info.Mode())
		}
	}

	// The token is revoked: the next call renews it, and many at once renew it once.
	a.mu.Lock()
	a.good = "another"
	a.mu.Unlock()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { l.callText("wiki", "echo", `{"text": "x"}`) })
	}
	wg.Wait()
	if a.refreshes != 1 {
		t.Errorf("%d refreshes, want 1", a.refreshes)
	}

	// Another process finds the token on the disk, with the right key alone.
	other := &fixture{Registry: l.open(withKey(passphrase)), t: t, dir: l.dir, log: l.log, mark: l.mark}
	if got := other.callText("wiki", "echo", `{"text": "me too"}`); got != "me too" {
		t.Error(got)
	}
	stranger := &fixture{Registry: l.open(withKey("another passphrase")), t: t, dir: l.dir, log: l.log, mark: l.mark}
	wantError(t, stranger.callFails(Unavailable, "wiki", "echo", ""), "the key is another one")

	// The whole grant is revoked: a new login is wanted, and no call ever opens a browser.
	a.mu.Lock()
	a.good, a.refresh = "", ""
	a.mu.Unlock()
	l.callFails(LoginRequired, "wiki", "echo", "")
	if strings.Contains(l.log.String(), "-token-") {
		t.Errorf("a token is in the log:\n%s", l.log)
	}
}

func TestLoginFails(t *testing.T) {
	t.Parallel()
	a := newAuthServer(t)
	l := newFixture(t, `"wiki": `+httpEntry(a.url+"/mcp", "")+`, "proc": {"command": "true"}`, withKey("short"))
	ctx := withTimeout(t, 30*1e9)
	wantError(t, l.Login(ctx, "wiki"), "wiki:", "fewer than 16")
	wantError(t, l.Login(ctx, "proc"), "applies only to servers over HTTP")
	wantError(t, l.Login(ctx, "wikki"), "wiki")
	a.refuse = true
	r := l.open(withKey(passphrase))
	wantError(t, r.Login(ctx, "wiki"), "access_denied")
	unanswered := l.open(withKey(passphrase), func(c *Config) { c.Browse = func(string) error { return nil } })
	soon, cancel := context.WithTimeout(ctx, 200*1e6)
	defer cancel()
	if err := unanswered.Login(soon, "wiki"); err == nil {
		t.Error("no person logged in, and Login succeeds")
	}
}

func TestRedirectWithOtherState(t *testing.T) {
	t.Parallel()
	b, err := oauth.Listen(withTimeout(t, 10*1e9), "")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	res, err := b.Authorize(withTimeout(t, 20*1e9), "https://auth.example/authorize?state=right", func(string) error {
		if err := followURL(b.URL + "?state=wrong&code=evil"); err == nil {
			t.Error("an answer with another state was taken")
		}
		return followURL(b.URL + "?state=right&code=good")
	})
	if err != nil || res.Code != "good" {
		t.Errorf("%+v, %v", res, err)
	}
	for _, bad := range []string{"http://0.0.0.0:0/x", "https://127.0.0.1:1/x", "http://127.0.0.1/x", "::"} {
		if _, err := oauth.Listen(withTimeout(t, 10*1e9), bad); err == nil {
			t.Errorf("listens at %s", bad)
		}
	}
}

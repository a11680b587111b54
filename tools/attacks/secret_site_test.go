package attacks_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/login/secret"
)

const (
	// vaultPassword is the value of {secret:PASSWORD}, which is bound to the bank of guarded.
	vaultPassword = "Tr0ub4dor&3-canary"
	// namedPassword is how calls name it.
	namedPassword = "{secret:PASSWORD}"
)

// bankMuxes are the banks of the attacks on guarded, by the first part of their paths: a secret is bound to
// an origin, so that they share one.
var (
	bankMuxes sync.Map
	bankCount atomic.Int64
	bank      = sync.OnceValue(func() *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			if mux, ok := bankMuxes.Load(id); ok {
				http.StripPrefix("/"+id, mux.(http.Handler)).ServeHTTP(w, r)
			}
		}))
	})
)

// bankOrigin is the origin that the secrets of guarded are bound to.
func bankOrigin() string {
	u, err := url.Parse(bank().URL)
	if err != nil {
		panic(err) // httptest makes it
	}
	return "http://bank.localhost:" + u.Port()
}

// openingWorkflow opens the address that its caller gives.
const openingWorkflow = `opens_address:
  parameters: { to: { type: string, required: true } }
  steps: [{ call: "callsheet:navigate", args: { url: "{{ to }}" } }]
`

// guarded is a server with the secret PASSWORD, which is bound to the bank.
var guarded = &server{
	config: func(dir string) app.Config {
		flows := filepath.Join(dir, "flows.yaml")
		if err := os.WriteFile(flows, []byte(openingWorkflow), 0o600); err != nil {
			panic(err) // the directory is the test's own
		}
		vault, err := secret.New(map[string]string{"PASSWORD@" + bankOrigin(): vaultPassword})
		if err != nil {
			panic(err) // the name and the value are right
		}
		return app.Config{Vault: vault, Surface: toolkit.Options{AllTools: true}, Workflows: app.Workflows{Path: flows}}
	},
	flags: func(dir string) []string {
		path := filepath.Join(dir, "secrets.env")
		if err := os.WriteFile(path, []byte("PASSWORD@"+bankOrigin()+"='"+vaultPassword+"'\n"), 0o600); err != nil {
			panic(err) // the directory is made
		}
		return []string{"--secrets", path}
	},
}

// loginForm is a page that sends what is typed to its own origin at once.
const loginForm = `<title>Login</title><label>Password <input id=pw autocomplete=off></label><button onclick="1">Sign in</button><script>
const say = () => { const x = new XMLHttpRequest(); x.open('POST', location.pathname.replace(/[^/]*$/, 'typed'), false); x.send(pw.value); };
pw.addEventListener('input', say);</script>`

// bankSite is a bank and the sites of attackers.
type bankSite struct {
	*site
	id string

	mu    sync.Mutex
	typed string // what the bank was sent last
}

func newBankSite(c *client) *bankSite {
	s := &bankSite{site: newSite(c.T), id: fmt.Sprintf("b%d", bankCount.Add(1))}
	mux := http.NewServeMux()
	bankMuxes.Store(s.id, http.Handler(mux))
	mux.HandleFunc("/typed", func(_ http.ResponseWriter, r *http.Request) {
		text := make([]byte, 1<<10)
		n, _ := r.Body.Read(text)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.typed = string(text[:n])
	})
	s.origins["bank"] = &origin{mux: mux, server: bank(), port: bankOrigin()[strings.LastIndexByte(bankOrigin(), ':')+1:]}
	s.bankPage("/login", loginForm)
	s.bankPage("/other", "<title>Other</title><p>nothing")
	s.page("evil", "/login", loginForm)
	return s
}

// bankPage serves a page of the bank. {ID} in it is the beginning of the bank's paths, {evil} the attacker.
func (s *bankSite) bankPage(path, html string) {
	html = "<!doctype html><meta charset=utf-8><link rel=icon href=data:,>" + strings.ReplaceAll(s.expand(html), "{ID}", "/"+s.id)
	s.origins["bank"].mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, html)
	})
}

// bankURL is the address of a path of the bank.
func (s *bankSite) bankURL(path string) string { return bankOrigin() + "/" + s.id + path }

// bankGot returns what was typed at the bank.
func (s *bankSite) bankGot() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typed
}

// keeps fails the attack when another origin, or the client, has the password.
func (s *bankSite) keeps(c *client) {
	c.Helper()
	for _, form := range []string{vaultPassword, "canary", url.QueryEscape(vaultPassword), "yranac", "c|a|n|a|r|y"} {
		c.lacks(s.requested(), form)
		c.lacks(c.saw(), form)
	}
}

package attacks_test

import (
	"fmt"
	"net/http"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// thief is a script of the caller that shows what is typed, letter by letter.
const thief = `window.stolen = 1; addEventListener('input', (e) => { document.title = [...e.target.value].join('|') }, true)`

// serveScript serves a script of the bank that browsers may store.
func (s *bankSite) serveScript(path, script string) {
	s.origins["bank"].mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = fmt.Fprint(w, script)
	})
}

// Attacks that put a script of the caller where the browser finds it again for the login page.
var _ = add(
	attack{
		name: "secrets_cached_script", about: "a rule replaces a script of the bank, which the browser stores; the login page gets that of the bank when the rule is gone",
		with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.serveScript("/thief.js", thief)
			for i, rule := range []args{
				{"do": "fulfill", "body": thief, "headers": []string{"Content-Type: text/javascript", "Cache-Control: max-age=3600"}},
				{"do": "modify_response", "body": thief, "headers": []string{"Cache-Control: max-age=3600"}},
				{"do": "modify_request", "url": s.bankURL("/thief.js")},
			} {
				script := fmt.Sprintf("/app%d.js", i)
				s.serveScript(script, "window.own = 1")
				s.bankPage(fmt.Sprint("/login", i), loginForm+`<script src="{ID}`+script+`"></script>`)
				c.ok("navigate", args{"url": s.bankURL("/other")})
				rule["action"], rule["pattern"] = "add", "*"+script
				c.ok("request_intercept", rule)
				load := `new Promise((done) => { const s = document.createElement('script'); s.src = '` + s.bankURL(script) + `'; s.onload = () => done(window.stolen); document.head.append(s) })`
				if got := c.script(load); got != "1" {
					c.Errorf("%v: the script is not replaced: %s", rule, got)
				}
				c.ok("request_intercept", args{"action": "clear"})
				c.ok("navigate", args{"url": s.bankURL(fmt.Sprint("/login", i))})
				c.ok("form_input", args{"query": "Password", "value": namedPassword})
				c.ok("tabs_context", nil)
				if s.bankGot() != vaultPassword {
					c.Errorf("%v: the bank got %q", rule, s.bankGot())
				}
			}
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_stored_by_worker", about: "a script of the caller changes what the bank's service worker stores; nothing is typed until the page is loaded without the worker",
		with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			s.serveScript("/app.js", "window.own = 1")
			s.serveScript("/worker.js", `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
				onfetch = (e) => e.respondWith(caches.open('v1').then(async (c) => await c.match(e.request) || fetch(e.request)))`)
			s.bankPage("/start", `<title>Start</title><script>navigator.serviceWorker.register('{ID}/worker.js');
				navigator.serviceWorker.ready.then(() => { document.title = 'ready' })</script>`)
			s.bankPage("/signin", loginForm+`<script src="{ID}/app.js"></script>`)
			s.bankPage("/framed", `<title>Framed</title><iframe src="{ID}/signin"></iframe>`)
			fill := args{"query": "Password", "value": namedPassword}
			c.ok("navigate", args{"url": s.bankURL("/start")})
			c.titled("ready")
			c.ok("navigate", args{"url": s.bankURL("/signin")})
			c.ok("form_input", fill) // no script of the caller has run
			c.ok("navigate", args{"url": s.bankURL("/other")})
			c.script(`caches.open('v1').then((c) => c.put('` + s.bankURL("/app.js") + `', new Response(` + "`" + thief + "`" + `, {headers: {'Content-Type': 'text/javascript'}})))`)
			for _, path := range []string{"/signin", "/framed"} {
				c.ok("navigate", args{"url": s.bankURL(path)})
				c.refused("POLICY_DENIED", "form_input", fill, "ignoreCache")
				c.refused("POLICY_DENIED", "act", args{"steps": []any{args{"action": "type", "query": "Password", "value": namedPassword}}}, "ignoreCache")
			}
			tab := tooltest.TabID(c.ok("tabs_create", args{"url": s.bankURL("/signin")}))
			fill["tabId"] = tab
			c.refused("POLICY_DENIED", "form_input", fill, "ignoreCache")
			c.ok("page_reload", args{"tabId": tab, "ignoreCache": true})
			c.ok("form_input", fill)
			c.ok("tabs_context", nil)
			s.keeps(c)
		},
	},
)

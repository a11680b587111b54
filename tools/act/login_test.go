package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/tooltest"
)

const loginPassword = "correct horse 7!"

// serveLogins serves login pages of several kinds: one form, one page each for user, password and code, a script that
// shows the fields one after the other, and one that refuses every password.
func serveLogins(t *testing.T) (origin string) {
	form := func(action, fields string) string {
		return `<title>Log in</title><form method=post action=` + action + `><input type=search aria-label=Search hidden>` + fields + `<button>Go on</button></form>`
	}
	const user, password = `<label>Customer <input name=customer></label>`, `<label>Secret word <input type=password name=pw></label>`
	pages := map[string]string{
		"/one": form("/checked", user+password), "/refusing": form("/refusing", user+password),
		"/user":     form("/password", `<input type=email name=mail aria-label="E-mail">`),
		"/password": form("/code", password),
		"/code":     form("/home", `<input name=c autocomplete=one-time-code aria-label=Code>`),
		"/script": `<title>App</title><input id=u name=username aria-label=User><script>
			u.onkeydown = (e) => { if (e.key !== "Enter") return; u.hidden = true; setTimeout(() => {
			document.body.insertAdjacentHTML("beforeend", '<input id=p type=password aria-label=Password>');
			p.onkeydown = (e) => { if (e.key === "Enter") setTimeout(() => { document.body.textContent = "Hello from script"; }, 300); };
			}, 300); };</script>`,
		"/none": "<p>Nothing to fill in.",
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_ = r.ParseForm()
		switch {
		case r.Method == http.MethodPost && (r.URL.Path == "/checked" || r.URL.Path == "/code") && r.Form.Get("pw") != loginPassword,
			r.URL.Path == "/checked" && r.Form.Get("customer") != "ann@shop.example",
			r.URL.Path == "/home" && !regexp.MustCompile(`^\d{6}$`).MatchString(r.Form.Get("c")):
			_, _ = fmt.Fprint(w, "<p>Wrong.")
		case pages[r.URL.Path] != "":
			_, _ = fmt.Fprint(w, pages[r.URL.Path])
		default:
			_, _ = fmt.Fprint(w, "<title>Home</title><h1>Welcome, Ann</h1>")
		}
	}))
	t.Cleanup(site.Close)
	return strings.Replace(site.URL, "127.0.0.1", "shop.localhost", 1)
}

// TestLogin signs in by name on pages of several kinds; no answer has a secret.
func TestLogin(t *testing.T) {
	keyring.MockInit() // no keyring of a person is asked
	t.Setenv("CALLSHEET_TOTP_SHOP_LOCALHOST", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
	origin := serveLogins(t)
	vault, err := secret.New(map[string]string{
		"SHOP_USER@" + origin: "ann@shop.example", "SHOP_PASSWORD@" + origin: loginPassword, "FREE_PASSWORD": "unbound word",
	})
	if err != nil {
		t.Fatal(err)
	}
	c := tooltest.NewOwnServer(t, app.Config{Vault: vault, Surface: toolkit.Options{AllTools: true}}).Connect(t.Name(), "", nil)
	c.Call("navigate", tooltest.Args{"url": origin + "/none"})
	for _, k := range []struct {
		url, expect string
		want        []string
	}{
		{"/one", "Welcome", []string{"logged in as shop", "[secret:SHOP", `"Customer"`}},
		{"/one", "", []string{"logged in as shop"}},
		{"/user", `{"dom_text":"Welcome, Ann","url":"/home","not":{"element":"input"}}`, []string{"logged in", `"Code"`}},
		{origin + "/script", "Hello from script", []string{"logged in"}},
	} {
		args := tooltest.Args{"name": "shop", "url": k.url}
		if k.expect != "" {
			args["expect"] = k.expect
		}
		if text := c.Expect("login", args, k.want...); strings.Contains(text, loginPassword) || strings.Contains(text, "ann@") {
			t.Errorf("%s: the answer has a secret: %s", k.url, text)
		}
	}
	c.ExpectRefusal("FAILED", "login", tooltest.Args{"name": "shop", "url": "/refusing"}, "login has failed", "done before")
	c.ExpectRefusal("POLICY_DENIED", "login", tooltest.Args{"name": "shop", "url": "https://shop.example/"}, "SHOP_PASSWORD is bound to "+origin)
	c.ExpectRefusal("POLICY_DENIED", "login", tooltest.Args{"name": "free"}, "bound to no origin")
	c.ExpectRefusal("INVALID_ARGUMENTS", "login", tooltest.Args{"name": "shopp"}, "SHOPP_PASSWORD", "did you mean")
	c.ExpectRefusal("INVALID_ARGUMENTS", "login", tooltest.Args{"name": "shop", "expect": `{"dom_txt":"x"}`}, "expect", "dom_text")
	c.Call("navigate", tooltest.Args{"url": origin + "/none"})
	c.ExpectRefusal("NOT_FOUND", "login", tooltest.Args{"name": "shop"}, "no field")
}

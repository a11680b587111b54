package attacks_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/websocket"
)

// tellingForm is a login page that sends the password, in forms that it makes of it and in parts, as messages of a
// WebSocket, which the bank sends back, and as a request; and shows it in its markup.
const tellingForm = loginForm + `<button onclick="tell()">Tell</button><p id=echo>echo</p><script>
function tell() {
  const v = pw.value, both = JSON.stringify({p: v}), html = v.replace('&', '&amp;');
  const forms = [v, btoa(v), btoa('a' + v), btoa('ab' + v), encodeURIComponent(v), encodeURIComponent(encodeURIComponent(v)), encodeURIComponent(btoa('~~?' + v)),
    encodeURIComponent(html), encodeURIComponent(both), html, both, JSON.stringify(both), CSS.escape(v), [...v].reverse().join(''), v.toUpperCase(),
    [...v].map((c) => c.charCodeAt(0).toString(16)).join('')];
  const parts = [v.slice(0, 9), v.slice(9), 'so ' + v.slice(0, 5), v.slice(5, 12), v.slice(12) + ' ends', ...v, btoa(v).slice(0, 9), btoa(v).slice(9)];
  const ws = new WebSocket(location.href.replace('http', 'ws').replace('/telling', '/ws'));
  let left = forms.length + parts.length;
  ws.onmessage = () => { if (!--left) document.title = 'told'; };
  ws.onopen = () => { for (const m of [...forms.map((f) => 'm ' + f), ...parts]) ws.send(m); };
  echo.title = v; echo.textContent = 'words '.repeat(9) + v; echo.id = v;
  fetch('told', {method: 'POST', body: 'words=' + v + '&more=' + 'z'.repeat(40)});
}</script>`

// tellPassword opens the page, types the password and has the page tell it.
func tellPassword(c *client, s *bankSite) {
	s.bankPage("/telling", tellingForm)
	s.origins["bank"].mux.HandleFunc("/told", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = fmt.Fprint(w, "got ")
		_, _ = io.Copy(w, r.Body)
	})
	s.origins["bank"].mux.Handle("/ws", websocket.Handler(func(ws *websocket.Conn) { _, _ = io.Copy(ws, ws) }))
	c.ok("navigate", args{"url": s.bankURL("/telling")})
	c.ok("network_capture_full", args{"action": "start"})
	c.ok("form_input", args{"query": "Password", "value": namedPassword})
	c.ok("interact", args{"query": "Tell"})
	c.titled("told")
}

// captured returns the number of the request of a path.
func captured(c *client, path string) json.Number {
	c.Helper()
	found := regexp.MustCompile(`(?m)^(\d+) \S+ \S+` + path + `\b`).FindStringSubmatch(c.ok("network_capture_full", args{"action": "get"}))
	if found == nil {
		c.Fatalf("there is no request of %s", path)
	}
	return json.Number(found[1])
}

// hasPart returns a part of the password, of four characters or more, that a text has.
func hasPart(text string) string {
	for i := range len(vaultPassword) - 3 {
		if part := vaultPassword[i : i+4]; strings.Contains(text, part) {
			return part
		}
	}
	return ""
}

// Attacks that get the password part by part.
var _ = add(
	attack{
		name: "secrets_in_messages", about: "a page sends the password in messages of a WebSocket, encoded and spread over several; no answer has a form or a part of it",
		with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			tellPassword(c, s)
			number := captured(c, "/ws")
			said := c.ok("network_capture_full", args{"action": "messages", "number": number, "limit": 500})
			if n := strings.Count(said, "[secret:PASSWORD]"); n < 2*20 {
				c.Errorf("%d messages are redacted:\n%s", n, said)
			}
			c.contains(said, "so [secret:PASSWORD]", " ends", `m {"p":"[secret:PASSWORD]"}`)
			for seq := range 20 {
				said += c.ok("network_capture_full", args{"action": "messages", "number": number, "since": 14 + seq, "sent": seq%2 == 0})
			}
			for _, part := range []string{vaultPassword[:9], vaultPassword[5:12]} {
				found := c.ok("network_capture_full", args{"action": "messages", "number": number, "contains": part})
				c.contains(found, ", 0 fit")
			}
			reversed := []rune(vaultPassword)
			slices.Reverse(reversed)
			if part := hasPart(said); part != "" {
				c.Errorf("%q is in %s", part, said)
			}
			c.lacks(said, string(reversed[:6]), strings.ToUpper(vaultPassword)[:6], hex.EncodeToString([]byte(vaultPassword))[:8],
				base64.StdEncoding.EncodeToString([]byte(vaultPassword))[:9], base64.StdEncoding.EncodeToString([]byte("a" + vaultPassword))[3:12],
				url.QueryEscape(url.QueryEscape(vaultPassword)))
			s.keeps(c)
		},
	},
	attack{
		name: "secrets_cut", about: "the caller cuts bodies and markup within the password, to have its parts one after the other; no part is given",
		with: guarded, on: []transport{overStdio},
		run: func(c *client) {
			s := newBankSite(c)
			tellPassword(c, s)
			number := captured(c, "/told")
			part := func(tool string, a args) {
				c.Helper()
				if got := c.call(tool, a); hasPart(got.text) != "" {
					c.Errorf("%s %v gives %q of %s", tool, a, hasPart(got.text), got.text)
				}
			}
			for offset := range 2 * len(vaultPassword) {
				part("network_capture_full", args{"action": "body", "number": number, "offset": offset, "maxBytes": 9})
				part("network_capture_full", args{"action": "body", "number": number, "offset": offset, "maxBytes": 12, "sent": true})
			}
			markup := c.ok("page_content", args{"selector": "p"})
			for most := 1; most < len(markup); most += 3 {
				got := c.call("page_content", args{"selector": "p", "max_bytes": most})
				if hasPart(got.text) != "" {
					c.Errorf("page_content cut at %d gives %q", most, got.text)
				}
				if cursor := regexp.MustCompile(`r\d+@`).FindString(got.text); cursor != "" {
					part("page_content", args{"cursor": fmt.Sprint(cursor, most/2), "max_bytes": 9})
				}
			}
			for most := 30; most < 200; most += 7 {
				for _, mode := range []string{"full", "dom", "markdown"} {
					part("read_page", args{"mode": mode, "max_bytes": most})
				}
			}
			c.contains(c.saw(), "request body of", "response body of", "[secret:PASSWORD]", "continues]")
			s.keeps(c)
		},
	},
)

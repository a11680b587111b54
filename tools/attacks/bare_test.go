package attacks_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// bareCall makes a tools/call without a protocol, with these headers, and returns the answer.
func (c *client) bareCall(tool string, a, meta args, headers ...string) (text, handle string) {
	c.Helper()
	params := args{"name": tool, "arguments": a}
	if meta != nil {
		params["_meta"] = meta
	}
	body, err := json.Marshal(args{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		c.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.server.http, strings.NewReader(string(body)))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return string(out), res.Header.Get("Callsheet-Session")
}

// Attacks by bare and stateless requests, which bring no session.
var _ = add(
	attack{
		name: "bare_shares_tabs", about: "a bare request reads the tabs that another one has opened",
		on: []transport{overNothing},
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>victims-tab</title>`)
			opened, handle := c.bareCall("navigate", args{"url": s.url("bank", "/")}, nil)
			c.contains(opened, "victims-tab")
			seen, _ := c.bareCall("tabs_context", args{}, nil)
			c.lacks(seen, "victims-tab")
			own, _ := c.bareCall("tabs_context", args{}, nil, "Callsheet-Session", handle)
			c.contains(own, "victims-tab")
		},
	},
	attack{
		name: "bare_shares_cookies", about: "a bare request sends the cookies of another one's login",
		on: []transport{overNothing},
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<script>if (location.hash) document.cookie = 'login=victim'; document.title = 'has ' + document.cookie</script>`)
			c.bareCall("navigate", args{"url": s.url("bank", "/#in")}, nil)
			seen, _ := c.bareCall("navigate", args{"url": s.url("bank", "/")}, nil)
			c.lacks(seen, "login=victim")
		},
	},
	attack{
		name: "bare_guesses_names", about: "a bare request enters a session by a name that others might have",
		on: []transport{overNothing},
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>victims-tab</title>`)
			c.bareCall("navigate", args{"url": s.url("bank", "/")}, nil)
			for _, name := range []string{"default", "stdio", "stdio-2", "work", "session", "1"} {
				byMeta, _ := c.bareCall("tabs_context", args{}, args{"callsheet/session": name})
				byHeader, _ := c.bareCall("tabs_context", args{}, nil, "Callsheet-Session", name)
				c.contains(byMeta, `"error"`, "-32602")
				c.contains(byHeader, `"error"`, "-32602")
			}
		},
	},
	attack{
		name: "bare_enters_protocol_session", about: "a bare request enters the session of an MCP client by its id in _meta",
		on: []transport{overHTTP},
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>victims-tab</title>`)
			c.ok("navigate", args{"url": s.url("bank", "/")})
			seen, _ := c.bareCall("tabs_context", args{}, args{"callsheet/session": c.session.ID()})
			c.contains(seen, `"error"`)
			c.lacks(seen, "victims-tab")
		},
	},
	attack{
		name: "bare_enters_line_session", about: "a bare request over HTTP enters the session of a client on standard input and output",
		on: []transport{overStdio},
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>victims-tab</title>`)
			c.ok("navigate", args{"url": s.url("bank", "/")})
			for _, name := range []string{"stdio", "stdio-1", "stdio-"} {
				seen, _ := c.bareCall("tabs_context", args{}, args{"callsheet/session": name})
				c.lacks(seen, "victims-tab")
			}
		},
	},
	attack{
		name: "bare_fixes_handle", about: "an attacker gives a victim a handle of its own choice, to enter the session later; only given handles work",
		on: []transport{overNothing},
		run: func(c *client) {
			text, handle := c.bareCall("tabs_context", args{}, nil, "Callsheet-Session", strings.Repeat("A", 26))
			c.contains(text, `"error"`)
			if handle != "" {
				c.Errorf("the response has the handle %q", handle)
			}
		},
	},
	attack{
		name: "bare_handle_in_results", about: "the handle of a session appears in what tools tell, where a page or a log could carry it away",
		on: []transport{overNothing},
		run: func(c *client) {
			text, handle := c.bareCall("navigate", args{"url": "data:text/plain,a"}, nil)
			journal, _ := c.bareCall("oc_journal", args{"action": "recent"}, nil, "Callsheet-Session", handle)
			if handle == "" {
				c.Fatal("no handle")
			}
			c.lacks(text+journal, handle)
		},
	},
)

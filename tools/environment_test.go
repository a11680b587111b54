package tools_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// wire is a server that remembers the last head of each request by path, and has what the tools of this file need.
type wire struct {
	URL   string // http://127.0.0.1:port
	OtherURL string // the same server as another site

	mu    sync.Mutex
	heads map[string]http.Header
}

func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{heads: map[string]http.Header{}}
	srv := httptest.NewServer(w)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	w.URL = srv.URL
	w.OtherURL = "http://localhost" + srv.URL[strings.LastIndex(srv.URL, ":"):]
	return w
}

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.heads[r.URL.Path] = r.Header.Clone()
	w.mu.Unlock()
	rw.Header().Set("Accept-CH", "Sec-CH-UA-Model, Sec-CH-UA-Platform-Version")
	page := func(body string) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, "<!doctype html><title>Wire</title><link rel=icon href=data:,>"+body)
	}
	switch r.URL.Path {
	case "/frames":
		page(fmt.Sprintf(`<iframe src="%s/framed"></iframe>`, w.OtherURL))
	case "/framed":
		page(`<script>fetch("/from-frame")</script>`)
	case "/opener":
		page(`<script>function pop() { window.popup = window.open("/popup") }</script>`)
	case "/popup":
		page(`<script>setTimeout(() => fetch("/from-popup"), 300)</script>`)
	case "/secret":
		if user, password, ok := r.BasicAuth(); !ok || user != "ada" || password != "love lace" {
			rw.Header().Set("WWW-Authenticate", `Basic realm="wire"`)
			http.Error(rw, "who are you", http.StatusUnauthorized)
			return
		}
		page("<h1>come in</h1>")
	case "/gone":
		http.Error(rw, "gone", http.StatusNotFound)
	case "/large":
		_, _ = rw.Write(make([]byte, 100_000))
	default:
		page(fmt.Sprintf("<pre>%s</pre>", html.EscapeString(r.URL.RequestURI())))
	}
}

// head waits for a request and returns its head.
func (w *wire) head(t *testing.T, path string) http.Header {
	t.Helper()
	var head http.Header
	eventually(t, "a request for "+path, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		head = w.heads[path]
		return head != nil
	})
	return head
}

// forget makes head wait for the next request.
func (w *wire) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.heads)
}

// js evaluates code in the page; the text must contain want.
func (c client) js(code, want string) {
	c.T.Helper()
	c.says("javascript_tool", args{"code": code}, want)
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	real := w.head(t, "/").Get("User-Agent")

	c.says("user_agent", args{"preset": "chrome-android"}, "user agent chrome-android")
	for _, path := range []string{"/1", "/2"} { // and after the tab has been to another site, in another process
		c.call("navigate", args{"url": w.OtherURL + path})
		c.call("navigate", args{"url": w.URL + path})
		h := w.head(t, path)
		if ua := h.Get("User-Agent"); !strings.Contains(ua, "Android 10; K") || !strings.Contains(ua, "Mobile Safari") {
			t.Errorf("%s came as %q", path, ua)
		}
		if got := h.Get("Sec-CH-UA-Mobile") + h.Get("Sec-CH-UA-Platform"); got != `?1"Android"` {
			t.Errorf("%s came with hints %s", path, got)
		}
	}
	if got := w.head(t, "/2").Get("Sec-CH-UA-Model"); got != `"Pixel 9"` {
		t.Errorf("the model is %s", got)
	}
	c.js("[navigator.platform, navigator.userAgentData.mobile, (await navigator.userAgentData.getHighEntropyValues(['model'])).model].join()", "Linux armv81,true,Pixel 9")

	c.says("user_agent", args{"preset": "safari-iphone"}, "safari-iphone")
	c.call("navigate", args{"url": w.URL + "/3"})
	if h := w.head(t, "/3"); !strings.Contains(h.Get("User-Agent"), "iPhone") || h.Get("Sec-CH-UA") != "" {
		t.Errorf("Safari came as %q with hints %q", h.Get("User-Agent"), h.Get("Sec-CH-UA"))
	}
	c.says("user_agent", args{"custom": "Robot/1.0"}, "Robot/1.0")
	c.call("navigate", args{"url": w.URL + "/4"})
	if got := w.head(t, "/4").Get("User-Agent"); got != "Robot/1.0" {
		t.Errorf("the custom one came as %q", got)
	}

	c.refused("INVALID_ARGUMENTS", "user_agent", args{"preset": "chrome-window"}, "chrome-windows")
	c.refused("INVALID_ARGUMENTS", "user_agent", args{"custom": "a\nb"}, "printable")
	c.refused("INVALID_ARGUMENTS", "user_agent", args{"custom": "a", "preset": "bingbot"})
	c.js("navigator.userAgent", "Robot/1.0")

	c.says("user_agent", args{"reset": true}, `reset user agent "Robot/1.0"`)
	c.says("user_agent", args{"reset": true}, "nothing was overridden")
	c.call("navigate", args{"url": w.URL + "/5"})
	if got := w.head(t, "/5").Get("User-Agent"); got != real {
		t.Errorf("after the reset it came as %q, and before as %q", got, real)
	}
}

// TestOverridesReachFramesAndPopups: a frame of another site has a process of its own, and a popup a tab.
func TestOverridesReachFramesAndPopups(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/opener"})
	c.call("user_agent", args{"custom": "Robot/2.0"})
	c.call("emulate_environment", args{"headers": []string{"X-Robot: yes"}, "timezone": "Asia/Tokyo"})
	c.call("javascript_tool", args{"code": "pop()"})
	if h := w.head(t, "/from-popup"); h.Get("User-Agent") != "Robot/2.0" || h.Get("X-Robot") != "yes" {
		t.Errorf("the popup's page asked as %q, %q", h.Get("User-Agent"), h.Get("X-Robot"))
	}
	c.call("navigate", args{"url": w.URL + "/frames"})
	for _, path := range []string{"/framed", "/from-frame"} {
		if h := w.head(t, path); h.Get("User-Agent") != "Robot/2.0" || h.Get("X-Robot") != "yes" {
			t.Errorf("%s came as %q, %q", path, h.Get("User-Agent"), h.Get("X-Robot"))
		}
	}
	c.says("emulate_environment", args{"reset": true}, `user agent "Robot/2.0"`, "headers X-Robot", "timezone Asia/Tokyo")
	w.forget()
	c.call("navigate", args{"url": w.URL + "/frames"})
	if h := w.head(t, "/from-frame"); h.Get("User-Agent") == "Robot/2.0" || h.Get("X-Robot") != "" {
		t.Errorf("after the reset the frame asked as %q, %q", h.Get("User-Agent"), h.Get("X-Robot"))
	}
}

func TestGeolocation(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	const where = `new Promise(r => navigator.geolocation.getCurrentPosition(p => r([p.coords.latitude, p.coords.longitude, p.coords.accuracy].join()), e => r("error " + e.code), {timeout: 5000}))`
	c.says("geolocation", args{"preset": "seoul"}, "37.5665,126.978 Seoul")
	c.js(where, "37.5665,126.978,100")
	c.call("navigate", args{"url": w.OtherURL + "/"})
	c.js(where, "37.5665,126.978,100")
	c.says("geolocation", args{"latitude": -90, "longitude": 180, "accuracy": 5}, "-90,180")
	c.js(where, "-90,180,5")
	for _, bad := range []args{
		{"latitude": 90.5, "longitude": 0}, {"latitude": 0, "longitude": -181}, {"latitude": 1}, {"longitude": 1}, {},
		{"latitude": 1, "longitude": 1, "accuracy": -1}, {"preset": "soul"}, {"preset": "seoul", "reset": true},
	} {
		c.refused("INVALID_ARGUMENTS", "geolocation", bad)
	}
	c.js(where, "-90,180,5")
	c.says("geolocation", args{"reset": true}, "reset geolocation -90,180")
	c.js("(await navigator.permissions.query({name: 'geolocation'})).state", "prompt")
}

func TestEmulateDevice(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	const screen = "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints, 'ontouchstart' in window, matchMedia('(pointer: coarse)').matches].join()"
	c.call("navigate", args{"url": w.URL + "/"})
	c.js(screen, "1280,720,1,0,false,false")
	c.says("emulate_device", args{"preset": "pixel-7"}, "pixel-7 412x915@2.625 mobile touch")
	c.call("navigate", args{"url": w.URL + "/phone"})
	c.js("[screen.width, screen.height, devicePixelRatio, navigator.maxTouchPoints, 'ontouchstart' in window, screen.orientation.type].join()", "412,915,2.625,5,true,portrait-primary")
	c.js("(await navigator.userAgentData.getHighEntropyValues(['model'])).model", "Pixel 7")
	if h := w.head(t, "/phone"); h.Get("Sec-CH-UA-Mobile") != "?1" || !strings.Contains(h.Get("User-Agent"), "Android") {
		t.Errorf("the phone came as %q, mobile %s", h.Get("User-Agent"), h.Get("Sec-CH-UA-Mobile"))
	}
	c.says("emulate_device", args{"preset": "ipad-mini", "landscape": true}, "1024x768@2")
	c.js("screen.orientation.type", "landscape-primary")
	c.call("emulate_device", args{"preset": "laptop-15"})
	c.call("navigate", args{"url": w.URL + "/laptop"})
	c.js(screen, "1440,900,2,0,false,false")
	if ua := w.head(t, "/laptop").Get("User-Agent"); strings.Contains(ua, "iPad") || strings.Contains(ua, "Android") {
		t.Errorf("the laptop came as %q", ua)
	}
	c.says("emulate_device", args{"width": 300, "height": 200, "scale": 1.5, "touch": true}, "custom 300x200@1.5 touch")
	c.refused("INVALID_ARGUMENTS", "emulate_device", args{"width": 0, "height": 10}, "1 to 10000")
	c.refused("INVALID_ARGUMENTS", "emulate_device", args{"width": 300}, "1 to 10000")
	c.refused("INVALID_ARGUMENTS", "emulate_device", args{"width": 300, "height": 10, "scale": 99}, "0.1 to 10")
	c.refused("INVALID_ARGUMENTS", "emulate_device", args{"preset": "iphone14"}, "iphone-14")
	c.js("[innerWidth, innerHeight, devicePixelRatio].join()", "300,200,1.5")
	c.says("emulate_device", args{"reset": true}, "reset device custom 300x200")
	c.call("page_reload", nil)
	c.js(screen, "1280,720,1,0,false,false")
}

func TestEmulateEnvironment(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	const look = `[matchMedia("(prefers-color-scheme: dark)").matches, matchMedia("(prefers-reduced-motion: reduce)").matches, matchMedia("(forced-colors: active)").matches,
		Intl.DateTimeFormat().resolvedOptions().timeZone, new Intl.NumberFormat().format(1234.5), navigator.language].join("|")`
	before := c.call("javascript_tool", args{"code": look})
	c.says("emulate_environment", args{
		"colorScheme": "dark", "reducedMotion": "reduce", "forcedColors": "active", "locale": "de-DE", "timezone": "Asia/Tokyo",
		"headers": []string{"X-Trace: 7", "Authorization: Bearer tip-top"}, "permissions": []string{"notifications=granted", "camera=denied"},
	}, "prefers-color-scheme=dark", "locale de-DE", "timezone Asia/Tokyo", "headers X-Trace, Authorization", "camera=denied")
	c.call("navigate", args{"url": w.OtherURL + "/"})
	c.call("navigate", args{"url": w.URL + "/set"})
	c.js(look, "true|true|true|Asia/Tokyo|1.234,5|de-DE")
	c.js("Notification.permission", "granted")
	c.js("(await navigator.permissions.query({name: 'camera'})).state", "denied")
	h := w.head(t, "/set")
	if h.Get("X-Trace") != "7" || h.Get("Authorization") != "Bearer tip-top" || !strings.HasPrefix(h.Get("Accept-Language"), "de-DE,de") {
		t.Errorf("the request had %q, %q, %q", h.Get("X-Trace"), h.Get("Authorization"), h.Get("Accept-Language"))
	}
	for _, bad := range []struct {
		args args
		want string
	}{
		{args{"timezone": "Mars/Olympus"}, "Europe/Berlin"}, {args{"locale": "not a locale"}, "de-DE"}, {args{"cpu": 0.5}, "1 (as it is) to 100"},
		{args{"headers": []string{"no colon"}}, "Name: value"}, {args{"headers": []string{"Host: x"}}, "browser's own"},
		{args{"headers": []string{"A: b\r\nC: d"}}, "Name: value"}, {args{"permissions": []string{"camera"}}, "name=granted"},
		{args{"permissions": []string{"camra=granted"}}, "camra"}, {args{"colorScheme": "drak"}, "dark"}, {args{"reset": false}, "true"}, {args{}, ""},
	} {
		c.refused("INVALID_ARGUMENTS", "emulate_environment", bad.args, bad.want)
	}
	c.js(look, "true|true|true|Asia/Tokyo|1.234,5|de-DE")
	c.js("(await navigator.permissions.query({name: 'camera'})).state", "denied")
	c.says("emulate_environment", args{"colorScheme": "auto", "headers": []string{}}, "headers not overridden", "reduced-motion=reduce")
	c.js(look, "false|true|true|Asia/Tokyo")
	text := c.says("emulate_environment", args{"reset": true}, "media prefers-reduced-motion=reduce", "locale de-DE", "timezone Asia/Tokyo", "permissions camera=denied")
	if strings.Contains(text, "tip-top") {
		t.Errorf("a secret is told: %s", text)
	}
	c.call("navigate", args{"url": w.URL + "/reset"})
	if after := c.call("javascript_tool", args{"code": look}); after != before {
		t.Errorf("after the reset %s, before %s", after, before)
	}
	if h := w.head(t, "/reset"); h.Get("X-Trace")+h.Get("Authorization") != "" {
		t.Errorf("after the reset requests have %v", h)
	}
}

// TestCPU compares the same work with itself, on a machine that may be busy.
func TestCPU(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	work := func() float64 {
		var ms float64
		best := 1e9
		for range 3 {
			text := c.call("javascript_tool", args{"code": "const t = performance.now(); let n = 0; for (let i = 0; i < 2e7; i++) n += i % 7; performance.now() - t + 0 * n"})
			if _, err := fmt.Sscan(text, &ms); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			best = min(best, ms)
		}
		return best
	}
	fast := work()
	c.says("emulate_environment", args{"cpu": 20}, "cpu 20 times slower")
	slow := work()
	c.says("emulate_environment", args{"cpu": 1}, "cpu not overridden")
	again := work()
	if slow < 3*fast || again > slow {
		t.Errorf("%.0f ms, then 20 times slower %.0f ms, then %.0f ms again", fast, slow, again)
	}
}

func TestNetworkConditions(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	fetched := func() (ms float64) {
		t.Helper()
		text := c.call("javascript_tool", args{"code": `const t = performance.now(); await (await fetch("/large?" + Math.random())).arrayBuffer(); performance.now() - t`})
		if _, err := fmt.Sscan(text, &ms); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		return ms
	}
	fetched()
	c.says("network", args{"preset": "custom", "downloadKbps": 800, "uploadKbps": 800, "latencyMs": 100}, "custom 800/800 kbit/s, 100 ms")
	if ms := fetched(); ms < 900 { // 100 kB at 100 kB/s, and never faster, whatever the machine does
		t.Errorf("100 kB at 800 kbit/s took %.0f ms", ms)
	}
	c.call("navigate", args{"url": w.OtherURL + "/"})
	if ms := fetched(); ms < 900 {
		t.Errorf("on another site it took %.0f ms", ms)
	}
	c.says("network", args{"preset": "offline"}, "offline")
	c.js("navigator.onLine", "false")
	c.js(`fetch("/x").then(() => "came", e => "failed " + e.name)`, "failed TypeError")
	c.refused("INVALID_ARGUMENTS", "network", args{"preset": "custom", "downloadKbps": 1})
	c.refused("INVALID_ARGUMENTS", "network", args{"preset": "custom", "downloadKbps": 0, "uploadKbps": 1, "latencyMs": 1}, "above 0")
	c.refused("INVALID_ARGUMENTS", "network", args{"preset": "5g"})
	c.refused("INVALID_ARGUMENTS", "network", args{"preset": "3g", "latencyMs": 1}, "custom")
	c.js("navigator.onLine", "false")
	c.says("network", args{"preset": "clear"}, "reset network offline")
	c.js("navigator.onLine", "true")
	best := 1e9
	for range 5 {
		best = min(best, fetched())
	}
	if best > 800 {
		t.Errorf("after the reset it takes %.0f ms", best)
	}
}

func TestHTTPAuth(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.says("navigate", args{"url": w.URL + "/secret"}, "401")
	text := c.call("http_auth", args{"action": "set", "username": "ada", "password": "wrong one"})
	c.says("navigate", args{"url": w.URL + "/secret"}, "401")
	text += c.call("http_auth", args{"action": "set", "username": "ada", "password": "love lace"})
	c.says("navigate", args{"url": w.URL + "/secret"}, "200")
	c.says("read_page", nil, "come in")
	text += c.call("emulate_environment", args{"reset": true})
	if !strings.Contains(text, "reset HTTP credentials") || strings.Contains(text, "lace") || strings.Contains(text, "wrong one") {
		t.Errorf("told: %s", text)
	}
	c.says("http_auth", args{"action": "clear"}, "no credentials")
	// Another origin asks for the credentials of this one and does not get them.
	c.call("http_auth", args{"action": "set", "username": "ada", "password": "love lace", "origin": w.URL})
	c.says("navigate", args{"url": w.OtherURL + "/secret"}, "401")
	if got := w.head(t, "/secret").Get("Authorization"); got != "" {
		t.Errorf("another origin got %q", got)
	}
	c.refused("INVALID_ARGUMENTS", "http_auth", args{"action": "set", "username": "a", "password": "b", "origin": "nowhere"}, "https://example.com")
	c.refused("INVALID_ARGUMENTS", "http_auth", args{"action": "set", "username": "a"})
	// With a rule beside them, both work.
	c.call("request_intercept", args{"action": "add", "do": "modify_request", "pattern": "*/secret", "headers": []string{"X-Both: yes"}})
	c.call("http_auth", args{"action": "set", "username": "ada", "password": "love lace", "origin": w.OtherURL})
	c.says("navigate", args{"url": w.OtherURL + "/secret"}, "200")
	if got := w.head(t, "/secret").Get("X-Both"); got != "yes" {
		t.Errorf("beside credentials, the rule set %q", got)
	}
	c.says("http_auth", args{"action": "clear"}, "cleared")
	// A page's own request that a rule lets pass, and that nobody has credentials for, fails instead of waiting for a person.
	c.call("request_intercept", args{"action": "add", "do": "modify_request", "pattern": "*/secret*", "headers": []string{"X-Both: yes"}})
	third := strings.Replace(w.OtherURL, "localhost", "third.localhost", 1) // at which the browser has not logged in
	c.call("navigate", args{"url": third + "/"})
	c.js(`fetch("/secret?again").then(r => r.status)`, "401")
}

package performance_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveSlowPage is a page with one of everything that is slow: a style sheet that holds up
// rendering, a large picture, a long task, something that shifts, and a secret in an address.
func serveSlowPage(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "tip-top"})
			fmt.Fprint(w, `<!doctype html><title>Slow</title><link rel=icon href=data:,><link rel=stylesheet href="/late.css?token=tip-top">
<img id=hero src=/hero.svg width=600 height=400><div id=gap></div><p>below</p><button onclick="busy(160)">Press</button>
<script src=/busy.js></script>`)
		case "/late.css":
			select { // the trace must show a style sheet that blocks rendering
			case <-time.After(400 * time.Millisecond):
			case <-r.Context().Done():
			}
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, "p{color:red}")
		case "/busy.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, "function busy(ms){const t=performance.now();while(performance.now()-t<ms);}\nbusy(150);\nsetTimeout(()=>{document.getElementById('gap').style.height='200px'},300)")
		case "/hero.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400" fill="#36c"/><circle cx="300" cy="200" r="90" fill="#fc3"/></svg><!--`+strings.Repeat("x", 150_000)+`-->`)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func TestPerformanceMetrics(t *testing.T) {
	t.Parallel()
	home, c := serveSlowPage(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	var text string
	tooltest.Eventually(t, "the page has an LCP and a layout shift", func() bool {
		text = c.Call("performance_metrics", nil)
		return regexp.MustCompile(`LCP \d+ ms`).MatchString(text) && !strings.Contains(text, "CLS 0.000")
	})
	for _, want := range []string{`FCP \d{3,} ms`, `CLS 0\.\d+`, `INP none yet`, `load \d{3,} ms`, `[1-9]\d* nodes`, `3 resources`, `heap [0-9.]+ MB`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	ttfb, rating := 0, ""
	if _, after, found := strings.Cut(text, "TTFB "); !found {
		t.Errorf("no TTFB is in\n%s", text)
	} else if _, err := fmt.Sscanf(after, "%d ms %s", &ttfb, &rating); err != nil || (rating == "good") != (ttfb <= 800) { // a busy machine is slow
		t.Errorf("TTFB is %d ms %q, %v", ttfb, rating, err)
	}
	text = c.Expect("performance_metrics", tooltest.Args{"resources": true}, "/late.css?token=REDACTED")
	if strings.Contains(text, "tip-top") {
		t.Errorf("a secret is told: %s", text)
	}
	c.Call("interact", tooltest.Args{"ref": tooltest.Ref(t, c.Call("read_page", nil), `"Press"`)})
	if text = c.Call("performance_metrics", nil); !regexp.MustCompile(`INP (1[6-9]\d|[2-9]\d\d|\d{4,}) ms(?s:.*)\n1 interactions`).MatchString(text) {
		t.Errorf("a click that took 160 ms is not told of in\n%s", text)
	}
}

func TestPerformanceTrace(t *testing.T) {
	t.Parallel()
	home, c := serveSlowPage(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": "about:blank"})
	res := c.Do("oc_performance_insights", tooltest.Args{"url": home, "ms": 1500})
	text := tooltest.Text(res)
	for _, want := range []string{
		`trace_id \w+`, `FCP \d+ ms, LCP \d+ ms, CLS 0\.\d+, TBT \d+ ms`, `LCPBreakdown: LCP at \d+ ms is image img`, `RenderBlocking: \d+ requests held up`,
		`CLSCulprits: CLS 0\.\d+ in \d+ layout`, `LongTasks: \d+ tasks took longer`, `ThirdParties: everything came`, `SlowRequests: \d+ requests`, `! LargeTransfers: 1 transfers`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	id := regexp.MustCompile(`trace_id (\w+)`).FindStringSubmatch(text)[1]
	analyze := func(insight string, want ...string) {
		t.Helper()
		c.Expect("oc_performance_analyze", tooltest.Args{"trace_id": id, "insight": insight}, want...)
	}
	// Only the file is read from here on: the page is another, and it could as well be none.
	c.Call("navigate", tooltest.Args{"url": "about:blank"})
	analyze("LCPBreakdown", "time to first byte", "load "+home+"/hero.svg", "render delay")
	analyze("RenderBlocking", "/late.css?token=REDACTED stylesheet 200")
	analyze("CLSCulprits", "elements, the largest")
	analyze("LongTasks", "EvaluateScript "+home+"/busy.js")
	analyze("SlowRequests", "/late.css")
	analyze("LargeTransfers", "/hero.svg image 200", "kB")
	analyze("DocumentLatency", "first byte at")
	analyze("ThirdParties", "own site")
	c.ExpectRefusal("NOT_FOUND", "oc_performance_analyze", tooltest.Args{"trace_id": id[1:], "insight": "LongTasks"}, id)
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_performance_analyze", tooltest.Args{"trace_id": id, "insight": "LongTask"}, "LongTasks")

	link, ok := res.Content[len(res.Content)-1].(*mcp.ResourceLink)
	if !ok {
		t.Fatalf("no link in %v", res.Content)
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
	if err != nil {
		t.Fatal(err)
	}
	if plain := unzip(t, read.Contents[0].Blob); bytes.Contains(plain, []byte("tip-top")) || !bytes.Contains(plain, []byte("TracingStartedInBrowser")) {
		t.Errorf("the stored trace of %d bytes has a secret in it, or is none", len(plain))
	}
}

// TestATraceLeavesThePageAsItWas: what slowed it down for the recording is gone, and another
// recording can begin.
func TestTraceLeavesThePageUnchanged(t *testing.T) {
	t.Parallel()
	home, c := serveSlowPage(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	c.Call("network", tooltest.Args{"preset": "4g"})
	c.Expect("oc_performance_insights", tooltest.Args{"reload": true, "cpuThrottling": 2, "network": "3g", "ms": 0}, "trace_id")
	c.Expect("emulate_environment", tooltest.Args{"reset": true}, "reset network 4g 20480/10240 kbit/s, 20 ms")
	c.Expect("oc_performance_insights", tooltest.Args{"ms": 100}, "trace_id", "without a navigation")
	c.ExpectRefusal("NAVIGATION_FAILED", "oc_performance_insights", tooltest.Args{"url": "http://127.0.0.1:1/", "ms": 0})
	c.Expect("oc_performance_insights", tooltest.Args{"ms": 0}, "trace_id")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_performance_insights", tooltest.Args{"url": home, "reload": true})
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_performance_insights", tooltest.Args{"cpuThrottling": 0.5}, "must be at least 1")
	c.ExpectRefusal("POLICY_DENIED", "oc_performance_insights", tooltest.Args{"url": "file:///etc/passwd"})
}

func unzip(t *testing.T, data []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestATraceIsOfOneTab: what another tab loads meanwhile is not in the artifact, whether it has a
// process of its own or not.
func TestTraceCoversOneTab(t *testing.T) {
	t.Parallel()
	var polls atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other-poll" {
			polls.Add(1)
			return
		}
		fmt.Fprint(w, `<!doctype html><title>Other title</title><link rel=icon href=data:,><script>setInterval(()=>{performance.mark('other-mark');fetch('/other-poll')},50)</script>`)
	}))
	t.Cleanup(func() { other.CloseClientConnections(); other.Close() })
	home, c := serveSlowPage(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	tab, _, _ := strings.Cut(c.Call("tabs_create", tooltest.Args{"url": home}), " ")
	for _, address := range []string{other.URL, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)} {
		c.Call("tabs_create", tooltest.Args{"url": address})
	}
	before := polls.Load()
	res := c.Do("oc_performance_insights", tooltest.Args{"tabId": tab, "url": home, "ms": 1000})
	if polls.Load() < before+4 {
		t.Fatalf("the other tabs did nothing meanwhile: %s", tooltest.Text(res))
	}
	link, ok := res.Content[len(res.Content)-1].(*mcp.ResourceLink)
	if !ok {
		t.Fatalf("no link in %v", res.Content)
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
	if err != nil {
		t.Fatal(err)
	}
	plain := unzip(t, read.Contents[0].Blob)
	_, port, _ := strings.Cut(strings.TrimPrefix(other.URL, "http://"), ":")
	for _, foreign := range []string{"other-poll", "other-mark", "Other title", "127.0.0.1:" + port, "localhost:" + port} {
		if at := bytes.Index(plain, []byte(foreign)); at >= 0 {
			t.Errorf("%q of another tab is in the trace: %s", foreign, plain[max(0, at-300):min(len(plain), at+100)])
		}
	}
	for _, own := range []string{"/hero.svg", "/busy.js", "/late.css"} {
		if !bytes.Contains(plain, []byte(own)) {
			t.Errorf("%q of the tab is not in the trace", own)
		}
	}
}

package recording_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveShop is a site with everything that a report shows: a form, a request that fails, a message,
// another tab.
func serveShop(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	page := func(title, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(`<!doctype html><meta name=viewport content="width=device-width"><title>` + title + `</title><style>
body{font:18px system-ui;margin:0;background:#f3efe6;color:#222}header{background:#22577a;color:#fff;padding:18px 32px;font-size:26px}
main{padding:32px;max-width:640px}label{display:block;margin:0 0 18px}input{display:block;width:100%;font:inherit;padding:10px;margin-top:6px;border:1px solid #999;border-radius:6px}
button{font:inherit;padding:12px 22px;border:0;border-radius:6px;background:#c5512b;color:#fff}</style><header>Corner Shop</header><main>` + body + `</main>`))
		}
	}
	mux.HandleFunc("/{$}", page("Sign in", `<h1>Sign in</h1><form action="/orders"><label>Customer <input name=customer></label>
<label>Password <input type=password autocomplete=current-password></label><button>Sign in</button></form>`))
	mux.HandleFunc("/orders", page("Your orders", `<h1>Your orders</h1><p>Nothing yet.</p><button onclick="order()">Order a lamp</button><p id=state></p>
<script>async function order(){state.textContent='Ordering…';const r=await fetch('/api/order',{method:'POST'});console.error('order failed with '+r.status);state.textContent='The lamp is sold out.'}</script>`))
	mux.HandleFunc("/api/order", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sold out", http.StatusConflict) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// recordOrder records a visit of the shop, with a refusal, and returns the recording's id.
func recordOrder(t *testing.T, c tooltest.Client, home string) string {
	t.Helper()
	id := tooltest.RecordingID(t, c.Call("oc_recording_start", tooltest.Args{"label": "Order a lamp <script>alert(1)</script>"}))
	c.Call("navigate", tooltest.Args{"url": home})
	reading := c.Call("read_page", nil)
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, "Customer"), "value": "Ann Example"})
	c.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, reading, `"Password"`), "value": "correct horse battery"})
	c.Call("interact", tooltest.Args{"ref": tooltest.Ref(t, reading, `button "Sign in"`)})
	c.ExpectRefusal("STALE_REF", "interact", tooltest.Args{"ref": tooltest.Ref(t, reading, `button "Sign in"`)})
	c.Call("interact", tooltest.Args{"query": "Order a lamp"})
	c.Call("wait_for", tooltest.Args{"type": "text", "value": "sold out"})
	c.Call("oc_recording_stop", nil)
	return id
}

// TestReportIsReadable opens an exported report in a phone's window: nothing is fetched, nothing
// fails, nothing is wider than the window, every picture is there.
func TestReportIsReadable(t *testing.T) {
	t.Parallel()
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), serveShop(t)
	id := recordOrder(t, c, home)
	res := c.Do("oc_recording_export", tooltest.Args{"recordingId": id, "format": "html"})
	links := tooltest.Links(res)
	if len(links) != 1 || links[0].MIMEType != "text/html" {
		t.Fatalf("the export says %s", tooltest.Text(res))
	}
	text := c.ReadArtifact(links[0].URI)
	if strings.Contains(text, "<script") || strings.Contains(text, "correct horse") {
		t.Error("the report has a script, or the password")
	}
	if keep := os.Getenv("CALLSHEET_KEEP_REPORT"); keep != "" {
		_ = os.WriteFile(keep, []byte(text), 0o600)
	}
	openReport(t, c, text, 6)
}

// openReport shows a report in a window of 390 pixels, light and dark, and holds it to its
// promises.
func openReport(t *testing.T, c tooltest.Client, report string, pictures int) {
	t.Helper()
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(report))
	}))
	t.Cleanup(server.Close)
	c.Call("tabs_create", tooltest.Args{"url": "about:blank"})
	c.Call("emulate_device", tooltest.Args{"width": 390, "height": 844, "mobile": true})
	c.Call("network_capture_lite", tooltest.Args{"action": "start"})
	c.Call("navigate", tooltest.Args{"url": server.URL})
	for _, scheme := range []string{"light", "dark"} {
		c.Call("emulate_environment", tooltest.Args{"colorScheme": scheme})
		c.Call("javascript_tool", tooltest.Args{"code": `document.querySelectorAll('details').forEach(d => d.open = true); document.querySelectorAll('img').forEach(i => i.loading = 'eager'); Promise.all([...document.images].map(i => i.decode())).then(() => 1)`})
		c.Expect("javascript_tool", tooltest.Args{"code": "document.documentElement.scrollWidth <= 390"}, "true")
		c.Expect("javascript_tool", tooltest.Args{"code": "document.images.length + ' ' + [...document.images].every(i => i.naturalWidth > 100 && i.clientWidth > 200)"}, "true")
		if n := c.Call("javascript_tool", tooltest.Args{"code": "document.images.length"}); n != formatCount(pictures) {
			t.Errorf("%s pictures, want %d", n, pictures)
		}
		c.Expect("javascript_tool", tooltest.Args{"code": `[...document.querySelectorAll('h1,h2,p,summary,li span')].filter(e => e.checkVisibility() && parseFloat(getComputedStyle(e).fontSize) < 12).length`}, "0")
	}
	c.Expect("javascript_tool", tooltest.Args{"code": "getComputedStyle(document.body).backgroundColor"}, "rgb(19, 20, 18)") // so the style applies
	if got := c.Call("get_console_logs", nil); strings.Contains(got, "error") || strings.Contains(got, "violat") || strings.Contains(got, "Refused") {
		t.Errorf("the console says %s", got)
	}
	if got := c.Call("network_capture_lite", tooltest.Args{"action": "get"}); strings.Contains(strings.ReplaceAll(got, server.URL, ""), "http") {
		t.Errorf("the report asks for %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 {
		t.Errorf("the server was asked for %v", asked)
	}
}

func formatCount(n int) string { return strconv.Itoa(n) }

// hostileSource returns a recording of two steps that have too much of everything, with markup in it.
func hostileSource() export.Source {
	hostile := `"><img src=x onerror=alert(1)><script>alert(1)</script></style>&{{.}}` + strings.Repeat("W", 300)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := export.Source{Recording: recorder.Recording{ID: hostile, Label: hostile, StartedAt: at}}
	for i, outcome := range []string{"ok", hostile} {
		s.Steps = append(s.Steps, recorder.Step{
			Seq: i + 1, Tool: hostile, Args: []byte(`{"value":"</script>","url":"javascript:alert(1)"}`), StartedAt: at, Outcome: outcome, Summary: hostile,
			URL: hostile, Tab: hostile, Screenshot: "gone", Requests: []recorder.Request{{Method: hostile, URL: hostile, Error: hostile}},
			Console: []recorder.Message{{Level: hostile, Text: hostile}}, MaskedPointers: []string{hostile},
			Verdict: []byte(`{"verdict":"fail","reason":"<b>","nodes":[{"kind":"url","verdict":"fail","expected":"<i>","actual":"<u>"}]}`),
		})
	}
	return s
}

// TestReportExtremes writes reports of recordings that have nothing, or too much, of everything.
func TestReportExtremes(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	for _, source := range []export.Source{hostileSource(), {Recording: recorder.Recording{ID: "rec-1", StartedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}}} {
		for _, format := range export.Formats() {
			data, err := format.Write(source)
			if coded := slices.Contains([]string{"go", "playwright", "workflow"}, format.Name); coded && err != nil {
				continue // the recorder refuses impossible input, and the error says so
			}
			if err != nil || len(data) == 0 {
				t.Fatalf("%s: %v", format.Name, err)
			}
			if format.Name == "html" {
				openReport(t, c, string(data), 0)
			}
		}
	}
}

// film is a script that returns a WebM of a second, in base64.
const film = `const canvas = document.createElement('canvas'); canvas.width = 160; canvas.height = 120;
const brush = canvas.getContext('2d'), recorder = new MediaRecorder(canvas.captureStream(20), {mimeType: 'video/webm'}), parts = [];
recorder.ondataavailable = (e) => parts.push(e.data);
recorder.start();
for (let i = 0; i < 20; i++) { brush.fillStyle = i % 2 ? 'teal' : 'orange'; brush.fillRect(0, 0, 160, 120); await new Promise(requestAnimationFrame); }
await new Promise((done) => { recorder.onstop = done; recorder.stop(); });
const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''))`

// TestReportEmbedsVideoAndTrace opens a report of a step with a video: it plays, and the link of the
// trace downloads the trace.
func TestReportEmbedsVideoAndTrace(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": tooltest.ServeSite(t)})
	webm, err := base64.StdEncoding.DecodeString(strings.Trim(c.Call("javascript_tool", tooltest.Args{"code": film}), `"`))
	if err != nil {
		t.Fatal(err)
	}
	page, err := export.Report(export.Source{
		Recording: recorder.Recording{ID: "rec-1", Label: "A film", StartedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)},
		Steps:     []recorder.Step{{Seq: 1, Tool: "page_video", Args: []byte(`{}`), Outcome: "ok", Videos: []string{"film", "gone", "text"}}},
		Artifact: func(id string, _ int) []byte {
			return map[string][]byte{"film": webm, "text": []byte("<script>")}[id]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	openReport(t, c, string(page), 0)
	c.WaitScript("document.querySelectorAll('video').length === 1 && document.querySelector('video').readyState >= 1 && document.querySelector('video').videoWidth === 160")
	c.Expect("read_page", nil, "2 videos are gone", "npx playwright show-trace recording.trace.zip")
	c.Call("interact", tooltest.Args{"query": "Trace of these steps"})
	res := c.Do("downloads", tooltest.Args{"action": "wait"})
	links := tooltest.Links(res)
	if len(links) != 1 || links[0].Name != "recording.trace.zip" {
		t.Fatalf("the link downloads %+v: %s", links, tooltest.Text(res))
	}
	if files := unzip(t, c.ReadArtifact(links[0].URI)); !strings.Contains(files, `"title":"Page video"`) {
		t.Errorf("the trace has %.500s", files)
	}
}

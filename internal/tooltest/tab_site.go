package tooltest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ServeTabSite serves a page for each state that trips others, besides what site serves. Its pages
// are small and say what they do in their titles. The second address is the same server under
// another name, which is another site to a browser.
func ServeTabSite(t *testing.T) (home, other string) {
	t.Helper()
	mux := http.NewServeMux()
	page := func(path, title, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", title, body)
		})
	}
	page("/", "Start", `<h1>Start</h1><a href="/second">second</a>`)
	page("/second", "Second", `<h1>Second</h1>`)
	dialogPages(page)
	windowPages(page)
	downloadPages(mux, page)
	documentPages(mux, page)
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(srv.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return srv.URL, "http://localhost:" + port
}

func dialogPages(page func(path, title, body string)) {
	page("/dialogs", "Dialogs", `
<button onclick="document.title = 'confirmed ' + confirm('Delete it?')">Delete</button>
<button onclick="document.title = 'prompted ' + prompt('Your name?', 'Ada')">Rename</button>
<button onclick="alert('one'); alert('two'); document.title = 'both'">Twice</button>
<button onclick="const w = window.open('/second'); w.onload = () => w.alert('from the child')">Child</button>
<input aria-label="Field" onkeydown="if (event.key === 'Enter') { document.title = 'entered ' + confirm('Submit?') }">
<a href="/second">Leave</a>`)
	page("/stay", "Stay", `<button onclick="touched = true">Touch</button><a href="/second">Leave</a>
<script>addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = 'x' })</script>`)
	page("/greeting", "Greeting", `<script>alert('before anything')</script><h1>After</h1>`)
	page("/framed-dialog", "Framed dialog", `<script>document.write('<iframe src="http://' + (location.hostname === 'localhost' ? '127.0.0.1' : 'localhost') + ':' + location.port + '/asks"></iframe>')</script>`)
	page("/asks", "Asks", `<script>addEventListener('message', () => 0); setTimeout(() => alert('from the frame'), 300)</script>`)
}

func windowPages(page func(path, title, body string)) {
	page("/windows", "Windows", `
<button onclick="window.open('/second')">Open</button>
<a href="/second" target="_blank">Blank</a>
<a href="/second" target="_blank" rel="noopener">No opener</a>
<a href="/second" target="_blank" rel="opener">Opener</a>
<button onclick="window.open('/second', '', 'width=300,height=200')">Popup</button>
<button onclick="window.open('/second', '', 'noopener')">Detached</button>
<button onclick="const w = window.open('about:blank'); w.document.title = 'Written'; w.document.body.textContent = 'written by the opener'">Write</button>
<button onclick="w = window.open('/closing')">Short</button>
<button onclick="window.open('/closes')">Closes</button>`)
	page("/closes", "Closes", `<button onclick="window.close()">Close me</button>`)
	page("/closing", "Closing", `<script>setTimeout(() => window.close(), 200)</script>`)
	page("/chooser", "Chooser", `<label>Upload <input type="file"></label><label>Many <input type="file" multiple></label>
<button onclick="document.querySelector('[multiple]').click()">Pick files</button>`)
}

func downloadPages(mux *http.ServeMux, page func(path, title, body string)) {
	page("/downloads", "Downloads", `
<a href="/report">Report</a> <a href="/report" download="named by the page.txt">Named</a> <a href="/slow-file">Slow</a>
<a href="/late-report">Late</a> <a href="/broken-file">Broken</a> <a href="/report?name=..%2F..%2Fetc%2Fpasswd" >Evil</a> <a href="/report" target="_blank">Window</a>
<button onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['from a blob'])); a.download = 'blob.txt'; a.click()">Blob</button>`)
	mux.HandleFunc("/report", func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		if name == "" {
			name = "report.csv"
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		fmt.Fprint(w, "a,b\n1,2\n")
	})
	mux.HandleFunc("/late-report", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(700 * time.Millisecond):
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Disposition", `attachment; filename="late.csv"`)
		fmt.Fprint(w, "late")
	})
	mux.HandleFunc("/slow-file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="slow.bin"`)
		w.Header().Set("Content-Length", "400000")
		for range 40 {
			if _, err := w.Write(make([]byte, 10000)); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // the browser may have left
			select {
			case <-time.After(50 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("/broken-file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="broken.bin"`)
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(make([]byte, 1000))
		_ = http.NewResponseController(w).Flush() // the browser may have left
		panic(http.ErrAbortHandler)               //nolint:forbidigo // how a handler breaks its response off
	})
}

func documentPages(mux *http.ServeMux, page func(path, title, body string)) {
	status := func(path string, code int) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(code)
			fmt.Fprintf(w, "<title>Answer %d</title><h1>Body of %d</h1>", code, code)
		})
	}
	status("/gone", http.StatusGone)
	status("/teapot", http.StatusTeapot)
	status("/error", http.StatusInternalServerError)
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/empty-error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/moved-again", http.StatusFound) })
	mux.HandleFunc("/moved-again", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/gone", http.StatusSeeOther) })
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/private", func(w http.ResponseWriter, r *http.Request) {
		if user, pass, ok := r.BasicAuth(); !ok || user != "ada" || pass != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="vault"`)
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, "<title>Keep out</title><h1>Log in first</h1>")
			return
		}
		fmt.Fprint(w, "<title>Vault</title>")
	})
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	mux.HandleFunc("/never.png", never)
	mux.HandleFunc("/never", never)
	page("/loading", "Loading", `<h1>Usable</h1><button onclick="document.title = 'pressed'">Press</button><img src="/never.png">`)
	page("/stuck", "Stuck", `<h1>Stuck</h1><button onclick="while (true);">Hang</button>`)
	mux.HandleFunc("/late-headers", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, "<title>Late</title>")
	})
	page("/racing", "Racing", `<h1>Racing</h1><button onclick="document.title = 'clicked'">Click</button>
<script>setTimeout(() => location.href = '/second', 60)</script>`)
	contentPages(mux, page)
}

// contentPages adds documents of unusual content, types and sizes.
func contentPages(mux *http.ServeMux, page func(path, title, body string)) {
	page("/surrogates", "Surrogates", "<script>document.title = 'lone \\ud800 and \\udc00'; history.replaceState(null, '', '?q=\\ud83d')</script><h1>Surrogates</h1>")
	page("/script-move", "Script move", `<script>location.replace('/second')</script>`)
	mux.HandleFunc("/paper.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = io.WriteString(w, tinyPDF)
	})
	mux.HandleFunc("/picture.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="red"/></svg>`)
	})
	mux.HandleFunc("/picture.gif", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/gif")
		_, _ = w.Write([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	})
	page("/tall", "Tall", `<style>body{margin:0}div{height:6000px;background:linear-gradient(red,blue)}</style><div></div><p id="end">end</p>`)
	page("/box", "Box", `<style>body{margin:0;height:3000px}button{position:absolute;top:1500px;left:100px;width:120px;height:40px;background:#00f;border:0;color:#00f}</style><button>Blue</button>`)
}

const tinyPDF = `%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`

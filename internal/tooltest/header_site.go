package tooltest

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// HeaderSite is a server that remembers the last head of each request by path, and has what the
// tools of this file need.
type HeaderSite struct {
	URL      string // http://127.0.0.1:port
	OtherURL string // the same server as another site

	mu    sync.Mutex
	heads map[string]http.Header
}

// ServeHeaders serves a site whose responses have the headers that a test gives them.
func ServeHeaders(t *testing.T) *HeaderSite {
	t.Helper()
	w := &HeaderSite{heads: map[string]http.Header{}}
	srv := httptest.NewServer(w)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	w.URL = srv.URL
	w.OtherURL = "http://localhost" + srv.URL[strings.LastIndex(srv.URL, ":"):]
	return w
}

func (h *HeaderSite) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.heads[r.URL.Path] = r.Header.Clone()
	h.mu.Unlock()
	rw.Header().Set("Accept-CH", "Sec-CH-UA-Model, Sec-CH-UA-Platform-Version")
	page := func(body string) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, "<!doctype html><title>Wire</title><link rel=icon href=data:,>"+body)
	}
	switch r.URL.Path {
	case "/frames":
		page(fmt.Sprintf(`<iframe src="%s/framed"></iframe>`, h.OtherURL))
	case "/framed":
		page(`<script>fetch("/from-frame")</script>`)
	case "/opener":
		page(`<script>function pop() { window.popup = window.open("/popup") }</script>`)
	case "/popup":
		page("<h1>Popup</h1>")
	case "/popups":
		page(`<a id=blank target=_blank href=/blank>blank</a><a id=opener target=_blank rel=opener href=/blank-opener>opener</a>
<form id=form method=post action=/posted target=_blank><input name=a value=b></form><iframe srcdoc="<a id=inner target=_blank href=/from-srcdoc>inner</a>"></iframe>`)
	case "/popup-frames":
		page(fmt.Sprintf(`<iframe src="%s/framed-in-popup"></iframe><script>new Worker(window.URL.createObjectURL(new Blob(["fetch('%s/from-popup-worker')"])))</script>`, h.OtherURL, h.URL))
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

// Header waits for a request and returns its head.
func (h *HeaderSite) Header(t *testing.T, path string) http.Header {
	t.Helper()
	var head http.Header
	Eventually(t, "a request for "+path, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		head = h.heads[path]
		return head != nil
	})
	return head
}

// Reset makes head wait for the next request.
func (h *HeaderSite) Reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.heads)
}

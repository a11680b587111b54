package session_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
)

// browserHost is a Chromium that others attach to, behind an address that can be cut off and that
// can refuse health checks.
type browserHost struct {
	url     string
	drained atomic.Bool

	mu   sync.Mutex
	link chan struct{} // closed while the link works
}

func newBrowserHost(t *testing.T) *browserHost {
	t.Helper()
	port := proctest.FreePort(t)
	b := browser.New(browser.Config{Headless: true, DebugPort: port})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	if _, err := b.Session("host").OpenBlank(deadline(t), powertest.Window); err != nil {
		t.Fatal(err)
	}
	h := &browserHost{link: make(chan struct{})}
	close(h.link)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + ln.Addr().String()
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: "127.0.0.1:" + strconv.Itoa(port)})
		r.Out.Host = r.In.Host // Chromium repeats it in the address of its websocket
	}}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.drained.Load() && r.URL.Path == "/json/version" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	})}
	go func() { _ = srv.Serve(cuttable{ln, h}) }()
	t.Cleanup(func() { h.restore(); _ = srv.Close() })
	return h
}

// cut stops every byte, as a network does that is down: no connection is closed.
func (h *browserHost) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.link = make(chan struct{})
}

func (h *browserHost) restore() {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.link:
	default:
		close(h.link)
	}
}

func (h *browserHost) wait() {
	h.mu.Lock()
	link := h.link
	h.mu.Unlock()
	<-link
}

type cuttable struct {
	net.Listener
	host *browserHost
}

func (c cuttable) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return cuttableConn{conn, c.host}, nil
}

type cuttableConn struct {
	net.Conn
	host *browserHost
}

func (c cuttableConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.host.wait()
	return n, err
}

func (c cuttableConn) Write(p []byte) (int, error) {
	c.host.wait()
	return c.Conn.Write(p)
}

// newHosts starts browsers and a registry that spreads sessions over them.
func newHosts(t *testing.T, n int) ([]*browserHost, *session.Registry) {
	t.Helper()
	var hosts []*browserHost
	cfg := session.Config{PingInterval: 100 * time.Millisecond, PingTimeout: 10 * time.Second}
	for i := range n {
		h := newBrowserHost(t)
		hosts = append(hosts, h)
		if i == 0 {
			cfg.Browser.CDPEndpoint = h.url
		} else {
			cfg.Endpoints = append(cfg.Endpoints, h.url)
		}
	}
	r := session.New(cfg)
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return hosts, r
}

// openIn has a client open a tab, and returns the number of the browser that it is in.
func openIn(t *testing.T, r *session.Registry, id string) (s *session.Set, tab *browser.Tab, host int) {
	t.Helper()
	s = r.Set(id)
	before := r.Pool().Members()
	s.Place()
	c, err := s.Get("")
	if err != nil {
		t.Fatal(err)
	}
	tab, _, err = c.Session().Open(deadline(t), powertest.Window, powertest.Navigation, "data:text/html,<title>"+id+"</title>", browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	host = -1
	for i, m := range r.Pool().Members() {
		if m.Busy > before[i].Busy {
			host = i
		}
	}
	return s, tab, host
}

// TestSessionsSpreadOverBrowsers has six clients in three browsers. One browser is cut off: its
// clients go on in the others and learn what they lost, and no other client notices. It comes back
// and is used again. One whose health check fails takes no new client and keeps its old ones.
func TestSessionsSpreadOverBrowsers(t *testing.T) {
	t.Parallel()
	hosts, r := newHosts(t, 3)
	sets, tabs, followers, count := map[int][]*session.Set{}, map[int][]*browser.Tab{}, map[*session.Set]*follower{}, [3]int{}
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		s, tab, host := openIn(t, r, id)
		if host < 0 {
			t.Fatalf("client %s has no browser: %+v", id, r.Pool().Members())
		}
		sets[host], tabs[host], followers[s] = append(sets[host], s), append(tabs[host], tab), follow(s)
		count[host]++
	}
	if count != [3]int{2, 2, 2} {
		t.Fatalf("clients of each browser: %v", count)
	}

	hosts[1].cut()
	cutOff := sets[1][0]
	lost := tabs[1][0].ID()
	c, err := cutOff.Get("")
	if err != nil {
		t.Fatal(err)
	}
	old := c.Session()
	for end := time.Now().Add(time.Minute); !old.BrowserGone(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the browser that is cut off is still connected")
		}
	}
	for _, host := range []int{0, 2} {
		for _, tab := range tabs[host] {
			if _, err := evaluate.Run(deadline(t), tab, powertest.Script, "document.title"); err != nil {
				t.Errorf("a client of another browser: %v", err)
			}
		}
	}
	checkMoved(t, r, cutOff, followers[cutOff], lost)

	hosts[1].restore()
	for end := time.Now().Add(90 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		_, _, host := openIn(t, r, "new")
		if host == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the browser that is back is not used: %+v", r.Pool().Members())
		}
		if err := r.End(deadline(t), "new"); err != nil {
			t.Fatal(err)
		}
	}

	hosts[2].drained.Store(true)
	before := r.Pool().Members()[2].Busy
	for _, id := range []string{"g", "h", "i", "j"} {
		r.Set(id).Place()
	}
	if m := r.Pool().Members(); m[2].Busy != before || m[0].Busy+m[1].Busy < 4 {
		t.Errorf("the drained browser takes new clients: %+v", m)
	}
	if _, err := evaluate.Run(deadline(t), tabs[2][0], powertest.Script, "1"); err != nil {
		t.Errorf("a client of the drained browser: %v", err)
	}
}

// checkMoved has a client whose browser was cut off look for its tab, and open another.
func checkMoved(t *testing.T, r *session.Registry, s *session.Set, f *follower, lost string) {
	t.Helper()
	s.Place()
	gone := (*browser.BrowserGoneError)(nil)
	if _, _, err := s.Tab(t.Context(), ""); !errors.As(err, &gone) {
		t.Errorf("the current tab: %v", err)
	}
	closed := (*browser.UnknownTabError)(nil)
	if _, _, err := s.Tab(t.Context(), lost); !errors.As(err, &closed) || closed.Closed == "" {
		t.Errorf("the lost tab: %v", err)
	}
	f.mu.Lock()
	remarks := strings.Join(f.remarks, "\n")
	f.mu.Unlock()
	if !strings.Contains(remarks, "is lost, and with it tabs ("+lost+")") {
		t.Errorf("the client hears %q", remarks)
	}
	c, err := s.Get("")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Session().Open(deadline(t), powertest.Window, powertest.Navigation, "data:text/html,elsewhere", browser.NavigateOptions{}); err != nil {
		t.Errorf("open a tab elsewhere: %v", err)
	}
	if m := r.Pool().Members()[1]; m.Busy != 0 {
		t.Errorf("the browser that is cut off: %+v", m)
	}
}

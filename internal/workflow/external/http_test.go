//go:build unix

package external

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveHTTP serves the fixture over HTTP in every way there is.
func serveHTTP(t *testing.T) (url string) {
	t.Helper()
	s := newTestServer()
	get := func(*http.Request) *mcp.Server { return s }
	mux := http.NewServeMux()
	mux.Handle("/sessions", mcp.NewStreamableHTTPHandler(get, nil))
	mux.Handle("/stateless", mcp.NewStreamableHTTPHandler(get,
		&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}))
	mux.Handle("/json", mcp.NewStreamableHTTPHandler(get,
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true}))
	mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	mux.HandleFunc("/teapot", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) })
	mux.HandleFunc("/garbage", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, "\x00{]")
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection would not be noticed
		<-r.Context().Done()
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for chunk := []byte(strings.Repeat("x", 1<<16)); ; {
			if _, err := w.Write(chunk); err != nil || r.Context().Err() != nil {
				return
			}
		}
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { _ = srv.Config.Close() }) // which does not wait for handlers that never end
	return srv.URL
}

func httpEntry(url, more string) string { return fmt.Sprintf(`{"url": %q%s}`, url, more) }

func TestHTTP(t *testing.T) {
	t.Parallel()
	base := serveHTTP(t)
	headers := `, "timeoutMs": 4000, "maxResultBytes": 100000, "headers": {"X-Test": "${X:-hello}"}, "bearerToken": "s3cr3t-value"`
	l := newFixture(t, `"sessions": `+httpEntry(base+"/sessions", headers)+`, "stateless": `+
		httpEntry(base+"/stateless", headers)+
		`, "json": `+httpEntry(base+"/json", headers)+`, "sse": `+httpEntry(base+"/sse", headers)+`, "told": `+
		httpEntry(base+"/sse", headers+`, "type": "sse"`))
	for _, alias := range l.Aliases() {
		t.Run(alias, func(t *testing.T) {
			t.Parallel()
			l := &fixture{Registry: l.Registry, t: t, dir: l.dir, log: l.log, mark: l.mark}
			if got := l.callText(alias, "echo", `{"text": "over the web"}`); got != "over the web" {
				t.Error(got)
			}
			if got := l.callText(alias, "sealed", ""); !strings.HasSuffix(alias, "e") && alias != "told" &&
				got != "hello Bearer s3cr3t-value" {
				t.Errorf("the headers arrived as %q", got)
			}
			c, err := l.Catalog(withTimeout(t, 20*1e9), alias)
			if err != nil || len(c.Tools) < 11 {
				t.Errorf("%v, %v", c.Names(), err)
			}
			l.callFails(TooLarge, alias, "big", `{"bytes": 300000}`)
			if got := l.callText(alias, "echo", `{"text": "still there"}`); got != "still there" {
				t.Error(got)
			}
			wantError(t, l.callFails(Timeout, alias, "forever", ""), "4s")
			if got := l.callText(alias, "echo", `{"text": "still there"}`); got != "still there" {
				t.Error(got)
			}
		})
	}
}

func TestHTTPEras(t *testing.T) {
	t.Parallel()
	base := serveHTTP(t)
	l := newFixture(t, `"sessions": `+httpEntry(base+"/sessions", "")+`, "stateless": `+
		httpEntry(base+"/stateless", "")+
		`, "pinned": `+httpEntry(base+"/stateless", `, "protocolVersion": "2026-07-28"`)+`, "wrong": `+
		httpEntry(base+"/sessions", `, "protocolVersion": "2026-07-28"`)+
		`, "legacy": `+httpEntry(base+"/stateless", `, "protocolVersion": "legacy"`))
	for alias, want := range map[string]string{"sessions": "2025-11-25", "stateless": "2026-07-28",
		"pinned": "2026-07-28", "legacy": "2025-11-25"} {
		l.callText(alias, "echo", `{"text": "x"}`)
		if got := l.servers[alias].conn.protocol(); got != want {
			t.Errorf("%s speaks %s, want %s", alias, got, want)
		}
	}
	wantError(t, l.callFails(Unavailable, "wrong", "echo", ""), "2026-07-28")
}

func TestHTTPChaos(t *testing.T) {
	t.Parallel()
	base := serveHTTP(t)
	entries := `"good": ` + httpEntry(base+"/stateless", "") + `, "closed": ` +
		httpEntry("http://127.0.0.1:1/mcp", `, "headers": {"X": "s3cr3t-value"}`)
	for _, bad := range []string{"teapot", "garbage", "hang", "endless"} {
		entries += fmt.Sprintf(`, %q: %s`, bad,
			httpEntry(base+"/"+bad+"?key=s3cr3t-value", `, "startupTimeoutMs": 1500, "env": {"K": "s3cr3t-value"}`))
	}
	l := newFixture(t, entries)
	errs := l.Discover(withTimeout(t, 60*1e9))
	for _, alias := range l.Aliases() {
		err := errs[alias]
		if alias == "good" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if ReasonOf(err) != Unavailable && ReasonOf(err) != Timeout ||
			strings.Contains(fmt.Sprint(err), "s3cr3t-value") {
			t.Errorf("%s: %s, %v", alias, ReasonOf(err), err)
		}
		t.Log(err)
	}
}

// TestHTTPServerDies ends the server's connection in the middle of a call.
func TestHTTPServerDies(t *testing.T) {
	t.Parallel()
	s := newTestServer()
	stateless := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true})
	var cut atomic.Pointer[httptest.Server]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Name") == "forever" {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			go cut.Load().CloseClientConnections()
			<-r.Context().Done()
			return
		}
		stateless.ServeHTTP(w, r)
	}))
	cut.Store(srv)
	defer func() { _ = srv.Config.Close() }()
	l := newFixture(t, `"a": `+httpEntry(srv.URL, ""))
	l.callText("a", "echo", `{"text": "x"}`)
	l.callFails(Died, "a", "forever", "")
	if got := l.callText("a", "echo", `{"text": "again"}`); got != "again" {
		t.Error(got)
	}
	_ = srv.Config.Close()
	if _, err := l.Call(withTimeout(t, 20*1e9), "a", "echo", nil, nil); err == nil {
		t.Error("a call to a server that is gone succeeded")
	}
}

func TestHTTPListChanged(t *testing.T) {
	t.Parallel()
	changed := make(chan string, 10)
	l := newFixture(t, `"sessions": `+httpEntry(serveHTTP(t)+"/sessions", "")+`, "stateless": `+
		httpEntry(serveHTTP(t)+"/stateless", ""), func(c *Config) { c.Changed = func(a string) { changed <- a } })
	for _, alias := range l.Aliases() {
		l.callText(alias, "grow", "")
		select {
		case got := <-changed:
			if got != alias {
				t.Error(got)
			}
		case <-withTimeout(t, 20*1e9).Done():
			t.Errorf("%s: no news of the change", alias)
			continue
		}
		if got := l.callText(alias, "grown", ""); got != "grown" {
			t.Error(got)
		}
	}
}

func TestHTTPProgress(t *testing.T) {
	t.Parallel()
	base := serveHTTP(t)
	l := newFixture(t, `"sessions": `+httpEntry(base+"/sessions", "")+`, "stateless": `+
		httpEntry(base+"/stateless", "")+
		`, "sse": `+httpEntry(base+"/sse", ""))
	for _, alias := range l.Aliases() {
		var n atomic.Int64
		_, err := l.Call(withTimeout(t, 30*1e9), alias, "steps", json.RawMessage(`{"n": 3}`),
			func(float64, float64, string) { n.Add(1) })
		if err != nil || n.Load() != 3 {
			t.Errorf("%s: %d steps, %v", alias, n.Load(), err)
		}
	}
}

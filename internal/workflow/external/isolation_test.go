//go:build unix

package external

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestServerThatStopsReading sends calls to a server that reads no more: each ends at its deadline.
func TestServerThatStopsReading(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"stops-reading": `+stdioEntry("stops-reading",
		`, "timeoutMs": 500, "protocolVersion": "legacy"`))
	wantError(t, l.callFails(Timeout, "stops-reading", "echo", fmt.Sprintf(`{"text": %q}`, strings.Repeat("x", 1<<20))),
		"500ms")
	wantError(t, l.callFails(Timeout, "stops-reading", "echo", ""), "500ms")
}

// TestRedirectsReceiveNoSecrets follows a redirect to another host, which must not get the headers
// of the entry.
func TestRedirectsReceiveNoSecrets(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var heard []string
	note := func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, r.Header.Get("X-Team")+r.Header.Get("Authorization"))
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer other.Close()
	base := serveHTTP(t)
	mux := http.NewServeMux()
	mux.Handle("/away", http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	mux.Handle("/here", http.RedirectHandler("/mcp", http.StatusTemporaryRedirect))
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cr3t-value" {
			http.Error(w, "who are you?", http.StatusForbidden)
			return
		}
		http.Redirect(w, r, base+"/stateless", http.StatusTemporaryRedirect)
	})
	front := httptest.NewServer(mux)
	defer front.Close()
	secrets := `, "headers": {"X-Team": "s3cr3t-value"}, "bearerToken": "s3cr3t-value"`
	l := newFixture(t, `"away": `+httpEntry(front.URL+"/away", secrets)+`, "here": `+
		httpEntry(front.URL+"/here", secrets))
	l.callFails(Unavailable, "away", "echo", "")
	mu.Lock()
	defer mu.Unlock()
	if len(heard) == 0 || strings.Join(heard, "") != "" {
		t.Errorf("%d requests were sent on, with %q", len(heard), heard)
	}
	if got := l.callText("here", "sealed", ""); got != " " { // the way to /mcp was the server's own, that beyond is not
		t.Errorf("beyond the server it was told %q", got)
	}
}

// A server may say that its tools are others before the handshake has ended.
func TestListChangedBeforeTheHandshakeEnds(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"changes-early": `+stdioEntry("changes-early", `, "protocolVersion": "legacy"`))
	if got := l.callText("changes-early", "echo", ""); got != "old" {
		t.Errorf("got %q", got)
	}
}

// However often a server says that its tools are others, it is asked one question at a time, and
// the last answer counts.
func TestListChangedStorm(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"list-changed-storm": `+stdioEntry("list-changed-storm", `, "protocolVersion": "legacy"`))
	l.callText("list-changed-storm", "echo", "")
	var asked int
	eventually(t, "the newest list is known", func() bool {
		if _, err := fmt.Sscanf(l.callText("list-changed-storm", "count", ""), "%d", &asked); err != nil {
			t.Fatal(err)
		}
		c, err := l.Catalog(withTimeout(t, 20*time.Second), "list-changed-storm")
		if err != nil {
			t.Fatal(err)
		}
		_, newest := c.Tool(fmt.Sprintf("v%d", asked))
		return asked > 1 && newest
	})
	if asked > 20 {
		t.Errorf("after a storm of 2000 notifications it was asked %d times", asked)
	}
}

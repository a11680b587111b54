package enforce_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// limitedSite has a button that opens five windows, and links to files of 10 and 3000 bytes.
func limitedSite(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>site</title><link rel=icon href=data:,>
			<button onclick="for (let i = 0; i < 5; i++) window.open('/window' + i)">Windows</button>
			<a href=/small download>Small</a> <a href=/large download>Large</a>`))
	})
	for path, size := range map[string]int{"/small": 10, "/large": 3000} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			_, _ = w.Write([]byte(strings.Repeat("x", size)))
		})
	}
	site := httptest.NewServer(mux)
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	return site.URL
}

// limited is a client of a server with limits, on the page of a limitedSite. Its browser blocks no
// windows itself.
func limited(t *testing.T, limits string) tooltest.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte("version: 1\nlimits: {"+limits+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := app.Config{Policy: path, Browser: browser.Config{Headless: true, Args: []string{"--disable-popup-blocking"}}}
	site := limitedSite(t)
	c := tooltest.NewOwnServer(t, cfg).Connect(t.Name(), tooltest.SessionRevision, nil)
	c.Expect("navigate", tooltest.Args{"url": site}, "200")
	return c
}

// TestWindowsAreLimited counts the tabs that are left when a page has opened five.
func TestWindowsAreLimited(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]int{"windows_per_action: 2": 3, "windows_per_session: 4": 4} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			c := limited(t, limit)
			c.Call("interact", tooltest.Args{"query": "Windows"})
			rule, _, _ := strings.Cut(limit, ":")
			tooltest.Eventually(t, "the limit is in the journal", func() bool {
				return strings.Contains(c.Call("oc_journal", tooltest.Args{"action": "recent"}), "limits."+rule)
			})
			if text := c.Call("tabs_context", nil); strings.Count(text, `"tabId"`) != want { // the pages may not have loaded
				t.Errorf("want %d tabs: %s", want, text)
			}
		})
	}
}

// waitForDownload waits until a download has ended, in the way that want says.
func waitForDownload(t *testing.T, c tooltest.Client, id, want string) {
	t.Helper()
	tooltest.Eventually(t, "the download "+id+" is known", func() bool { return strings.Contains(c.Call("downloads", nil), id+" ") })
	c.Expect("downloads", tooltest.Args{"action": "wait", "id": id}, want)
}

// TestDownloadsAreLimited downloads beyond the number and the size.
func TestDownloadsAreLimited(t *testing.T) {
	t.Parallel()
	t.Run("number", func(t *testing.T) {
		t.Parallel()
		c := limited(t, "downloads: 1")
		c.Call("interact", tooltest.Args{"query": "Small"})
		waitForDownload(t, c, "d1", "done")
		c.Call("interact", tooltest.Args{"query": "Small"})
		waitForDownload(t, c, "d2", "limits.downloads")
	})
	t.Run("size", func(t *testing.T) {
		t.Parallel()
		c := limited(t, "download_bytes: 1kB")
		c.Call("interact", tooltest.Args{"query": "Small"})
		waitForDownload(t, c, "d1", "done")
		c.Call("interact", tooltest.Args{"query": "Large"})
		waitForDownload(t, c, "d2", "larger than 1000 bytes")
	})
}

// TestCallsAndTimeAreLimited calls until the limit refuses.
func TestCallsAndTimeAreLimited(t *testing.T) {
	t.Parallel()
	c := limited(t, "calls_per_minute: 3")
	c.Call("tabs_context", nil)
	c.Call("tabs_context", nil)
	c.ExpectRefusal("POLICY_DENIED", "tabs_context", nil, "limits.calls_per_minute", "raise")
	c = limited(t, "session_time: 1s")
	tooltest.Eventually(t, "the session's time is over", func() bool {
		res := c.Do("tabs_context", nil)
		return res.IsError && strings.Contains(tooltest.Text(res), "limits.session_time")
	})
}

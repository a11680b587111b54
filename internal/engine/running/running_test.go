package running

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
)

// profile writes a profile directory whose port file names a port and a path.
func profile(t *testing.T, port, path string, alive bool) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if port != "" {
		write("DevToolsActivePort", port+"\n"+path)
	}
	write("Last Version", "144.0.1.2")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	pid := os.Getpid()
	if !alive {
		pid = 1 << 30
	}
	if err := os.Symlink(fmt.Sprintf("%s-%d", host, pid), filepath.Join(dir, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// serve answers like the debugging port of a browser with this path; "" answers no HTTP but 404.
func serve(t *testing.T, path string) (port string) {
	t.Helper()
	mux := http.NewServeMux()
	if path != "" {
		mux.HandleFunc("/json/version", func(w http.ResponseWriter, r *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]string{"Browser": "Chrome/156.0.8078.79", "webSocketDebuggerUrl": "ws://" + r.Host + path})
		})
		mux.HandleFunc("/json/list", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`[{"type":"page"},{"type":"service_worker"},{"type":"page"}]`))
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	_, port, _ = net.SplitHostPort(strings.TrimPrefix(srv.URL, "http://"))
	return port
}

func TestAt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("profiles have no lock to read on Windows")
	}
	const path, other = "/devtools/browser/a", "/devtools/browser/b"
	silent := strconv.Itoa(proctest.FreePort(t))
	for _, row := range []struct {
		name           string
		dir            string
		found, allowed bool
		version        string
		pages          int
	}{
		{"it answers", profile(t, serve(t, path), path, true), true, true, "156.0.8078.79", 2},
		{"it asks its person for each connection, and answers no HTTP", profile(t, serve(t, ""), path, true), true, true, "144.0.1.2", -1},
		{"debugging is not allowed", profile(t, "", "", true), true, false, "144.0.1.2", -1},
		{"nothing listens any more", profile(t, silent, path, false), false, false, "144.0.1.2", -1},
		{"it runs again without debugging, and left its port file", profile(t, silent, path, true), true, false, "144.0.1.2", -1},
		{"another browser has the port", profile(t, serve(t, other), path, false), false, false, "144.0.1.2", -1},
		{"another program has the port", profile(t, serve(t, ""), path, false), false, false, "144.0.1.2", -1},
		{"the port file is broken", profile(t, "0", path, false), false, false, "144.0.1.2", -1},
		{"the path is no browser's", profile(t, serve(t, "/x"), "/x", true), true, false, "144.0.1.2", -1},
	} {
		b, found := At(t.Context(), Place{Product: "Chromium", Dir: row.dir})
		if found != row.found || b.Allowed() != row.allowed || b.Version != row.version || b.Pages != row.pages {
			t.Errorf("%s: %+v, %t", row.name, b, found)
		}
		if b.Allowed() && b.Address != "ws://127.0.0.1:"+strconv.Itoa(b.Port)+path {
			t.Errorf("%s: address %s", row.name, b.Address)
		}
	}
}

func TestWebSocketPath(t *testing.T) {
	t.Parallel()
	if path, err := WebSocketPath(t.Context(), "127.0.0.1:"+serve(t, "/devtools/browser/a")); err != nil || path != "/devtools/browser/a" {
		t.Errorf("%q, %v", path, err)
	}
	for _, path := range []string{"", "/elsewhere"} {
		if got, err := WebSocketPath(t.Context(), "127.0.0.1:"+serve(t, path)); err == nil {
			t.Errorf("a service that is no browser: %q", got)
		}
	}
}

func TestUsualPlaces(t *testing.T) {
	t.Parallel()
	for system, want := range map[string]string{
		"linux":   filepath.Join("/h/.config", "google-chrome"),
		"darwin":  filepath.Join("/h", "Library", "Application Support", "Google", "Chrome"),
		"windows": `C:\L\Google\Chrome\User Data`,
	} {
		places := usualOn(system, "/h", "/h/.config", `C:\L`)
		if places[0].Dir != want || places[len(places)-1].Product != "Chromium" {
			t.Errorf("%s: %+v", system, places)
		}
	}
}

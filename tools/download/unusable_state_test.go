package download_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveFile serves a page with a link to a file that the browser downloads.
func serveFile(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", `attachment; filename="report.txt"`)
			_, _ = w.Write([]byte("the report"))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Files</title><a href="/file">Get the report</a>`))
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// TestUnusableStateStopsOnlyWhatNeedsIt names a state directory that cannot be made. Pages open and
// take clicks; what stores something says why it cannot; the log says each problem once.
func TestUnusableStateStopsOnlyWhatNeedsIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	s := tooltest.NewOwnServer(t, app.Config{StateDir: filepath.Join(file, "state"), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c := s.Connect(t.Name(), "", nil)
	c.Call("navigate", tooltest.Args{"url": serveFile(t)})
	c.Expect("read_page", nil, "Get the report")
	c.Call("interact", tooltest.Args{"query": "Get the report"})
	c.Expect("downloads", tooltest.Args{"action": "wait"}, "report.txt", "failed", "cannot be stored", file)
	c.ExpectRefusal("FAILED", "oc_checkpoint", tooltest.Args{"action": "save", "taskDescription": "x"}, file)
	c.Expect("read_page", nil, "Get the report")
	if err := s.Store.Queue().Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, problem := range []string{"the journal is not written", "downloads cannot be stored"} {
		if n := strings.Count(log.String(), problem); n != 1 {
			t.Errorf("%q is in the log %d times:\n%s", problem, n, log.String())
		}
	}
}

// TestStateThatIsDeletedIsMadeAnew deletes the state directory of a running server. What is said to
// be stored after that can be read.
func TestStateThatIsDeletedIsMadeAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	c := tooltest.NewOwnServer(t, app.Config{StateDir: dir}).Connect(t.Name(), "", nil)
	url := serveFile(t)
	note := tooltest.Args{"action": "record", "domain": "x.org", "key": "k", "value": "remembered"}
	c.Call("memory", note)
	c.Call("navigate", tooltest.Args{"url": url})
	err := os.RemoveAll(dir)
	for range 100 { // the server writes its journal meanwhile, into the directory that is being removed
		if err == nil {
			break
		}
		err = os.RemoveAll(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Call("memory", note)
	c.Expect("memory", tooltest.Args{"action": "query", "domain": "x.org"}, "remembered")
	if _, err := os.Stat(filepath.Join(dir, "callsheet.db")); err != nil {
		t.Errorf("the note is in no file: %v", err)
	}
	c.Call("interact", tooltest.Args{"query": "Get the report"})
	res := c.Do("downloads", tooltest.Args{"action": "wait"})
	switch text, links := tooltest.Text(res), tooltest.Links(res); {
	case len(links) == 1 && c.ReadArtifact(links[0].URI) != "the report":
		t.Errorf("what was stored cannot be read: %s", text)
	case len(links) == 0 && !strings.Contains(text, "failed"):
		t.Errorf("the download is neither stored nor failed: %s", text)
	}
}

// lockedBuffer is a buffer that several goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

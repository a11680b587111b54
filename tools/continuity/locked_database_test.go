package continuity_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestAnswersDoNotWaitForTheDatabase holds the write lock of the database until the calls of a
// recorded session are answered. The journal and the recording have each of them afterwards.
func TestAnswersDoNotWaitForTheDatabase(t *testing.T) {
	dir := t.TempDir()
	s := tooltest.NewServer(t, app.Config{StateDir: dir})
	c := s.Connect(t.Name(), "", nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Locked</title><button>Press</button>"))
	}))
	t.Cleanup(site.Close)
	c.Call("oc_recording_start", tooltest.Args{"screenshots": false})

	release := holdDatabase(t, dir)
	c.Call("navigate", tooltest.Args{"url": site.URL})
	for range 5 {
		c.Expect("read_page", nil, "Press")
	}
	c.Call("interact", tooltest.Args{"query": "Press"})
	if waiting := s.Store.Queue().Waiting(); waiting < 14 { // a row of the journal and a step for each
		t.Errorf("%d writes wait for the lock that they need", waiting)
	}
	c.Expect("oc_journal", nil, "not written yet: ")
	release()

	c.Expect("oc_journal", nil, "read_page 5", "navigate 1", "interact 1")
	c.Expect("oc_recording_stop", nil, "9 steps") // oc_journal is two of them
	if text := c.Call("oc_journal", nil); strings.Contains(text, "lost") || strings.Contains(text, "not written") {
		t.Errorf("after the lock: %s", text)
	}
}

// holdDatabase holds the write lock of the database in a state directory, as another process can,
// until the function that it returns is called.
func holdDatabase(t *testing.T, dir string) (release func()) {
	t.Helper()
	state, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	held, over, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		other := database.New(state)
		defer func() { _ = other.Close() }()
		if err := other.Change(context.Background(), func(*sql.Tx) error { close(held); <-over; return nil }); err != nil {
			t.Error(err)
		}
	}()
	<-held
	release = sync.OnceFunc(func() { close(over); <-ended })
	t.Cleanup(release)
	return release
}

package continuity_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How many calls TestCostOfDatabaseFaults makes under each fault, and how many in a row before the
// next one, so that all of them meet the same machine.
const shortFaultCalls, soakFaultCalls, faultTurn = 6, 600, 6

// stalledCommits has the commits of every connection wait for its end while it is set.
var stalledCommits atomic.Pointer[chan struct{}]

func init() {
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, _ string) error {
		if hooks, ok := conn.(sqlite.HookRegisterer); ok {
			hooks.RegisterCommitHook(func() int32 {
				if end := stalledCommits.Load(); end != nil {
					<-*end
				}
				return 0
			})
		}
		return nil
	})
}

// stallDisk stalls commits, as an fsync does that the disk does not answer, until the function that
// it returns is called.
func stallDisk(t *testing.T) (release func()) {
	t.Helper()
	end := make(chan struct{})
	stalledCommits.Store(&end)
	release = sync.OnceFunc(func() { stalledCommits.Store(nil); close(end) })
	t.Cleanup(release)
	return release
}

// TestCostOfDatabaseFaults makes recorded calls without a fault, while another connection holds the
// write lock, and while the disk answers no fsync. Each call is answered before the fault ends, and
// all rows are there after it; what the calls took is printed.
func TestCostOfDatabaseFaults(t *testing.T) {
	calls := shortFaultCalls
	if os.Getenv(tooltest.SoakVariable) != "" {
		calls = soakFaultCalls
	}
	dir := t.TempDir()
	c := tooltest.NewServer(t, app.Config{StateDir: dir}).Connect(t.Name(), "", nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Cost</title><button>Press</button>")) // the client may have left
	}))
	t.Cleanup(site.Close)
	c.Call("oc_recording_start", tooltest.Args{"screenshots": false})
	c.Call("navigate", tooltest.Args{"url": site.URL})
	c.Call("oc_journal", nil) // the database is open, and nothing waits

	faults := []struct {
		name  string
		begin func() (end func())
	}{
		{"no fault", func() func() { return func() {} }},
		{"another process has the lock", func() func() { return holdDatabase(t, dir) }},
		{"the disk stalls", func() func() { return stallDisk(t) }},
	}
	took := make([][]time.Duration, len(faults))
	for range calls / faultTurn {
		for i, fault := range faults {
			end := fault.begin()
			for range faultTurn {
				begun := time.Now()
				c.Expect("read_page", nil, "Press")
				took[i] = append(took[i], time.Since(begun))
			}
			end()
			c.Call("oc_journal", nil) // flushes the queue
		}
	}
	c.Expect("oc_journal", nil, fmt.Sprintf("read_page %d", calls*len(faults)))
	for i, fault := range faults {
		slices.Sort(took[i])
		t.Logf("%s: %d calls, median %v, worst %v", fault.name, len(took[i]),
			took[i][len(took[i])/2].Round(10*time.Microsecond), slices.Max(took[i]).Round(10*time.Microsecond))
	}
}

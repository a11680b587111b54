package act_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestHungPageEndsAnInteraction clicks a button whose handler never ends, and another one on the
// page that hangs then. Both calls end before the deadline of the tool, and the page can be left. It loops for half a minute; by
// day TestNoToolOutlivesItsDeadline has such a page under short deadlines.
func TestHungPageEndsAnInteraction(t *testing.T) {
	t.Parallel()
	proctest.Nightly(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Hang</title><button onclick='for(;;);'>Hang</button><button>Other</button>"))
	}))
	t.Cleanup(site.Close)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": site.URL})
	for _, query := range []string{"Hang", "Other"} {
		c.ExpectRefusal("TIMEOUT", "interact", tooltest.Args{"query": query, "waitForMs": 200}, "the page has not answered")
	}
	c.Call("navigate", tooltest.Args{"url": site.URL + "/again"})
	c.Call("interact", tooltest.Args{"query": "Other"})
}

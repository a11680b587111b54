package tools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveWalledSite serves a page that wants a login, one that checks for robots, and one that lets
// everybody on.
func serveWalledSite(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>Page</title><h1>", map[string]string{
			"/login": "Please log in", "/robot": "Verify you are human",
		}[r.URL.Path], "</h1><button>Go</button>")
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestHints(t *testing.T) {
	t.Parallel()
	home := serveWalledSite(t)
	c := tooltest.ConnectAs(t, toolkit.Options{}, tooltest.SessionRevision, nil)
	hinted := func(tool string, a tooltest.Args) string {
		t.Helper()
		_, after, _ := strings.Cut(tooltest.Text(c.Do(tool, a)), "hint: ")
		return after
	}
	hinted("navigate", tooltest.Args{"url": home + "/"})
	for i := range 3 {
		got := hinted("interact", tooltest.Args{"ref": fmt.Sprintf("e%d", 90+i)})
		if (i == 2) != strings.Contains(got, "read_page") {
			t.Errorf("failure %d is told %q", i+1, got)
		}
	}
	for i := range 3 {
		got := hinted("read_page", nil)
		if (i == 2) != strings.Contains(got, "wait_for") {
			t.Errorf("reading %d is told %q", i+1, got)
		}
	}
	told := ""
	for _, path := range []string{"/login", "/robot"} {
		told += hinted("navigate", tooltest.Args{"url": home + path})
	}
	if !strings.Contains(told, "login first; oc_context_import") || !strings.Contains(told, "checks for robots") {
		t.Errorf("walls are told %q", told)
	}
}

func TestHintsNameVisibleTools(t *testing.T) {
	t.Parallel()
	home := serveWalledSite(t)
	c := tooltest.ConnectAs(t, toolkit.Options{DisableTools: []string{"storage"}}, tooltest.SessionRevision, nil)
	if got := c.Call("navigate", tooltest.Args{"url": home + "/login"}); !strings.Contains(got, "login first; fill_form") || strings.Contains(got, "oc_context_import") {
		t.Errorf("without storage a login is told %q", got)
	}
}

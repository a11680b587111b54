package tools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/session/hint"
)

// walled serves a page that wants a login, one that checks for robots, and one that lets everybody on.
func walled(t *testing.T) string {
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
	home := walled(t)
	c := connectIn(t, t.TempDir(), toolkit.Options{}, sessions, nil, hint.New().Around)
	hinted := func(tool string, a args) string {
		t.Helper()
		_, after, _ := strings.Cut(textOf(c.raw(tool, a)), "hint: ")
		return after
	}
	hinted("navigate", args{"url": home + "/"})
	for i := range 3 {
		got := hinted("interact", args{"ref": fmt.Sprintf("e%d", 90+i)})
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
		hinted("navigate", args{"url": home + path})
		told += hinted("read_page", nil)
	}
	if !strings.Contains(told, "login first; oc_context_import") || !strings.Contains(told, "checks for robots") {
		t.Errorf("walls are told %q", told)
	}
}

func TestHintsNameOnlyToolsOfTheClient(t *testing.T) {
	t.Parallel()
	home := walled(t)
	c := connectIn(t, t.TempDir(), toolkit.Options{DisableTools: []string{"storage"}}, sessions, nil, hint.New().Around)
	c.call("navigate", args{"url": home + "/login"})
	if got := c.call("read_page", nil); !strings.Contains(got, "login first; fill_form") || strings.Contains(got, "oc_context_import") {
		t.Errorf("without storage a login is told %q", got)
	}
}

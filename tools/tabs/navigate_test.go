package tabs_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestNavigateFailures(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	address := proctest.FreeAddress(t)
	c.ExpectRefusal("NAVIGATION_FAILED", "navigate", tooltest.Args{"url": "http://" + address}, "ERR_CONNECTION_REFUSED")
	c.ExpectRefusal("NAVIGATION_FAILED", "tabs_create", tooltest.Args{"url": "http://" + address}, "ERR_CONNECTION_REFUSED", " is open, but: navigate to")
	c.ExpectRefusal("POLICY_DENIED", "navigate", tooltest.Args{"url": "javascript:alert(1)"}, `"surface":"navigation"`)
	c.ExpectRefusal("POLICY_DENIED", "navigate", tooltest.Args{"url": "file:///etc/passwd"})
	c.Expect("navigate", tooltest.Args{"url": home + "/missing"}, " 404")
	c.ExpectRefusal("TIMEOUT", "navigate", tooltest.Args{"url": home + "/slow?ms=600000", "timeout": 300})
	c.Expect("navigate", tooltest.Args{"url": strings.TrimPrefix(home, "http://") + "/second.html"}, "Second page")
}

func TestNavigateReportsEveryResponse(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/"})
	for path, want := range map[string][]string{
		"/gone":         {"/gone", `"Answer 410"`, " 410"},
		"/teapot":       {" 418"},
		"/error":        {" 500"},
		"/empty-error":  {" 404"},
		"/moved":        {"/gone", " 410", "redirected from", "/moved-again"},
		"/script-move":  {"/second", "200", "redirected from"},
		"/paper.pdf":    {"/paper.pdf", " 200", "application/pdf"},
		"/picture.svg":  {"/picture.svg", " 200", "image/svg+xml"},
		"/picture.gif":  {"/picture.gif", " 200", "image/gif"},
		"/surrogates":   {"/surrogates", "200"},
		"/private":      {"401"},
		"/late-headers": {`"Late"`, " 200"},
	} {
		said := c.Expect("navigate", tooltest.Args{"url": home + path}, want...)
		if !utf8.ValidString(said) {
			t.Errorf("%s: %q", path, said)
		}
		c.Call("read_page", nil)
		c.Call("tabs_context", nil)
		c.Expect("javascript_tool", tooltest.Args{"code": "1+1"}, "2")
	}
	for _, code := range []string{"410", "418", "500"} {
		path := map[string]string{"410": "/gone", "418": "/teapot", "500": "/error"}[code]
		c.Call("navigate", tooltest.Args{"url": home + path})
		c.Expect("read_page", nil, "Body of "+code)
	}
	before := home + "/error"
	c.Expect("navigate", tooltest.Args{"url": home + "/empty"}, before, "sent no page", " 204")
	c.ExpectRefusal("NAVIGATION_FAILED", "navigate", tooltest.Args{"url": home + "/round"}, "ERR_TOO_MANY_REDIRECTS")
	c.Expect("navigate", tooltest.Args{"url": "about:blank"}, "about:blank")
	c.Expect("read_page", nil, "about:blank")
	c.Expect("navigate", tooltest.Args{"url": "data:text/html,<title>Data</title><h1>From data</h1>"}, `"Data"`)
	c.Expect("read_page", nil, "From data")
}

func TestNavigateReportsTheBackForwardCache(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/"})
	c.Call("javascript_tool", tooltest.Args{"code": "mark = 'kept'"})
	c.Call("navigate", tooltest.Args{"url": home + "/second"})
	said := c.Expect("navigate", tooltest.Args{"url": "back"}, `"Start"`)
	kept := c.Call("javascript_tool", tooltest.Args{"code": "typeof mark"}) == "string"
	if kept != strings.Contains(said, "from cache") || !kept && !strings.Contains(said, "200") {
		t.Errorf("kept %v, but: %s", kept, said)
	}
	c.Expect("interact", tooltest.Args{"query": "second"}, "Second")
	c.ExpectRefusal("FAILED", "navigate", tooltest.Args{"url": "forward"}, "no page")
}

func TestNavigateToAPageThatNeverLoads(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "about:blank"})
	said := tooltest.Text(c.Do("navigate", tooltest.Args{"url": home + "/loading", "timeout": 5000}))
	if !strings.Contains(said, "usable") && !strings.Contains(said, "document is ready") {
		t.Errorf("the navigation says %s", said)
	}
	c.Expect("read_page", nil, "Usable")
	c.Expect("interact", tooltest.Args{"query": "Press"}, "pressed")
	c.ExpectRefusal("TIMEOUT", "navigate", tooltest.Args{"url": home + "/never", "timeout": 500}, "previous document")
	c.Expect("read_page", nil, "Usable")
	c.Expect("navigate", tooltest.Args{"url": home + "/late-headers?ms=700"}, `"Late"`)
}

func TestNavigateLoneSurrogates(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	for _, text := range []string{
		c.Call("navigate", tooltest.Args{"url": home + "/surrogates"}), c.Call("read_page", nil), c.Call("tabs_context", nil),
		c.Call("javascript_tool", tooltest.Args{"code": "document.title + location.href"}), c.Call("page_reload", nil),
	} {
		if !utf8.ValidString(text) || !strings.Contains(text, "lone") {
			t.Errorf("%q", text)
		}
	}
}

func TestNavigateWithoutCredentials(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Expect("navigate", tooltest.Args{"url": home + "/private"}, " 401", "asks for a login")
	c.Expect("page_reload", nil, " 401", "asks for a login")
}

func TestNavigationDuringAnAction(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	for range 5 {
		c.Call("navigate", tooltest.Args{"url": home + "/"})
		c.Call("javascript_tool", tooltest.Args{"code": "location.href = '/racing'; 1"})
		res := c.Do("interact", tooltest.Args{"query": "Click", "waitForMs": 2000})
		said := tooltest.Text(res)
		switch {
		case !res.IsError && (strings.Contains(said, `clicked button "Click"`)):
		case strings.HasPrefix(said, "NOT_FOUND"), strings.HasPrefix(said, "STALE_REF"), strings.HasPrefix(said, "NOT_ACTIONABLE"):
		default:
			t.Errorf("a click in a page that goes away: %s", said)
		}
		c.Expect("wait_for", tooltest.Args{"type": "url_match", "value": "/second", "timeout": 10000}, "url_match")
		c.Expect("read_page", nil, "Second")
	}
}

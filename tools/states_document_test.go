package tools_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestEveryKindOfAnswerIsToldWithItsStatus(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/"})
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
		said := c.says("navigate", args{"url": home + path}, want...)
		if !utf8.ValidString(said) {
			t.Errorf("%s: %q", path, said)
		}
		c.call("read_page", nil)
		c.call("tabs_context", nil)
		c.says("javascript_tool", args{"code": "1+1"}, "2")
	}
	for _, code := range []string{"410", "418", "500"} {
		path := map[string]string{"410": "/gone", "418": "/teapot", "500": "/error"}[code]
		c.call("navigate", args{"url": home + path})
		c.says("read_page", nil, "Body of "+code)
	}
	before := home + "/error"
	c.says("navigate", args{"url": home + "/empty"}, before, "sent no page", " 204")
	c.refused("NAVIGATION_FAILED", "navigate", args{"url": home + "/round"}, "ERR_TOO_MANY_REDIRECTS")
	c.says("navigate", args{"url": "about:blank"}, "about:blank")
	c.says("read_page", nil, "about:blank")
	c.says("navigate", args{"url": "data:text/html,<title>Data</title><h1>From data</h1>"}, `"Data"`)
	c.says("read_page", nil, "From data")
}

func TestAPageFromTheCacheIsToldAsSuch(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/"})
	c.call("javascript_tool", args{"code": "mark = 'kept'"})
	c.call("navigate", args{"url": home + "/second"})
	said := c.says("navigate", args{"url": "back"}, `"Start"`)
	kept := c.call("javascript_tool", args{"code": "typeof mark"}) == "string"
	if kept != strings.Contains(said, "from cache") || !kept && !strings.Contains(said, "200") {
		t.Errorf("kept %v, but: %s", kept, said)
	}
	c.says("interact", args{"query": "second"}, "Second")
	c.refused("FAILED", "navigate", args{"url": "forward"}, "no page")
}

func TestAPageThatNeverLoadsIsUsable(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": "about:blank"})
	said := textOf(c.raw("navigate", args{"url": home + "/loading", "timeout": 1000}))
	if !strings.Contains(said, "usable") && !strings.Contains(said, "document is ready") {
		t.Errorf("the navigation says %s", said)
	}
	c.says("read_page", nil, "Usable")
	c.says("interact", args{"query": "Press"}, "pressed")
	c.refused("TIMEOUT", "navigate", args{"url": home + "/never", "timeout": 500}, "previous document")
	c.says("read_page", nil, "Usable")
	c.says("navigate", args{"url": home + "/late-headers?ms=700"}, `"Late"`)
}

func TestANavigationThatRacesAnActionHurtsNobody(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	for range 5 {
		c.call("navigate", args{"url": home + "/"})
		c.call("javascript_tool", args{"code": "location.href = '/racing'; 1"})
		res := c.raw("interact", args{"query": "Click", "waitForMs": 2000})
		said := textOf(res)
		switch {
		case !res.IsError && (strings.Contains(said, `clicked button "Click"`)):
		case strings.HasPrefix(said, "NOT_FOUND"), strings.HasPrefix(said, "STALE_REF"), strings.HasPrefix(said, "NOT_ACTIONABLE"):
		default:
			t.Errorf("a click in a page that goes away: %s", said)
		}
		c.says("wait_for", args{"type": "url_match", "value": "/second", "timeout": 10000}, "url_match")
		c.says("read_page", nil, "Second")
	}
}

func TestLoneSurrogatesTravel(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	for _, text := range []string{
		c.call("navigate", args{"url": home + "/surrogates"}), c.call("read_page", nil), c.call("tabs_context", nil),
		c.call("javascript_tool", args{"code": "document.title + location.href"}), c.call("page_reload", nil),
	} {
		if !utf8.ValidString(text) || !strings.Contains(text, "lone") {
			t.Errorf("%q", text)
		}
	}
}

func TestALoginThatNobodyGaveIsAStatus(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.says("navigate", args{"url": home + "/private"}, " 401", "asks for a login")
	c.says("page_reload", nil, " 401", "asks for a login")
}

package webmcp_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestBrowserWithoutWebMCP asks a browser whose WebMCP is switched off for the tools of a page: list and call say
// what is missing, in both eras, and other tools work.
func TestBrowserWithoutWebMCP(t *testing.T) {
	t.Parallel()
	s := tooltest.NewOwnServer(t, app.Config{
		Surface: toolkit.Options{OptIn: []string{"webmcp"}}, Browser: browser.Config{Args: []string{"--disable-features=WebMCP"}},
	})
	url := testPages(t)
	inBothEras(t, s, func(t *testing.T, c tooltest.Client, _ bool) {
		c.Call("navigate", tooltest.Args{"url": url + "/plain"})
		for _, args := range []tooltest.Args{nil, call("add#0000000000000000", nil)} {
			refusal := c.ExpectRefusal("PAGE_TOOL_UNUSABLE", "page_tool", args, "Chromium 149 with --enable-features=WebMCP")
			if refusal["reason"] != "unsupported" {
				t.Errorf("%v: the reason is %v", args, refusal["reason"])
			}
		}
		c.Expect("read_page", nil, "nothing")
	})
}

// TestPageWithoutTools lists the tools of a page that has none, in a browser with WebMCP.
func TestPageWithoutTools(t *testing.T) {
	t.Parallel()
	c := allowing(t).Connect(t.Name(), "", nil)
	openPage(t, c, testPages(t)+"/plain")
	c.Expect("page_tool", nil, "offers no tools")
	c.ExpectRefusal("PAGE_TOOL_GONE", "page_tool", call("add#0000000000000000", nil))
}

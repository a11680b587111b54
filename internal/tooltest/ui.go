package tooltest

import (
	"net/http/httptest"
	"strings"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/ui"
)

// UI is the ui of a server of a test.
type UI struct {
	*ui.Server

	Address string // of the page, without a ticket
}

// SignInAddress returns an address that signs in once.
func (u UI) SignInAddress() string { return u.Address + "#token=" + u.Ticket() }

// ServeUI serves the ui of the server on loopback.
func (s *Server) ServeUI() UI {
	s.t.Helper()
	pages := s.UI(ui.Options{})
	site := httptest.NewServer(pages)
	s.t.Cleanup(func() { pages.Close(); site.Close() })
	return UI{pages, site.URL + ui.Path}
}

// OpenUI serves the ui of the server, and returns a client of a person who is signed in: its tab shows the
// ui, in the browser that the tests share.
func (s *Server) OpenUI() (Client, UI) {
	s.t.Helper()
	pages := s.ServeUI()
	person := startServer(s.t, app.Config{Backend: Shared, NoJournal: true}).Connect(s.t.Name()+"-person", "", nil)
	person.Call("navigate", Args{"url": pages.SignInAddress()})
	person.WaitScript("document.querySelector('main .view')")
	return person, pages
}

// WaitScript waits until an expression is true in the page, and fails the test when the tool's time is up.
func (c Client) WaitScript(condition string) {
	c.T.Helper()
	code := "new Promise((done) => { const look = () => ((" + condition + ") ? done('it is so') : setTimeout(look, 20)); look(); })"
	if res := c.Do("javascript_tool", Args{"code": code, "timeout": 120_000}); res.IsError || !strings.Contains(Text(res), "it is so") {
		c.T.Fatalf("%s: %s\nThe page: %s", condition, Text(res), c.Call("read_page", nil))
	}
}

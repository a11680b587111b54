package environment_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// popups opens a popup in each way, and has the path of its first request.
func popups(site *tooltest.HeaderSite) map[string]string {
	return map[string]string{
		"/open":            "window.open('/open'); 0",
		"/open-detached":   "window.open('/open-detached', '', 'noopener'); 0",
		"/open-window":     "window.open('/open-window', '', 'width=300,height=200'); 0",
		"/open-empty":      "window.open('').location = '/open-empty'; 0",
		"/blank":           "document.getElementById('blank').click()",
		"/blank-opener":    "document.getElementById('opener').click()",
		"/posted":          "document.getElementById('form').submit()",
		"/from-srcdoc":     "frames[0].document.getElementById('inner').click()",
		"/other-site":      fmt.Sprintf("window.open('%s/other-site'); 0", site.OtherURL),
		"/other-detached":  fmt.Sprintf("window.open('%s/other-detached', '', 'noopener'); 0", site.OtherURL),
		"/framed-in-popup": "window.open('/popup-frames'); 0",
	}
}

// TestFirstRequestOfPopup opens popups in every way. The first request of each has the overrides of
// the tab that opened it, and so has the first request of a frame of another site in one.
func TestFirstRequestOfPopup(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/popups"})
	c.Call("user_agent", tooltest.Args{"custom": "Robot/2.0"})
	c.Call("emulate_environment", tooltest.Args{"headers": []string{"X-Robot: yes"}, "locale": "de-DE"})
	for path, code := range popups(w) {
		c.Call("javascript_tool", tooltest.Args{"code": code})
		h := w.Header(t, path)
		if h.Get("User-Agent") != "Robot/2.0" || h.Get("X-Robot") != "yes" || !strings.HasPrefix(h.Get("Accept-Language"), "de-DE") {
			t.Errorf("%s came as %q, %q, %q", path, h.Get("User-Agent"), h.Get("X-Robot"), h.Get("Accept-Language"))
		}
	}
	if h := w.Header(t, "/from-popup-worker"); h.Get("User-Agent") != "Robot/2.0" || h.Get("X-Robot") != "yes" {
		t.Errorf("a worker of a popup came as %q, %q", h.Get("User-Agent"), h.Get("X-Robot"))
	}
}

// TestPopupKeepsAgent opens popups in every way. Their scripts see the platform of the user agent.
func TestPopupKeepsAgent(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/popups"})
	c.Call("user_agent", tooltest.Args{"preset": "chrome-android"})
	for path, code := range popups(w) {
		c.Call("javascript_tool", tooltest.Args{"code": code})
		w.Header(t, path)
	}
	for _, tab := range regexp.MustCompile(`"tabId":"(t\d+)","url":"([^"]*)"`).FindAllStringSubmatch(c.Call("tabs_context", nil), -1) {
		tooltest.Eventually(t, "the platform of "+tab[2]+" is that of the user agent", func() bool {
			return strings.Contains(c.Call("javascript_tool", tooltest.Args{"tabId": tab[1], "code": "navigator.platform"}), "Linux armv81")
		})
	}
}

// TestInterceptFirstRequestOfPopup has a rule for the documents of popups and of frames of other
// sites, and credentials that a popup needs.
func TestInterceptFirstRequestOfPopup(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/popups"})
	c.Call("request_intercept", tooltest.Args{"action": "add", "do": "modify_request", "pattern": "*", "headers": []string{"X-Rule: yes"}})
	for path, code := range popups(w) {
		c.Call("javascript_tool", tooltest.Args{"code": code})
		if got := w.Header(t, path).Get("X-Rule"); got != "yes" {
			t.Errorf("%s came with %q", path, got)
		}
	}
	c.Call("http_auth", tooltest.Args{"action": "set", "username": "ada", "password": "love lace"})
	for _, features := range []string{"", "noopener"} {
		c.Call("javascript_tool", tooltest.Args{"code": fmt.Sprintf("window.open('/secret?%s', '', '%s'); 0", features, features)})
		tooltest.Eventually(t, "a popup is let in", func() bool {
			return strings.Contains(c.Call("tabs_context", nil), `/secret?`+features+`","title":"Wire"`)
		})
	}
	c.Call("navigate", tooltest.Args{"url": w.URL + "/frames"})
	if got := w.Header(t, "/framed").Get("X-Rule"); got != "yes" {
		t.Errorf("the document of a frame of another site came with %q", got)
	}
}

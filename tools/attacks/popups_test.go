package attacks_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// openMany opens 40 windows and says in the title how many it got.
const openMany = `let n = 0; for (let i = 0; i < 40; i++) { const w = window.open('/other?' + i); if (w) n++ } document.title = 'opened ' + n;`

// tabCount counts the tabs of the client.
func (c *client) tabCount() int {
	c.Helper()
	text, _, _ := strings.Cut(c.ok("tabs_context", nil), "\n{") // the structured content says it again
	return strings.Count(text, "http://")
}

// expectNoPopup opens a page that tries to open so many windows without a trusted action. It fails the
// attack when the page gets one, or when the results do not count them.
func (c *client) expectNoPopup(html, done string, tried int) {
	c.Helper()
	s := newSite(c.T)
	s.page("evil", "/other", `<title>popup</title>`)
	s.page("evil", "/", html)
	c.ok("navigate", args{"url": s.url("evil", "/")})
	c.titled(done)
	c.expectRefused(tried)
	if n := c.tabCount(); n > 1 {
		c.Errorf("the page has %d tabs: %s", n, c.saw())
	}
}

// refusals finds how many windows a result says were refused.
var refusals = regexp.MustCompile(`tried to open (?:(a) window|\d+ windows; (\d+) )`)

// expectRefused waits until results have said that so many windows were refused. No later one says
// more.
func (c *client) expectRefused(want int) {
	c.Helper()
	said := func() (sum int) {
		for _, m := range refusals.FindAllStringSubmatch(c.saw(), -1) {
			n, err := strconv.Atoi(m[2])
			if err != nil {
				n = 1
			}
			sum += n
		}
		return sum
	}
	tooltest.Eventually(c.T, fmt.Sprintf("%d windows were refused", want), func() bool {
		c.ok("tabs_context", nil)
		return said() >= want
	})
	if c.ok("tabs_context", nil); said() != want {
		c.Errorf("%d windows were refused, not %d: %s", said(), want, c.saw())
	}
}

// Attacks by pages that open windows.
var _ = add(
	attack{
		name: "popups_on_load", about: "a page opens 40 windows while it loads, without an action of the caller",
		run: func(c *client) { c.expectNoPopup(`<script>`+openMany+`</script>`, "opened 0", 40) },
	},
	attack{
		name: "popups_by_timer", about: "a page opens 40 windows from a timer",
		run: func(c *client) {
			c.expectNoPopup(`<script>setTimeout(() => {`+openMany+`}, 20)</script>`, "opened 0", 40)
		},
	},
	attack{
		name: "popups_by_synthetic_click", about: "a page clicks its own link to a new window by script",
		run: func(c *client) {
			c.expectNoPopup(`<a id=a href=/other target=_blank>x</a><script>for (let i = 0; i < 5; i++) a.click(); document.title = 'done'</script>`, "done", 5)
		},
	},
	attack{
		name: "popups_by_dispatched_event", about: "a page dispatches a click event that it made itself",
		run: func(c *client) {
			c.expectNoPopup(`<button id=b onclick="window.open('/other')">x</button><script>b.dispatchEvent(new MouseEvent('click', {bubbles: true})); document.title = 'done'</script>`, "done", 1)
		},
	},
	attack{
		name: "popups_by_form", about: "a page submits a form to a new window by script",
		run: func(c *client) {
			c.expectNoPopup(`<form id=f action=/other target=_blank></form><script>f.submit(); document.title = 'done'</script>`, "done", 1)
		},
	},
	attack{
		name: "popups_by_frame", about: "a frame of another origin opens windows",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/other", `<title>popup</title>`)
			s.page("evil", "/frame", `<script>`+openMany+`; parent.postMessage(n, '*')</script>`)
			s.page("bank", "/", `<script>onmessage = (e) => document.title = 'opened ' + e.data</script><iframe src="{evil}/frame"></iframe>`)
			c.ok("navigate", args{"url": s.url("bank", "/")})
			c.titled("opened 0")
		},
	},
	attack{
		name: "popups_many_by_one_click", about: "a page opens 40 windows at one trusted click, which allows one",
		run: func(c *client) {
			s := newSite(c.T)
			s.page("evil", "/other", `<title>popup</title>`)
			s.page("evil", "/", `<button onclick="`+openMany+`">Go</button>`)
			c.ok("navigate", args{"url": s.url("evil", "/")})
			c.ok("interact", args{"query": "Go"}, "tried to open 40 windows; 39 were refused")
			c.expectRefused(39)
			if n := c.tabCount(); n > 2 {
				c.Errorf("one click opened %d tabs", n)
			}
		},
	},
)

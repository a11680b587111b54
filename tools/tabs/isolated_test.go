package tabs_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveVisits serves pages that count the visits of a browser by a cookie, and open another tab.
func serveVisits(t *testing.T) string {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visits := "0"
		if c, err := r.Cookie("visits"); err == nil {
			visits = c.Value
		}
		http.SetCookie(w, &http.Cookie{Name: "visits", Value: visits + "+"})
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<link rel=icon href=data:,><title>` + r.URL.Path + `</title><p>visits ` + visits + `.</p>
			<button onclick="window.open('/popup')">Pop up</button><button onclick="window.close()">Leave</button>`))
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// TestIsolatedTabs opens tabs of two names beside an ordinary one: tabs of one name share cookies and storage,
// which no other tab has, and which end with the last tab of the name.
func TestIsolatedTabs(t *testing.T) {
	t.Parallel()
	home, c := serveVisits(t), tooltest.Connect(t, toolkit.Options{})
	open := func(path, name, visits string) string {
		t.Helper()
		args, want := tooltest.Args{"url": home + path}, []string{path}
		if name != "" {
			args["isolated"], want = name, append(want, "isolated "+name)
		}
		id, _, _ := strings.Cut(c.Expect("tabs_create", args, want...), " ")
		c.Expect("read_page", nil, "visits "+visits+".")
		return id
	}
	first := open("/a1", "alice", "0")
	c.Call("javascript_tool", tooltest.Args{"code": `localStorage.who = "alice"`})
	open("/b", "bob", "0")
	c.ExpectScript(`String(localStorage.who)`, "undefined")
	open("/own", "", "0")
	second := open("/a2", "alice", "0+")
	c.ExpectScript(`localStorage.who`, "alice")
	c.Expect("interact", tooltest.Args{"query": "Pop up"}, "opened tab")
	c.Expect("tabs_context", nil, `"tabCount":5`, `"current":"`+second+`"`, `"title":"/b","isolated":"bob"`,
		`"title":"/popup","isolated":"alice"`, `"title":"/own"}`)
	own := open("/own2", "", "0+") // an ordinary tab is in no one's context, whichever tab was current
	c.Expect("read_page", tooltest.Args{"tabId": first}, "visits 0.")
	c.Expect("switch_target", tooltest.Args{"title": "/a2"}, "current tab: "+second)
	c.Expect("read_page", nil, "visits 0+.")

	for _, id := range []string{first, second} {
		c.Call("tabs_close", tooltest.Args{"tabId": id})
	}
	c.Expect("switch_target", tooltest.Args{"title": "/popup"}, "current tab: ")
	c.Expect("interact", tooltest.Args{"query": "Leave"}, "closed")
	c.Expect("tabs_context", nil, `"current":"`+own+`"`, `"title":"/b"`)
	open("/a3", "alice", "0") // the name begins anew
	c.ExpectScript(`String(localStorage.who)`, "undefined")
	c.ExpectRefusal("INVALID_ARGUMENTS", "tabs_create", tooltest.Args{"url": home, "isolated": "no/such"}, "isolated")
}

// TestIsolatedTabsAreTheFirst opens no other tab: the session stays connected when the last one closes.
func TestIsolatedTabsAreTheFirst(t *testing.T) {
	t.Parallel()
	home := serveVisits(t)
	c := tooltest.NewOwnServer(t, app.Config{Browser: browser.Config{PinTab: true}}).Connect(t.Name(), "", nil)
	id, _, _ := strings.Cut(c.Call("tabs_create", tooltest.Args{"url": home + "/one", "isolated": "one"}), " ")
	c.Call("tabs_close", tooltest.Args{"tabId": id})
	c.ExpectRefusal("TAB_GONE", "read_page", nil, id) // pinned, it moves to no other tab
	c.Expect("tabs_context", nil, `"tabCount":0`)
	c.Call("tabs_create", tooltest.Args{"url": home + "/two"})
	c.Expect("read_page", nil, "visits 0.")
	c.Call("tabs_create", tooltest.Args{"url": home + "/three", "isolated": "one"})
	c.Expect("read_page", nil, "visits 0.")
}

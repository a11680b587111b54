package network_test

import (
	"fmt"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

const fetchScript = `fetch(%q, %s).then(async r => [r.status, r.headers.get("x-mark"), (await r.text()).slice(-60)].join("|"), e => "failed")`

func expectFetch(c tooltest.Client, path, init, want string) {
	c.T.Helper()
	c.ExpectScript(fmt.Sprintf(fetchScript, path, init), want)
}

func TestRequestIntercept(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/"})
	add := func(a tooltest.Args) string {
		t.Helper()
		a["action"] = "add"
		return c.Call("request_intercept", a)
	}
	add(tooltest.Args{"do": "block", "pattern": "*/blocked?x=*"})
	add(tooltest.Args{"do": "fulfill", "pattern": "*/api/*", "status": 201, "body": `{"a":1}`, "headers": []string{"X-Mark: made"}})
	add(tooltest.Args{"do": "modify_request", "pattern": "*/echo*", "headers": []string{"X-Added: 1", "Accept:"}, "method": "POST", "body": "changed"})
	add(tooltest.Args{"do": "modify_response", "pattern": "*/answer*", "status": 418, "headers": []string{"X-Mark: changed"}})
	add(tooltest.Args{"do": "modify_response", "pattern": "*/answer/body", "body": "rewritten"})
	add(tooltest.Args{"do": "delay", "pattern": "*/slow", "delayMs": 700})
	add(tooltest.Args{"do": "block", "pattern": "http://*:*/users/:id(\\d+)", "syntax": "urlpattern"})
	add(tooltest.Args{"do": "modify_request", "pattern": "*/old", "url": w.URL + "/new"})
	expectFetch(c, "/blocked?x=1", "{}", "failed")
	expectFetch(c, "/blocked", "{}", "200|")
	expectFetch(c, "/api/things", "{}", `201|made|{"a":1}`)
	expectFetch(c, "/echo", "{}", "200|")
	if h := w.Header(t, "/echo"); h.Get("X-Added") != "1" || h.Get("Content-Length") != "7" {
		t.Errorf("the changed request came with %v", h)
	}
	expectFetch(c, "/answer", "{}", "418|changed|")
	expectFetch(c, "/answer/body", "{}", "418|changed|rewritten")
	c.ExpectScript(`const t = performance.now(); await fetch("/slow"); performance.now() - t >= 700`, "true")
	expectFetch(c, "/users/17", "{}", "failed")
	expectFetch(c, "/users/ada", "{}", "200|")
	expectFetch(c, "/old", "{}", "/new")
	c.Expect("request_intercept", tooltest.Args{"action": "list"}, "r1 block */blocked?x=*; used 1 times", "r2 fulfill", "with X-Mark", "r7", "(URLPattern)")

	// A rule about another kind of request leaves this one alone.
	add(tooltest.Args{"do": "block", "pattern": "*/typed", "types": []string{"image", "document"}})
	expectFetch(c, "/typed", "{}", "200|")
	c.ExpectScript(`new Promise(r => { const i = new Image(); i.onerror = () => r("blocked"); i.onload = () => r("loaded"); i.src = "/typed" })`, "blocked")
	c.ExpectRefusal("NAVIGATION_FAILED", "navigate", tooltest.Args{"url": w.URL + "/typed"}, "BLOCKED_BY_CLIENT")
	c.Call("navigate", tooltest.Args{"url": w.OtherURL + "/"})
	expectFetch(c, "/api/elsewhere", "{}", "201|made")

	c.Expect("request_intercept", tooltest.Args{"action": "remove", "id": "r2"}, "removed r2")
	expectFetch(c, "/api/things", "{}", "200|")
	c.Expect("request_intercept", tooltest.Args{"action": "clear"}, "removed 8 rules")
	expectFetch(c, "/blocked?x=1", "{}", "200|")
	c.Expect("request_intercept", tooltest.Args{"action": "list"}, "no rules")
}

func TestInvalidRulesChangeNothing(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/"})
	c.Call("request_intercept", tooltest.Args{"action": "add", "do": "fulfill", "pattern": "*/kept", "body": "kept"})
	for _, bad := range []struct {
		args tooltest.Args
		want string
	}{
		{tooltest.Args{"do": "block", "pattern": "/api/users"}, "*/api/users*"},
		{tooltest.Args{"do": "block", "pattern": "https://x/:id(", "syntax": "urlpattern"}, "no URLPattern"},
		{tooltest.Args{"do": "block", "pattern": "*", "types": []string{"imgae"}}, "image"},
		{tooltest.Args{"do": "fulfil", "pattern": "*"}, "fulfill"},
		{tooltest.Args{"do": "fulfill", "pattern": "*", "status": 99}, "at least 200"},
		{tooltest.Args{"do": "fulfill", "pattern": "*", "headers": []string{"nonsense"}}, "Name: value"},
		{tooltest.Args{"do": "block", "pattern": "*", "body": "x"}, "fulfill"},
		{tooltest.Args{"do": "modify_request", "pattern": "*"}, "changes nothing"},
		{tooltest.Args{"do": "modify_request", "pattern": "*", "url": "file:///etc/passwd"}, "http"},
		{tooltest.Args{"do": "delay", "pattern": "*"}, "delayMs"},
		{tooltest.Args{"do": "delay", "pattern": "*", "delayMs": 60001}, "60000"},
		{tooltest.Args{"pattern": "*"}, "do"},
	} {
		bad.args["action"] = "add"
		c.ExpectRefusal("INVALID_ARGUMENTS", "request_intercept", bad.args, bad.want)
	}
	c.ExpectRefusal("NOT_FOUND", "request_intercept", tooltest.Args{"action": "remove", "id": "r2"}, "r1")
	expectFetch(c, "/kept", "{}", "200||kept")
}

// TestARuleNeverHangsARequest: one that is held goes on when its rule is removed.
func TestRemovedRuleReleasesRequests(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/"})
	c.Call("request_intercept", tooltest.Args{"action": "add", "do": "delay", "pattern": "*/held*", "delayMs": 60000})
	c.Call("javascript_tool", tooltest.Args{"code": `globalThis.done = []; for (const p of ["/held1", "/held2"]) fetch(p).then(() => done.push(p)); 0`})
	c.Call("request_intercept", tooltest.Args{"action": "remove", "id": "r1"})
	c.ExpectScript(`while (done.length < 2) await new Promise(r => setTimeout(r, 5)); done.length`, "2")
}

package network_test

import (
	"fmt"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// A delayed request leaves with the cookies of the moment at which it is sent.
func TestDelayedRequestSendsPresentCookies(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/"})
	for path, rule := range map[string]tooltest.Args{
		"/headers": {"do": "modify_request", "headers": []string{"X-Added: 1"}, "delayMs": 600},
		"/method":  {"do": "modify_request", "method": "POST", "body": "x", "delayMs": 600},
		"/plain":   {"do": "delay", "delayMs": 600},
		"/own":     {"do": "modify_request", "headers": []string{"Cookie: mine=1"}, "delayMs": 600},
		"/none":    {"do": "modify_request", "headers": []string{"Cookie:"}, "delayMs": 600},
	} {
		rule["action"], rule["pattern"] = "add", "*"+path
		c.Call("request_intercept", rule)
	}
	// Whatever happened to the cookies meanwhile.
	for path, meanwhile := range map[string]struct{ script, want string }{
		"/headers": {`document.cookie = "now=; max-age=0"`, ""}, "/method": {`document.cookie = "more=1"`, "now=1; more=1"}, "/plain": {`document.cookie = "now=3; path=/plain"`, "now=3; now=1"},
	} {
		c.ExpectScript(fmt.Sprintf(`document.cookie = "more=; max-age=0"; document.cookie = "now=1"; const sent = fetch(%q);
			await new Promise(r => setTimeout(r, 150)); %s; await sent; document.cookie = "now=; max-age=0; path=/plain"; "sent"`, path, meanwhile.script), "sent")
		if got := w.Header(t, path).Get("Cookie"); got != meanwhile.want {
			t.Errorf("%s was sent with the cookies %q, want %q", path, got, meanwhile.want)
		}
	}
	c.ExpectScript(`document.cookie = "more=; max-age=0"; 1`, "1")
	for path, want := range map[string]string{"/headers": "now=2", "/method": "now=2", "/plain": "now=2", "/own": "mine=1", "/none": ""} {
		c.ExpectScript(fmt.Sprintf(`document.cookie = "now=1"; const sent = fetch(%q);
			await new Promise(r => setTimeout(r, 150)); document.cookie = "now=2"; await sent; "sent"`, path), "sent")
		if got := w.Header(t, path).Get("Cookie"); got != want {
			t.Errorf("%s was sent with the cookies %q, want %q", path, got, want)
		}
	}
}

// A response that a rule makes may be read by a page of another origin.
func TestFulfillForAnotherOrigin(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/"})
	add := func(a tooltest.Args) {
		a["action"], a["do"] = "add", "fulfill"
		c.Call("request_intercept", a)
	}
	add(tooltest.Args{"pattern": "*/made*", "body": `{"a":1}`, "headers": []string{"X-Mark: made"}})
	add(tooltest.Args{"pattern": "*/gone", "status": 404, "body": "gone", "headers": []string{"X-Mark: made"}})
	add(tooltest.Args{"pattern": "*/own", "body": "x", "headers": []string{"Access-Control-Allow-Origin: https://elsewhere.example"}})
	add(tooltest.Args{"pattern": "*/module.js", "body": `globalThis.loaded = "module"`, "headers": []string{"Content-Type: text/javascript"}})
	for _, init := range []string{
		"{}", `{credentials: "include"}`, `{method: "PUT", headers: {"X-Custom": "1", "Content-Type": "application/json"}, body: "{}"}`, `{referrerPolicy: "no-referrer"}`,
		`{referrerPolicy: "no-referrer", credentials: "include"}`,
	} {
		expectFetch(c, w.OtherURL+"/made", init, `200|made|{"a":1}`)
	}
	expectFetch(c, w.OtherURL+"/gone", `{method: "PATCH"}`, `404|made|gone`)
	c.ExpectScript(fmt.Sprintf(`new Promise(r => { const x = new XMLHttpRequest(); x.onloadend = () => r(x.responseText || "failed"); x.open("DELETE", %q); x.withCredentials = true; x.send() })`,
		w.OtherURL+"/made/x"), `{"a":1}`)
	c.ExpectScript(fmt.Sprintf(`import(%q).then(() => loaded, e => "failed")`, w.OtherURL+"/module.js"), "module")
	c.ExpectScript(fmt.Sprintf(`new Promise(r => { addEventListener("message", e => r(e.data)); const f = document.createElement("iframe"); f.sandbox = "allow-scripts";
		f.srcdoc = "<script>const go = () => fetch('%s').then(x => x.text()).then(x => parent.postMessage(x, '*'), () => setTimeout(go, 50)); go()<\/script>"; document.body.append(f) })`,
		w.OtherURL+"/made/opaque"), `{"a":1}`)
	const preflighted = `{method: "PUT", headers: {"X-Custom": "1"}, body: "{}", credentials: "include"}`
	add(tooltest.Args{"pattern": "*/typed", "types": []string{"fetch"}, "body": `{"a":1}`, "headers": []string{"X-Mark: made"}})
	add(tooltest.Args{"pattern": "*/any", "body": `{"a":1}`, "headers": []string{"X-Mark: made", "Access-Control-Allow-Origin: *"}})
	add(tooltest.Args{"pattern": "*/all", "body": `{"a":1}`, "headers": []string{"X-Mark: made", "access-control-allow-origin: *",
		"Access-Control-Allow-Headers: *", "Access-Control-Allow-Methods: *"}})
	for _, path := range []string{"/typed", "/any", "/all"} {
		expectFetch(c, w.OtherURL+path, preflighted, `200|made|{"a":1}`)
		expectFetch(c, w.OtherURL+path, `{credentials: "include"}`, `200|made|{"a":1}`)
	}
	expectFetch(c, w.OtherURL+"/own", "{}", "failed") // what a rule says itself holds
	expectFetch(c, "/made", "{}", `200|made|{"a":1}`)
}

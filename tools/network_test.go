package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/toolkit"
)

const fetchText = `fetch(%q, %s).then(async r => [r.status, r.headers.get("x-mark"), (await r.text()).slice(-60)].join("|"), e => "failed")`

func expectFetch(c client, path, init, want string) {
	c.T.Helper()
	c.js(fmt.Sprintf(fetchText, path, init), want)
}

func TestRequestIntercept(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	add := func(a args) string {
		t.Helper()
		a["action"] = "add"
		return c.call("request_intercept", a)
	}
	add(args{"do": "block", "pattern": "*/blocked?x=*"})
	add(args{"do": "fulfill", "pattern": "*/api/*", "status": 201, "body": `{"a":1}`, "headers": []string{"X-Mark: made"}})
	add(args{"do": "modify_request", "pattern": "*/echo*", "headers": []string{"X-Added: 1", "Accept:"}, "method": "POST", "body": "changed"})
	add(args{"do": "modify_response", "pattern": "*/answer*", "status": 418, "headers": []string{"X-Mark: changed"}})
	add(args{"do": "modify_response", "pattern": "*/answer/body", "body": "rewritten"})
	add(args{"do": "delay", "pattern": "*/slow", "delayMs": 700})
	add(args{"do": "block", "pattern": "http://*:*/users/:id(\\d+)", "syntax": "urlpattern"})
	add(args{"do": "modify_request", "pattern": "*/old", "url": w.URL + "/new"})
	expectFetch(c, "/blocked?x=1", "{}", "failed")
	expectFetch(c, "/blocked", "{}", "200|")
	expectFetch(c, "/api/things", "{}", `201|made|{"a":1}`)
	expectFetch(c, "/echo", "{}", "200|")
	if h := w.head(t, "/echo"); h.Get("X-Added") != "1" || h.Get("Content-Length") != "7" {
		t.Errorf("the changed request came with %v", h)
	}
	expectFetch(c, "/answer", "{}", "418|changed|")
	expectFetch(c, "/answer/body", "{}", "418|changed|rewritten")
	c.js(`const t = performance.now(); await fetch("/slow"); performance.now() - t >= 700`, "true")
	expectFetch(c, "/users/17", "{}", "failed")
	expectFetch(c, "/users/ada", "{}", "200|")
	expectFetch(c, "/old", "{}", "/new")
	c.says("request_intercept", args{"action": "list"}, "r1 block */blocked?x=*; used 1 times", "r2 fulfill", "with X-Mark", "r7", "(URLPattern)")

	// A rule about another kind of request leaves this one alone.
	add(args{"do": "block", "pattern": "*/typed", "types": []string{"image", "document"}})
	expectFetch(c, "/typed", "{}", "200|")
	c.js(`new Promise(r => { const i = new Image(); i.onerror = () => r("blocked"); i.onload = () => r("loaded"); i.src = "/typed" })`, "blocked")
	c.refused("NAVIGATION_FAILED", "navigate", args{"url": w.URL + "/typed"}, "BLOCKED_BY_CLIENT")
	c.call("navigate", args{"url": w.OtherURL + "/"})
	expectFetch(c, "/api/elsewhere", "{}", "201|made")

	c.says("request_intercept", args{"action": "remove", "id": "r2"}, "removed r2")
	expectFetch(c, "/api/things", "{}", "200|")
	c.says("request_intercept", args{"action": "clear"}, "removed 8 rules")
	expectFetch(c, "/blocked?x=1", "{}", "200|")
	c.says("request_intercept", args{"action": "list"}, "no rules")
}

func TestBadRulesChangeNothing(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	c.call("request_intercept", args{"action": "add", "do": "fulfill", "pattern": "*/kept", "body": "kept"})
	for _, bad := range []struct {
		args args
		want string
	}{
		{args{"do": "block", "pattern": "/api/users"}, "*/api/users*"},
		{args{"do": "block", "pattern": "https://x/:id(", "syntax": "urlpattern"}, "no URLPattern"},
		{args{"do": "block", "pattern": "*", "types": []string{"imgae"}}, "image"},
		{args{"do": "fulfil", "pattern": "*"}, "fulfill"},
		{args{"do": "fulfill", "pattern": "*", "status": 99}, "200 to 599"},
		{args{"do": "fulfill", "pattern": "*", "headers": []string{"nonsense"}}, "Name: value"},
		{args{"do": "block", "pattern": "*", "body": "x"}, "fulfill"},
		{args{"do": "modify_request", "pattern": "*"}, "changes nothing"},
		{args{"do": "modify_request", "pattern": "*", "url": "file:///etc/passwd"}, "http"},
		{args{"do": "delay", "pattern": "*"}, "delayMs"},
		{args{"do": "delay", "pattern": "*", "delayMs": 60001}, "60000"},
		{args{"pattern": "*"}, "do"},
	} {
		bad.args["action"] = "add"
		c.refused("INVALID_ARGUMENTS", "request_intercept", bad.args, bad.want)
	}
	c.refused("NOT_FOUND", "request_intercept", args{"action": "remove", "id": "r2"}, "r1")
	expectFetch(c, "/kept", "{}", "200||kept")
}

// TestARuleNeverHangsARequest: one that is held goes on when its rule is removed.
func TestARuleNeverHangsARequest(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	c.call("request_intercept", args{"action": "add", "do": "delay", "pattern": "*/held*", "delayMs": 60000})
	c.call("javascript_tool", args{"code": `globalThis.done = []; for (const p of ["/held1", "/held2"]) fetch(p).then(() => done.push(p)); 0`})
	c.call("request_intercept", args{"action": "remove", "id": "r1"})
	c.js(`while (done.length < 2) await new Promise(r => setTimeout(r, 5)); done.length`, "2")
}

func TestCapture(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/before"})
	c.says("network_capture_lite", args{"action": "get"}, "0 requests", "never started")
	c.says("network_capture_lite", args{"action": "start"}, "capturing")
	c.call("navigate", args{"url": w.URL + "/first"})
	c.call("request_intercept", args{"action": "add", "do": "block", "pattern": "*/refused"})
	c.call("javascript_tool", args{"code": `await fetch("/refused").catch(() => 0); await fetch("/gone"); await fetch("/x?access_token=tip-top&page=2")`})
	text := c.says("network_capture_lite", args{"action": "get"}, "1 GET "+w.URL+"/first document 200 text/html", "/refused fetch failed: net::ERR_BLOCKED_BY_CLIENT", "/gone fetch 404", "access_token=REDACTED&page=2")
	if strings.Count(text, "/refused") != 1 || strings.Contains(text, "tip-top") || strings.Contains(text, "/before") {
		t.Errorf("told: %s", text)
	}
	refused := regexp.MustCompile(`(\d+) GET \S+/refused`).FindStringSubmatch(text)[1]
	c.says("network_capture_lite", args{"action": "get", "status": "failed"}, "2 fit", "/refused", "/gone")
	c.says("network_capture_lite", args{"action": "get", "status": "4xx"}, "1 fit")
	c.says("network_capture_lite", args{"action": "get", "filter": "*/first", "types": []string{"document"}}, "1 fit")
	c.says("network_capture_lite", args{"action": "get", "limit": 1}, "the newest 1")
	c.refused("INVALID_ARGUMENTS", "network_capture_lite", args{"action": "get", "status": "broken"}, "4xx")
	c.refused("INVALID_ARGUMENTS", "network_capture_lite", args{"action": "get", "types": []string{"documnet"}}, "document")
	c.refused("INVALID_ARGUMENTS", "network_capture_lite", args{"action": "begin"})

	// Numbers stay, whatever else is captured, with bodies or without, and in frames of other sites.
	c.says("network_capture_full", args{"action": "start"}, "bodies are kept from now on")
	c.call("navigate", args{"url": w.URL + "/frames"})
	w.head(t, "/from-frame")
	c.says("network_capture_lite", args{"action": "get"}, refused+" GET "+w.URL+"/refused")
	eventually(t, "the request of the frame is recorded", func() bool {
		return strings.Contains(c.call("network_capture_lite", args{"action": "get", "filter": "/from-frame"}), "200")
	})
	frames := regexp.MustCompile(`(\d+) GET \S+/frames document`).FindStringSubmatch(c.call("network_capture_lite", args{"action": "get"}))[1]
	c.says("network_capture_full", args{"action": "get", "number": json.Number(frames)}, "Accept-Ch", "body: <!doctype html><title>Wire", "by http/1.1")
	c.refused("NOT_FOUND", "network_capture_full", args{"action": "get", "number": 9999}, "recorded are 1 to")

	c.says("network_capture_lite", args{"action": "stop"}, "stopped")
	c.call("navigate", args{"url": w.URL + "/after"})
	if text := c.says("network_capture_lite", args{"action": "get"}, "stopped"); strings.Contains(text, "/after") {
		t.Errorf("after the stop: %s", text)
	}
	c.says("network_capture_lite", args{"action": "clear"}, "cleared")
	c.says("network_capture_lite", args{"action": "get"}, "0 requests")
}

func TestHAR(t *testing.T) {
	t.Parallel()
	w, c := newWire(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": w.URL + "/"})
	c.call("network_capture_full", args{"action": "start", "maxBodyBytes": 1000})
	c.call("emulate_environment", args{"headers": []string{"Authorization: Bearer tip-top", "X-Api-Key: tip-top"}})
	c.call("javascript_tool", args{"code": `document.cookie = "sid=tip-top"`})
	c.call("navigate", args{"url": w.URL + "/page?token=tip-top&q=a%20b"})
	c.call("request_intercept", args{"action": "add", "do": "block", "pattern": "*/refused"})
	c.call("request_intercept", args{"action": "add", "do": "fulfill", "pattern": "*/login", "body": `{"access_token":"tip-top","user":"ada"}`, "headers": []string{"Set-Cookie: s=tip-top"}})
	c.call("javascript_tool", args{"code": `await fetch("/refused").catch(() => 0); await (await fetch("/large")).arrayBuffer();
		await fetch("/post", {method: "POST", body: new URLSearchParams({password: "tip-top", name: "ada"})}); await (await fetch("/login")).text()`})
	res := c.raw("network_capture_full", args{"action": "har"})
	link, ok := res.Content[len(res.Content)-1].(*mcp.ResourceLink)
	if !ok || res.IsError {
		t.Fatalf("no link: %s", textOf(res))
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
	if err != nil {
		t.Fatal(err)
	}
	text := read.Contents[0].Text
	if text == "" {
		text = string(read.Contents[0].Blob)
	}
	if strings.Contains(text, "tip-top") {
		t.Errorf("a secret is in the archive: %s", around(text, "tip-top"))
	}
	validateHAR(t, text)
	for _, want := range []string{"/page?token=REDACTED", `"ada`, "name=ada", "net::ERR_BLOCKED_BY_CLIENT", `"version":"1.2"`, "larger than 1000", `"_resourceType":"document"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the archive lacks %s", want)
		}
	}
	c.says("network_capture_full", args{"action": "har", "path": "log/net.har"}, "net.har")
	file, err := os.ReadFile(filepath.Join(c.Output, "log/net.har"))
	if err != nil {
		t.Fatal(err)
	}
	validateHAR(t, string(file))
	c.refused("POLICY_DENIED", "network_capture_full", args{"action": "har", "path": "../net.har"})
	c.refused("INVALID_ARGUMENTS", "network_capture_full", args{"action": "har", "status": "x"})
}

func around(text, part string) string {
	i := strings.Index(text, part)
	return text[max(0, i-200):min(len(text), i+100)]
}

// validateHAR holds an archive against the published schema of har-schema.
func validateHAR(t *testing.T, text string) {
	t.Helper()
	const dir = "../internal/engine/network/testdata/har-schema/"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft6)
	compiler.AssertFormat()
	files, err := filepath.Glob(dir + "*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no schema: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Its ids are relative, which newer validators do not resolve as it means.
		fixed := regexp.MustCompile(`"\$(id|ref)": "([a-zA-Z]+\.json)#?"`).ReplaceAllString(string(raw), `"$$$1": "har:///$2"`)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(fixed))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("har:///"+filepath.Base(file), doc); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("har:///har.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("the archive is not valid: %v", err)
	}
	if bad, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"log":{"version":"1.2"}}`)); schema.Validate(bad) == nil {
		t.Error("the schema accepts anything")
	}
}

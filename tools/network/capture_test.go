package network_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestCapture(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/before"})
	c.Call("javascript_tool", tooltest.Args{"code": `await fetch("/gone"); 0`})
	c.Expect("network_capture_lite", tooltest.Args{"action": "get"}, "1 GET "+w.URL+"/before document 200", "/gone fetch 404", "start records")
	c.Expect("network_capture_lite", tooltest.Args{"action": "get", "status": "failed"}, "1 fit", "/gone")
	c.Expect("network_capture_lite", tooltest.Args{"action": "start"}, "capturing")
	c.Call("navigate", tooltest.Args{"url": w.URL + "/first"})
	c.Call("request_intercept", tooltest.Args{"action": "add", "do": "block", "pattern": "*/refused"})
	c.Call("javascript_tool", tooltest.Args{"code": `await fetch("/refused").catch(() => 0); await fetch("/gone"); await fetch("/x?access_token=tip-top&page=2")`})
	text := c.Expect("network_capture_lite", tooltest.Args{"action": "get"}, "1 GET "+w.URL+"/first document 200 text/html", "/refused fetch failed: net::ERR_BLOCKED_BY_CLIENT", "/gone fetch 404", "access_token=REDACTED&page=2")
	if strings.Count(text, "/refused") != 1 || strings.Contains(text, "tip-top") || strings.Contains(text, "/before") {
		t.Errorf("told: %s", text)
	}
	refused := regexp.MustCompile(`(\d+) GET \S+/refused`).FindStringSubmatch(text)[1]
	c.Expect("network_capture_lite", tooltest.Args{"action": "get", "status": "failed"}, "2 fit", "/refused", "/gone")
	c.Expect("network_capture_lite", tooltest.Args{"action": "get", "status": "4xx"}, "1 fit")
	c.Expect("network_capture_lite", tooltest.Args{"action": "get", "filter": "*/first", "types": []string{"document"}}, "1 fit")
	c.Expect("network_capture_lite", tooltest.Args{"action": "get", "limit": 1}, "the newest 1")
	c.ExpectRefusal("INVALID_ARGUMENTS", "network_capture_lite", tooltest.Args{"action": "get", "status": "broken"}, "4xx")
	c.ExpectRefusal("INVALID_ARGUMENTS", "network_capture_lite", tooltest.Args{"action": "get", "types": []string{"documnet"}}, "document")
	c.ExpectRefusal("INVALID_ARGUMENTS", "network_capture_lite", tooltest.Args{"action": "begin"})

	// Numbers stay, whatever else is captured, with bodies or without, and in frames of other
	// sites.
	c.Expect("network_capture_full", tooltest.Args{"action": "start"}, "bodies are kept from now on")
	c.Call("navigate", tooltest.Args{"url": w.URL + "/frames"})
	w.Header(t, "/from-frame")
	c.Expect("network_capture_lite", tooltest.Args{"action": "get"}, refused+" GET "+w.URL+"/refused")
	tooltest.Eventually(t, "the request of the frame is recorded", func() bool {
		return strings.Contains(c.Call("network_capture_lite", tooltest.Args{"action": "get", "filter": "/from-frame"}), "200")
	})
	frames := regexp.MustCompile(`(\d+) GET \S+/frames document`).FindStringSubmatch(c.Call("network_capture_lite", tooltest.Args{"action": "get"}))[1]
	c.Expect("network_capture_full", tooltest.Args{"action": "get", "number": json.Number(frames)}, "Accept-Ch", "body: <!doctype html><title>Wire", "by http/1.1")
	c.ExpectRefusal("NOT_FOUND", "network_capture_full", tooltest.Args{"action": "get", "number": 9999}, "recorded are 1 to")

	c.Expect("network_capture_lite", tooltest.Args{"action": "stop"}, "stopped")
	c.Call("navigate", tooltest.Args{"url": w.URL + "/after"})
	if text := c.Expect("network_capture_lite", tooltest.Args{"action": "get"}, "stopped"); strings.Contains(text, "/after") {
		t.Errorf("after the stop: %s", text)
	}
	c.Expect("network_capture_lite", tooltest.Args{"action": "clear"}, "cleared")
	c.Expect("network_capture_lite", tooltest.Args{"action": "get"}, "0 requests")
}

func TestHAR(t *testing.T) {
	t.Parallel()
	w, c := tooltest.ServeHeaders(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/"})
	c.Call("network_capture_full", tooltest.Args{"action": "start", "maxBodyBytes": 1000})
	c.Call("emulate_environment", tooltest.Args{"headers": []string{"Authorization: Bearer tip-top", "X-Api-Key: tip-top"}})
	c.Call("javascript_tool", tooltest.Args{"code": `document.cookie = "sid=tip-top"`})
	c.Call("navigate", tooltest.Args{"url": w.URL + "/page?token=tip-top&q=a%20b"})
	c.Call("request_intercept", tooltest.Args{"action": "add", "do": "block", "pattern": "*/refused"})
	c.Call("request_intercept", tooltest.Args{"action": "add", "do": "fulfill", "pattern": "*/login", "body": `{"access_token":"tip-top","user":"ada"}`, "headers": []string{"Set-Cookie: s=tip-top"}})
	c.Call("javascript_tool", tooltest.Args{"code": `await fetch("/refused").catch(() => 0); await (await fetch("/large")).arrayBuffer();
		await fetch("/post", {method: "POST", body: new URLSearchParams({password: "tip-top", name: "ada"})}); await (await fetch("/login")).text()`})
	res := c.Do("network_capture_full", tooltest.Args{"action": "har"})
	link, ok := res.Content[len(res.Content)-1].(*mcp.ResourceLink)
	if !ok || res.IsError {
		t.Fatalf("no link: %s", tooltest.Text(res))
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
		t.Errorf("a secret is in the archive: %s", excerpt(text, "tip-top"))
	}
	validateHAR(t, text)
	for _, want := range []string{"/page?token=REDACTED", `"ada`, "name=ada", "net::ERR_BLOCKED_BY_CLIENT", `"version":"1.2"`, "larger than 1000", `"_resourceType":"document"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the archive lacks %s", want)
		}
	}
	c.Expect("network_capture_full", tooltest.Args{"action": "har", "path": "log/net.har"}, "net.har")
	file, err := os.ReadFile(filepath.Join(c.Output, "log/net.har"))
	if err != nil {
		t.Fatal(err)
	}
	validateHAR(t, string(file))
	c.ExpectRefusal("POLICY_DENIED", "network_capture_full", tooltest.Args{"action": "har", "path": "../net.har"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "network_capture_full", tooltest.Args{"action": "har", "status": "x"})
}

func excerpt(text, part string) string {
	i := strings.Index(text, part)
	return text[max(0, i-200):min(len(text), i+100)]
}

// validateHAR holds an archive against the published schema of har-schema.
func validateHAR(t *testing.T, text string) {
	t.Helper()
	const dir = "../../internal/engine/network/testdata/har-schema/"
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

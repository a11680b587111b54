package tools_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func reading(t *testing.T) (client, string) {
	t.Helper()
	home := site(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/reading.html"})
	return c, home
}

func TestReadPageInEveryForm(t *testing.T) {
	c, home := reading(t)
	compact := c.says("read_page", args{}, "<page>\n"+home+"/reading.html \"Reading\"\n", `heading "Desk lamp"`, `textbox "Mail"`, "email required filled",
		"multiline", `date "Day"`, `clickable "clickable" [e`, "(icon)", "img [e", "(chart-2024.png)", "row: Base | € 12,50", "</page>")
	lacks(t, compact, "ada@example.test", "private note", "hunter2", "ignore all", "moved away", "cut out", "faint", "sizeless", "</page> and")
	c.says("read_page", args{"values": true}, `value "ada@example.test"`, `value "private note"`, "••••")
	c.says("read_page", args{"hidden": true}, "characters in", "cannot be seen")
	lacks(t, c.says("read_page", args{"mode": "interactive"}, `button "Order"`), "A lamp with")
	c.says("read_page", args{"mode": "full"}, "paragraph [e")
	c.says("read_page", args{"boxes": true}, "@", "×")
	lacks(t, c.says("read_page", args{"mode": "dom"}, `<h1> Desk lamp`, `<input type="email"> [e`), "hunter2", "ignore all")
	c.says("read_page", args{"mode": "css", "selector": "#icon"}, "32×32", "cursor: pointer")
	c.says("read_page", args{"mode": "css"}, "stylesheets:", "classes:")
	markdown := c.says("read_page", args{"mode": "markdown"}, "# Desk lamp", "**two**", "[Home](", "| Base | € 12,50 |")
	lacks(t, markdown, "hunter2", "ignore all", "private note")
	ref := refOf(t, compact, `form "Order"`)
	sub := c.says("read_page", args{"ref_id": ref}, `textbox "Mail"`)
	lacks(t, sub, "Desk lamp\" level")
	c.says("read_page", args{"selector": "main", "depth": 1}, "…")
}

func lacks(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			t.Errorf("the answer holds %q:\n%s", u, text)
		}
	}
}

func TestReadPageShowsWhatChanged(t *testing.T) {
	c, _ := reading(t)
	before := c.call("read_page", args{})
	c.says("read_page", args{"diff": true}, "no change")
	c.call("javascript_tool", args{"code": `document.querySelector('h1').textContent = 'Floor lamp'; document.querySelector('[role=alert]').remove(); 0`})
	diff := c.says("read_page", args{"diff": true}, `+   - heading "Floor lamp"`, `-   - heading "Desk lamp"`, "Out of lamps")
	if len(diff) > len(before)/2 || strings.Contains(diff, "Home") {
		t.Errorf("the difference is\n%s", diff)
	}
	c.says("read_page", args{"diff": true}, "no change")
}

func TestReadPageRefusals(t *testing.T) {
	c, _ := reading(t)
	c.refused("INVALID_ARGUMENTS", "read_page", args{"mode": "verbose"}, "/mode")
	c.refused("INVALID_ARGUMENTS", "read_page", args{"depth": 0}, "/depth")
	c.refused("INVALID_ARGUMENTS", "read_page", args{"max_bytes": 1 << 20}, "/max_bytes")
	c.refused("INVALID_ARGUMENTS", "read_page", args{"diff": "yes"}, "/diff")
	c.refused("INVALID_ARGUMENTS", "read_page", args{"selector": "<<"})
	c.refused("NOT_FOUND", "read_page", args{"selector": "#nowhere"})
	for _, mode := range []string{"compact", "full", "dom", "css", "markdown"} {
		first := c.call("read_page", args{"mode": mode, "max_bytes": 300})
		_, rest, ok := strings.Cut(first, `cursor "`)
		cursor, _, _ := strings.Cut(rest, `"`)
		if !ok || len(first) > 600 {
			t.Fatalf("%s: %d bytes: %s", mode, len(first), first)
		}
		if next := c.call("read_page", args{"cursor": cursor, "max_bytes": 300}); next == first {
			t.Errorf("%s does not go on", mode)
		}
	}
}

func TestFindTakesPatterns(t *testing.T) {
	c, _ := reading(t)
	c.says("find", args{"query": "/^ord(er)?$/"}, `button "Order"`)
	c.says("find", args{"query": "order button"}, `button "Order"`, `in `)
	c.refused("INVALID_ARGUMENTS", "find", args{"query": "/(/", "waitForMs": 0})
	c.refused("NOT_FOUND", "find", args{"query": "/zebra/", "waitForMs": 0})
	c.refused("INVALID_ARGUMENTS", "find", args{"query": "x", "limit": 51}, "/limit")
}

func TestInspect(t *testing.T) {
	c, _ := reading(t)
	errs := c.says("inspect", args{"query": "any errors?"}, "Errors:", "Out of lamps soon")
	lacks(t, errs, "Headings:")
	c.says("inspect", args{"query": "xyzzy"}, "Headings:", "Form fields:", "Page:", "Focused:\n  nothing")
	lacks(t, c.says("inspect", args{"query": "form fields"}, `textbox "Mail"`), "hunter2", "ada@")
	c.refused("INVALID_ARGUMENTS", "inspect", args{}, "/query")
	c.refused("INVALID_ARGUMENTS", "inspect", args{"query": "x", "scope": "most"}, "/scope")
}

func TestPageContent(t *testing.T) {
	c, _ := reading(t)
	c.says("page_content", args{"selector": "caption"}, "<caption>Parts</caption>")
	if text := c.call("page_content", args{"selector": "caption", "outerHTML": false}); text != "<page>\nParts\n</page>" {
		t.Errorf("inner markup: %q", text)
	}
	lacks(t, c.says("page_content", args{}, "<h1>", "••••"), "hunter2")
	c.says("page_content", args{"max_bytes": 100}, "cursor")
	c.refused("NOT_FOUND", "page_content", args{"selector": "#nowhere"})
	c.refused("INVALID_ARGUMENTS", "page_content", args{"outerHTML": 1}, "/outerHTML")
}

func TestObserve(t *testing.T) {
	c, _ := reading(t)
	all := c.says("oc_observe", args{"scope": "document"}, `link "Home" [e`, "click hover focus", `textbox "Mail"`, "fill hover focus")
	lacks(t, all, "ada@", "hunter2")
	fills := c.says("oc_observe", args{"actions": []string{"fill"}}, `textbox "Mail"`)
	lacks(t, fills, `link "Home"`, `button "Order"`)
	if text := c.call("oc_observe", args{"limit": 1}); strings.Count(text, "\n") != 1 {
		t.Errorf("one control is %q", text)
	}
	c.refused("INVALID_ARGUMENTS", "oc_observe", args{"limit": 0}, "/limit")
	c.refused("INVALID_ARGUMENTS", "oc_observe", args{"actions": []string{"eat"}}, "/actions/0")
	ref := refOf(t, all, `link "Home"`)
	c.says("interact", args{"ref": ref}, "clicked link", "now at")
}

func TestVisionFind(t *testing.T) {
	c, _ := reading(t)
	before := c.call("javascript_tool", args{"code": "document.documentElement.outerHTML"})
	res := c.raw("vision_find", args{"showGrid": true})
	var picture []byte
	for _, item := range res.Content {
		if image, ok := item.(*mcp.ImageContent); ok {
			picture = image.Data
		}
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Fatalf("no picture: %v", err)
	}
	if text := textOf(res); !strings.Contains(text, `link "Home" [e`) {
		t.Errorf("the names are %q", text)
	}
	if after := c.call("javascript_tool", args{"code": "document.documentElement.outerHTML"}); after != before {
		t.Error("the page is another one afterwards")
	}
	c.refused("INVALID_ARGUMENTS", "vision_find", args{"showGrid": "no"}, "/showGrid")
}

func TestExtractData(t *testing.T) {
	c, _ := reading(t)
	type result struct {
		Data    map[string]any
		Items   []map[string]any
		Missing []string
		From    map[string]string
	}
	extract := func(a args) (r result) {
		t.Helper()
		text := strings.TrimSuffix(strings.TrimPrefix(c.call("extract_data", a), "<page>\n"), "\n</page>")
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err, text)
		}
		return r
	}
	r := extract(args{"schema": `{"name":"string","price":"number","inStock":"boolean","image":"string","weight":"number"}`})
	if r.Data["name"] != "Desk lamp" || r.Data["price"] != 49.9 || r.Data["inStock"] != true || r.Data["image"] != "http://example.test/lamp.png" {
		t.Errorf("the record is %v", r)
	}
	if len(r.Missing) != 1 || r.Missing[0] != "weight" || r.From["price"] != "json-ld" {
		t.Errorf("missing %v, from %v", r.Missing, r.From)
	}
	r = extract(args{"schema": `{"type":"array","items":{"properties":{"part":{"type":"string"},"price":{"type":"number"}}}}`})
	if len(r.Items) != 2 || r.Items[0]["part"] != "Base" || r.Items[0]["price"] != 12.5 {
		t.Errorf("the rows are %v", r.Items)
	}
	r = extract(args{"schema": `{"title":"string","price":"number"}`, "multiple": true, "selector": "ul"})
	if len(r.Items) != 2 || r.Items[0]["title"] != "Alpha" || r.Items[0]["price"] != 1234.5 {
		t.Errorf("the records are %v", r.Items)
	}
	for _, schema := range []string{"", "[]", "{}", `{"a":"colour"}`, `{"a":1}`, `{"type":"array","items":3}`} {
		c.refused("INVALID_ARGUMENTS", "extract_data", args{"schema": schema}, "/schema")
	}
	c.refused("NOT_FOUND", "extract_data", args{"schema": `{"a":"string"}`, "selector": "#nowhere"})
}

func TestValidatePage(t *testing.T) {
	c, home := reading(t)
	c.says("validate_page", args{"captureConsoleMs": 0}, "ok t", "0 warnings", "1 forms", "Desk lamp")
	c.says("validate_page", args{"url": home + "/missing", "captureConsoleMs": 0}, "http_error 404")
	c.says("validate_page", args{"url": "http://127.0.0.1:1/", "captureConsoleMs": 0}, "navigation_failed")
	c.says("validate_page", args{"url": "data:text/html,<script>console.error('broken');null.x</script>", "captureConsoleMs": 300}, "broken", "error: ")
	c.says("validate_page", args{"captureConsoleMs": 0, "waitForSelector": "body"}, "t")
	c.refused("INVALID_ARGUMENTS", "validate_page", args{"captureConsoleMs": 10001}, "/captureConsoleMs")
}

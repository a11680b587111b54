package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveLargePage serves a page that has more of everything than an answer may have.
func serveLargePage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=en><title>" + strings.Repeat("Large ", 500) + "</title><body><h1>Large</h1>")
	for i := range 300 {
		fmt.Fprintf(&b, `<p class="row" id="p%[1]d">Paragraph %[1]d 漢字 %[2]s <a href="/page/%[1]d?%[2]s">link %[1]d</a> <button>Delete</button> <label>Name %[1]d<input name="n%[1]d" value="v"></label></p>`, i, strings.Repeat("wörd ", 30))
	}
	b.WriteString(`<script>for (let i = 0; i < 400; i++) { console.error('error ' + i + ' ' + 'x'.repeat(1000)) }
for (let i = 0; i < 100; i++) { localStorage['key' + i] = 'v'.repeat(3000); document.cookie = 'c' + i + '=' + 'v'.repeat(300) }
for (let i = 0; i < 200; i++) { fetch('/data?' + i + '&' + 'x'.repeat(500)).catch(() => 0) }</script></body></html>`)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(b.String()))
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// base64Run matches what only encoded data is.
var base64Run = regexp.MustCompile(`[A-Za-z0-9+/]{1000}`)

// checkBounds holds a result against what clients take.
func checkBounds(t *testing.T, tool toolkit.Tool, res toolkit.CallResult) {
	t.Helper()
	characters, tokens := 0, 0
	for _, c := range res.Content {
		characters += utf8.RuneCountInString(c.Text)
		tokens += len(c.Text) / 4
		if strings.HasPrefix(c.MIME, "image/") && c.Data != nil {
			if size, _, err := image.DecodeConfig(bytes.NewReader(c.Data)); err != nil || max(size.Width, size.Height) > 2000 {
				t.Errorf("%s shows a picture of %d×%d: %v", tool.Name, size.Width, size.Height, err)
			}
		}
	}
	most := 48_000
	if res.Refused {
		most = 8000
	}
	if characters > most || tokens > 10_000 || utf8.RuneCount(res.Structured) > most {
		t.Errorf("%s answers with %d characters, %d tokens, structure of %d bytes", tool.Name, characters, tokens, len(res.Structured))
	}
	if declared := tool.OutputSchema+tool.UnlistedOutput != ""; !res.Refused && declared != (res.Structured != nil) {
		t.Errorf("%s declares an output: %v; its structured content: %.80s", tool.Name, declared, res.Structured)
	}
	for _, data := range base64Run.FindAll(res.Structured, -1) {
		if len(bytes.Trim(data, "vx")) > 0 {
			t.Errorf("%s has encoded data in its structured content: %.60s", tool.Name, data)
		}
	}
}

// largeCall is a call with a large answer.
type largeCall struct {
	tool string
	args tooltest.Args
}

// largest are calls that tools answer with as much as they can, in this order; other tools get the arguments of any call.
var largest = []largeCall{
	{"read_page", tooltest.Args{"mode": "dom", "max_bytes": 100000, "boxes": true, "values": true}},
	{"read_page", tooltest.Args{"mode": "markdown", "max_bytes": 100000}},
	{"page_content", tooltest.Args{"max_bytes": 100000}},
	{"query_dom", tooltest.Args{"method": "css", "selector": "p, a", "multiple": true, "limit": 200}},
	{"find", tooltest.Args{"query": "Delete", "limit": 50}},
	{"inspect", tooltest.Args{"query": "headings, form fields, errors, links", "scope": "all"}},
	{"oc_observe", tooltest.Args{"scope": "document", "limit": 1000}},
	{"vision_find", tooltest.Args{}},
	{"extract_data", tooltest.Args{"schema": `{"type":"object","properties":{"link":{"type":"array","items":{"type":"string"}}}}`}},
	{"javascript_tool", tooltest.Args{"code": "'wörd '.repeat(100000)"}},
	{"page_screenshot", tooltest.Args{"fullPage": true, "max_side": 16000}},
	{"storage", tooltest.Args{"storageType": "local", "action": "get"}},
	{"storage", tooltest.Args{"storageType": "local", "action": "keys"}},
	{"cookies", tooltest.Args{"action": "get"}},
	{"console_capture", tooltest.Args{"action": "get", "limit": 400}},
	{"validate_page", tooltest.Args{}},
	{"batch_execute", tooltest.Args{"tasks": []any{
		map[string]any{"tool": "read_page", "args": map[string]any{"mode": "dom", "max_bytes": 100000}},
		map[string]any{"tool": "javascript_tool", "args": map[string]any{"code": "'x'.repeat(100000)"}},
	}}},
	{"wait_for", tooltest.Args{"type": "text", "value": strings.Repeat("no ", 5000), "timeout": 10}},
	{"interact", tooltest.Args{"query": strings.Repeat("no such ", 1200), "waitForMs": 0}},
	{"fill_form", tooltest.Args{"fields": []any{map[string]any{"query": strings.Repeat("no ", 3000), "value": "x"}}, "waitForMs": 0}},
	{"act", tooltest.Args{"steps": []any{
		map[string]any{"action": "read"}, map[string]any{"action": "find", "query": "Delete"}, map[string]any{"action": "read"},
		map[string]any{"action": "click", "query": "link 7"}, map[string]any{"action": "read"},
	}, "then": "read"}},
	{"navigate", tooltest.Args{"url": "back", "then": "read"}},
}

// isSlow reports whether a call of the tool takes seconds, or leaves a page that others cannot use. All of them have small
// budgets of their own.
func isSlow(tool string) bool {
	return slices.Contains([]string{"network", "page_video", "cpu_profile", "heap_snapshot", "oc_performance_insights", "page_pdf"}, tool)
}

// TestTheLargestAnswersAreBounded makes every tool answer with as much as it can, and with progress.
func TestTheLargestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	home := serveLargePage(t)
	session, registry := newDispatcher(t)
	call := func(tool toolkit.Tool, a tooltest.Args) toolkit.CallResult {
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var reports atomic.Int64
		begun := time.Now()
		res, err := session.Dispatch(t.Context(), toolkit.Request{Tool: tool.Name, Args: raw, Life: t.Context(), Progress: func(float64, float64, string) { reports.Add(1) }})
		if err != nil || reports.Load() == 0 {
			t.Errorf("%s: %d reports of progress: %v", tool.Name, reports.Load(), err)
		}
		checkBounds(t, tool, res)
		if testing.Verbose() {
			t.Logf("%s: %v, %d bytes: %.60q", tool.Name, time.Since(begun), len(result.TextOf(res)), result.TextOf(res))
		}
		return res
	}
	open := func() tooltest.Args {
		i, _ := registry.Lookup("navigate")
		if res := call(registry.Tools[i], tooltest.Args{"url": home}); res.Refused {
			t.Fatal(res.Content[0].Text)
		}
		tab := tooltest.Shared.Connections.Set(t.Name()).List(t.Context())[0].Tabs[0].ID
		return tooltest.Args{"tabId": tab, "ref": "e1", "url": home, "value": "x", "selector": "p"}
	}
	known := open()
	for i := range registry.Tools {
		registry.Tools[i].Timeout = min(registry.Tools[i].Timeout, 4*time.Second)
	}
	for _, l := range largest {
		i, ok := registry.Lookup(l.tool)
		if !ok {
			t.Fatalf("there is no tool %s", l.tool)
		}
		call(registry.Tools[i], l.args)
	}
	for _, tool := range proctest.Sample(3, registry.Tools) {
		done := slices.ContainsFunc(largest, func(l largeCall) bool { return l.tool == tool.Name })
		if !done && !isExcluded(tool.Name) && !isSlow(tool.Name) && slices.Contains(tool.Scopes, "default") {
			call(tool, sampleArgs(t, tool, known))
		}
	}
}

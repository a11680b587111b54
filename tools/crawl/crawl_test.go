package crawl_test

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

func serveSite(t *testing.T, opt crawltest.Options) (*crawltest.Site, string) {
	t.Helper()
	s := crawltest.New(opt)
	srv := httptest.NewServer(s)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return s, srv.URL
}

// readPages reads the artifact that a result links to.
func readPages(t *testing.T, c tooltest.Client, res *mcp.CallToolResult) []crawl.Page {
	t.Helper()
	link, ok := res.Content[len(res.Content)-1].(*mcp.ResourceLink)
	if !ok {
		t.Fatalf("no link in %s", tooltest.Text(res))
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
	if err != nil {
		t.Fatal(err)
	}
	text := read.Contents[0].Text
	if text == "" {
		text = string(read.Contents[0].Blob)
	}
	var out []crawl.Page
	for line := range strings.Lines(text) {
		var p crawl.Page
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%v in %.200q", err, line)
		}
		out = append(out, p)
	}
	return out
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	_, home := serveSite(t, crawltest.Options{Pages: 40, Scripted: true, Traps: true})
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	var heard int
	res := c.Do(toolset.ToolCrawl, tooltest.Args{"url": home, "max_depth": 1, "max_pages": 100, "delay_ms": 0, "wait": 120000})
	text := tooltest.Text(res)
	for _, want := range []string{`^job [a-z2-7]{26} done: `, `ok \d+`, `cursor \d+`, `results 1 to \d+ as JSON lines: crawl-\w{8}.jsonl`, `1 ok ` + regexp.QuoteMeta(home) + `/ "Page 0"`, `# Page 0`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	found := make(map[string]crawl.Page)
	for _, p := range readPages(t, c, res) {
		found[strings.TrimPrefix(p.URL, home)] = p
		heard++
	}
	if p := found["/app"]; p.Outcome != crawl.OutcomeOK || !p.Rendered || p.Title != "App" || !strings.Contains(p.Content, "Made by a script") {
		t.Errorf("the page of a script: %+v", p)
	}
	if p := found["/p/1"]; p.Outcome != crawl.OutcomeOK || p.Rendered {
		t.Errorf("a page that needs no script: %+v", p)
	}
	id := regexp.MustCompile(`^job (\w+)`).FindStringSubmatch(text)[1]
	c.Expect(toolset.ToolCrawl, tooltest.Args{"job": id, "cursor": heard}, "no result after the cursor", "done")
	rest := c.Do(toolset.ToolCrawl, tooltest.Args{"job": id, "cursor": heard - 2})
	if n := len(readPages(t, c, rest)); n != 2 {
		t.Errorf("%d results after the cursor, want 2: %s", n, tooltest.Text(rest))
	}
}

// TestCrawlGoesOn: the call ends before the crawl does, and the job is followed and cancelled by
// its id.
func TestCrawlOutlivesTheCall(t *testing.T) {
	t.Parallel()
	_, home := serveSite(t, crawltest.Options{Pages: 400})
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	text := c.Expect(toolset.ToolCrawl, tooltest.Args{"url": home, "max_depth": 50, "max_pages": 10000, "delay_ms": 100, "wait": 0}, "running", "cursor ") // the first page may have come already
	id := regexp.MustCompile(`^job (\w+)`).FindStringSubmatch(text)[1]
	tooltest.Eventually(t, "the crawl has a result", func() bool {
		return !strings.Contains(c.Call(toolset.ToolCrawl, tooltest.Args{"job": id, "wait": 500}), "no result")
	})
	c.Expect(toolset.ToolCrawl, tooltest.Args{"job": id, "wait": 0}, "running", "it goes on: call crawl with job and cursor")
	c.Expect(toolset.ToolCrawl, tooltest.Args{"job": id, "cancel": true}, "cancelled")
	c.Expect(toolset.ToolCrawl, tooltest.Args{"job": id}, "cancelled")
}

func TestCrawlRefusals(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolCrawl, nil, "give url")
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolCrawl, tooltest.Args{"url": "http://localhost", "job": "x"}, "give url")
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolCrawl, tooltest.Args{"url": "http://localhost", "cursor": 3}, "give its job")
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolCrawl, tooltest.Args{"url": "http://localhost", "max_depth": -1})
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolCrawl, tooltest.Args{"url": "http://localhost/{secret:X}"}, "secret")
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolCrawl, tooltest.Args{"url": "file:///etc/passwd"}, "navigation")
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolCrawl, tooltest.Args{"url": "data:text/html,x"}, "only http")
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolCrawlSitemap, tooltest.Args{"url": "javascript:1"}, "navigation")
	c.ExpectRefusal("NOT_FOUND", toolset.ToolCrawl, tooltest.Args{"job": "nosuchjob"}, "nosuchjob")
	c.ExpectRefusal("INVALID_ARGUMENTS", toolset.ToolCrawlSitemap, tooltest.Args{"url": "http://127.0.0.1:1", "sitemap_url": "http://127.0.0.1:1/s.xml", "since": "yesterday"}, "2026-01-31")
}

package tools_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
	"github.com/callsheet/callsheet/internal/work/crawl/render"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// crawlRenderer renders in the browser that the tests share.
func crawlRenderer(t *testing.T) crawl.Renderer {
	t.Helper()
	return render.New(pool.New(board.Own()))
}

// crawlJobs are the jobs of a state directory.
func crawlJobs(t *testing.T, place statedir.Dir) (*jobs.Jobs, *crawl.Crawler) {
	t.Helper()
	crawler := crawl.New(crawlRenderer(t), nil)
	all := jobs.New(jobs.Config{Dir: place, Kinds: []jobs.Kind{crawler}})
	t.Cleanup(func() {
		if err := all.Close(context.Background()); err != nil {
			t.Errorf("close the jobs: %v", err)
		}
	})
	return all, crawler
}

func crawlSite(t *testing.T, opt crawltest.Options) (*crawltest.Site, string) {
	t.Helper()
	s := crawltest.New(opt)
	srv := httptest.NewServer(s)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return s, srv.URL
}

// crawlLines reads the artifact that a result links to.
func crawlLines(t *testing.T, c client, res *mcp.CallToolResult) []crawl.Page {
	t.Helper()
	link, ok := res.Content[len(res.Content)-1].(*mcp.ResourceLink)
	if !ok {
		t.Fatalf("no link in %s", textOf(res))
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
	_, home := crawlSite(t, crawltest.Options{Pages: 40, Scripted: true, Traps: true})
	c := connect(t, toolkit.Options{AllTools: true})
	var heard int
	res := c.raw(toolset.ToolCrawl, args{"url": home, "max_depth": 1, "max_pages": 100, "delay_ms": 0, "wait": 120000})
	text := textOf(res)
	for _, want := range []string{`^job [a-z2-7]{26} done: `, `ok \d+`, `cursor \d+`, `results 1 to \d+ as JSON lines: crawl-\w{8}.jsonl`, `1 ok ` + regexp.QuoteMeta(home) + `/ "Page 0"`, `# Page 0`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	found := make(map[string]crawl.Page)
	for _, p := range crawlLines(t, c, res) {
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
	c.says(toolset.ToolCrawl, args{"job": id, "cursor": heard}, "no result after the cursor", "done")
	rest := c.raw(toolset.ToolCrawl, args{"job": id, "cursor": heard - 2})
	if n := len(crawlLines(t, c, rest)); n != 2 {
		t.Errorf("%d results after the cursor, want 2: %s", n, textOf(rest))
	}
}

// TestCrawlGoesOn: the call ends before the crawl does, and the job is followed and cancelled by its id.
func TestCrawlGoesOn(t *testing.T) {
	t.Parallel()
	_, home := crawlSite(t, crawltest.Options{Pages: 400})
	c := connect(t, toolkit.Options{AllTools: true})
	text := c.says(toolset.ToolCrawl, args{"url": home, "max_depth": 50, "max_pages": 10000, "delay_ms": 100, "wait": 0}, "running", "cursor 0")
	id := regexp.MustCompile(`^job (\w+)`).FindStringSubmatch(text)[1]
	eventually(t, "the crawl has a result", func() bool {
		return !strings.Contains(c.call(toolset.ToolCrawl, args{"job": id, "wait": 500}), "no result")
	})
	c.says(toolset.ToolCrawl, args{"job": id, "wait": 0}, "running", "it goes on: call crawl with job and cursor")
	c.says(toolset.ToolCrawl, args{"job": id, "cancel": true}, "cancelled")
	c.says(toolset.ToolCrawl, args{"job": id}, "cancelled")
}

func TestCrawlRefusals(t *testing.T) {
	t.Parallel()
	c := connect(t, toolkit.Options{AllTools: true})
	c.refused("INVALID_ARGUMENTS", toolset.ToolCrawl, nil, "give url")
	c.refused("INVALID_ARGUMENTS", toolset.ToolCrawl, args{"url": "http://localhost", "job": "x"}, "give url")
	c.refused("INVALID_ARGUMENTS", toolset.ToolCrawl, args{"url": "http://localhost", "cursor": 3}, "give its job")
	c.refused("INVALID_ARGUMENTS", toolset.ToolCrawl, args{"url": "http://localhost", "max_depth": -1})
	c.refused("INVALID_ARGUMENTS", toolset.ToolCrawl, args{"url": "http://localhost/{secret:X}"}, "secret")
	c.refused("POLICY_DENIED", toolset.ToolCrawl, args{"url": "file:///etc/passwd"}, "navigation")
	c.refused("POLICY_DENIED", toolset.ToolCrawl, args{"url": "data:text/html,x"}, "only http")
	c.refused("POLICY_DENIED", toolset.ToolCrawlSitemap, args{"url": "javascript:1"}, "navigation")
	c.refused("NOT_FOUND", toolset.ToolCrawl, args{"job": "nosuchjob"}, "nosuchjob")
	c.refused("INVALID_ARGUMENTS", toolset.ToolCrawlSitemap, args{"url": "http://127.0.0.1:1", "sitemap_url": "http://127.0.0.1:1/s.xml", "since": "yesterday"}, "2026-01-31")
}

func TestCrawlSitemap(t *testing.T) {
	t.Parallel()
	_, home := crawlSite(t, crawltest.Options{Pages: 30})
	c := connect(t, toolkit.Options{AllTools: true})
	res := c.raw(toolset.ToolCrawlSitemap, args{"url": home, "filter": "/p/1*", "delay_ms": 0, "output_format": "structured", "wait": 60000})
	n := 0
	for _, p := range crawlLines(t, c, res) {
		if p.Outcome == crawl.OutcomeOK {
			if n++; p.Data == nil || p.LastMod == "" || !strings.HasPrefix(p.URL, home+"/p/1") {
				t.Errorf("%+v", p)
			}
		}
	}
	if n != 11 {
		t.Errorf("%d pages, want 11: %s", n, textOf(res))
	}
	bare := httptest.NewServer(nil)
	t.Cleanup(bare.Close)
	c.refused("NOT_FOUND", toolset.ToolCrawlSitemap, args{"url": bare.URL}, "/sitemap_index.xml", "follow the site's links with crawl")
}

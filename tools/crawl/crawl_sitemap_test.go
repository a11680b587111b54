package crawl_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

func TestCrawlSitemap(t *testing.T) {
	t.Parallel()
	_, home := serveSite(t, crawltest.Options{Pages: 30})
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	res := c.Do(toolset.ToolCrawlSitemap, tooltest.Args{"url": home, "filter": "/p/1*", "delay_ms": 0, "output_format": "structured", "wait": 60000})
	n := 0
	for _, p := range readPages(t, c, res) {
		if p.Outcome == crawl.OutcomeOK {
			if n++; p.Data == nil || p.LastMod == "" || !strings.HasPrefix(p.URL, home+"/p/1") {
				t.Errorf("%+v", p)
			}
		}
	}
	if n != 11 {
		t.Errorf("%d pages, want 11: %s", n, tooltest.Text(res))
	}
	bare := httptest.NewServer(nil)
	t.Cleanup(bare.Close)
	c.ExpectRefusal("NOT_FOUND", toolset.ToolCrawlSitemap, tooltest.Args{"url": bare.URL}, "/sitemap_index.xml", "follow the site's links with crawl")
}

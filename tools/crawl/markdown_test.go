package crawl_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveMarkdown serves a site that has Markdown of some of its pages: by negotiation, by a link, and of a foreign or
// forbidden address, which is not asked for; and an llms.txt.
func serveMarkdown(t *testing.T) string {
	html := func(alternate, body string) string {
		return "<title>HTML</title><link rel=alternate type=text/markdown href='" + alternate + "'><p>As HTML: " + body
	}
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another origin was asked") }))
	t.Cleanup(foreign.Close)
	pages := map[string]string{
		"/":               html("", "<a href=/negotiated>a</a> <a href=/linked>b</a> <a href=/forbidden>c</a> <a href=/foreign>d</a> <a href=/gone>e</a>"),
		"/linked":         html("linked.md", "linked"),
		"/linked.md":      "# Linked\nMarkdown by a link",
		"/forbidden":      html("/private/forbidden.md", "forbidden"),
		"/foreign":        html(foreign.URL+"/foreign.md", "foreign"),
		"/gone":           html("/gone.md", "gone"),
		"/next":           html("", "next"),
		"/negotiated":     html("", "negotiated"),
		"/negotiated.too": "# Negotiated\nMarkdown by negotiation, [on](/next)",
		"/llms.txt":       "# Site\n> For models.\n\n## Docs\n- [Linked](/linked.md): notes\n- [Next](next)\n- [Elsewhere](" + foreign.URL + "/x.md)",
		"/robots.txt":     "User-agent: *\nDisallow: /private/",
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if path == "/negotiated" && strings.HasPrefix(r.Header.Get("Accept"), "text/markdown") {
			path += ".too"
		}
		body, ok := pages[path]
		switch {
		case strings.HasPrefix(path, "/private"):
			t.Error("a forbidden address was asked for")
			fallthrough
		case !ok:
			http.NotFound(w, r)
			return
		case strings.HasSuffix(path, ".txt"):
			w.Header().Set("Content-Type", "text/plain")
		case strings.HasPrefix(body, "#"):
			w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		default:
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// TestCrawlPrefersMarkdown reads pages of which the site has Markdown, and says what it took.
func TestCrawlPrefersMarkdown(t *testing.T) {
	t.Parallel()
	home, c := serveMarkdown(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	crawl := func(tool, format string, want, not []string) {
		t.Helper()
		args := tooltest.Args{"url": home, "delay_ms": 0, "wait": 60_000, "output_format": format}
		if tool == toolset.ToolCrawl {
			args["max_depth"] = 3
		}
		text := c.Expect(tool, args, want...)
		for _, part := range not {
			if strings.Contains(text, part) {
				t.Errorf("%s as %s has %q:\n%s", tool, format, part, text)
			}
		}
	}
	crawl(toolset.ToolCrawl, "markdown", []string{
		`/negotiated "Negotiated" as the site's own Markdown`, "Markdown by negotiation", "As HTML: next",
		"/linked \"HTML\" as the site's own Markdown, " + home + "/linked.md", "Markdown by a link",
		"As HTML: forbidden", "As HTML: foreign", "As HTML: gone",
	}, []string{"As HTML: negotiated", "As HTML: linked"})
	crawl(toolset.ToolCrawl, "text", []string{"As HTML: negotiated", "As HTML: linked"}, []string{"own Markdown", "/next"})
	crawl(toolset.ToolCrawlSitemap, "markdown", []string{
		"/llms.txt", "/linked.md \"Linked\" as the site's own Markdown", "Markdown by a link", "As HTML: next",
	}, []string{"forbidden", "x.md"})
	c.Expect(toolset.ToolCrawl, tooltest.Args{"url": home + "/linked", "max_depth": 0, "delay_ms": 0, "wait": 60_000}, "\n<page ", "Markdown by a link")
}

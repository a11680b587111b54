package crawl

import (
	"regexp"
	"strings"
	"sync"
)

// markdownLink is a link of Markdown: [text](address "title").
var markdownLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]\n]*)\]\(\s*<?([^)\s>]+)`) })

// readMarkdown returns the title and the links of a page that its site has as Markdown.
func readMarkdown(body []byte) *document {
	d := &document{}
	for line := range strings.Lines(string(body)) {
		if heading, isHeading := strings.CutPrefix(line, "# "); isHeading && d.title == "" {
			d.title = validPrefix(strings.TrimSpace(heading), 500)
		}
		for _, link := range markdownLink().FindAllStringSubmatch(line, -1) {
			if len(d.data.Links) < maxLinks {
				d.data.Links = append(d.data.Links, Link{URL: link[2], Text: validPrefix(link[1], 200)})
			}
		}
	}
	return d
}

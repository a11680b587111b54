package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
)

// minDistinctText is how much text says that two pages are the same one, in bytes. Shorter ones must be the same to the byte.
const minDistinctText = 64

// largePageBytes is from which size on pages are read one after the other, in bytes.
const largePageBytes = 512 << 10

// readPage makes a verdict of an HTML page, in a browser if need be.
func (h *worker) readPage(ctx context.Context, c *lease, v reading, a response) (reading, fetchError) {
	if len(a.body) > largePageBytes { // one after the other: trees are ten times as large as their pages
		h.largePage.Lock()
		defer h.largePage.Unlock()
	}
	d, err := parse(a.body, a.contentType)
	if err != nil {
		return v, fetchError{err: err, permanent: true}
	}
	raw := a.body
	if h.spec.Render == RenderAlways || h.spec.Render == RenderAuto && d.needsScript() {
		if h.renderer == nil {
			v.page.Error = "it needs a browser to show what it has, and there is none"
		} else {
			r, err := h.renderer.Render(ctx, c.url, maxPageBytes)
			if err != nil {
				return v, fetchError{err: err}
			}
			to, err := h.canonicalizer.Resolve("", r.URL)
			if err == nil && to.URL != c.url {
				return h.followRedirect(c, v, r.URL)
			}
			if d, err = parse([]byte(r.HTML), "text/html; charset=utf-8"); err != nil {
				return v, fetchError{err: err, permanent: true}
			}
			raw, v.page.Rendered, v.page.Truncated = []byte(r.HTML), true, v.page.Truncated || r.Truncated
		}
	}
	v.page.Outcome, v.page.Title = OutcomeOK, d.title
	if v.hash = hashOf(d.title, d.body); len(d.body) < minDistinctText {
		v.hash = hashOf(string(raw))
	}
	h.collectLinks(c, &v, d)
	text, data, cut, err := d.content(h.spec.Format)
	if err != nil {
		return v, fetchError{err: err, permanent: true}
	}
	v.page.Content, v.page.Data, v.page.Truncated = text, data, v.page.Truncated || cut
	return v, fetchError{}
}

func hashOf(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		_, _ = io.WriteString(sum, text) // cannot fail
		_, _ = sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// collectLinks finds where the page leads.
func (h *worker) collectLinks(c *lease, v *reading, d *document) {
	base := c.url
	if d.base != "" {
		if at, err := h.canonicalizer.Resolve(c.url, d.base); err == nil {
			base = at.URL
		}
	}
	if d.canonical != "" {
		if at, err := h.canonicalizer.Resolve(base, d.canonical); err == nil && at.URL != c.url && h.scope.contains(at.URL) {
			v.canonical, v.canonicalKey = at.URL, at.Key()
			v.links = append(v.links, candidate{Address: at, depth: c.depth, patternRun: c.patternRun, lastmod: c.lastmod})
		}
	}
	v.page.Links = len(d.data.Links)
	if len(h.spec.Sitemaps) > 0 || int(c.depth) >= h.spec.MaxDepth || h.spec.Robots && d.nofollow {
		return
	}
	seen := make(map[string]bool, len(d.data.Links))
	for _, l := range d.data.Links {
		if strings.HasPrefix(l.URL, "#") || seen[l.URL] {
			continue
		}
		seen[l.URL] = true
		at, err := h.canonicalizer.Resolve(base, l.URL)
		if err != nil || !h.scope.contains(at.URL) {
			continue
		}
		if r := h.robots.cached(at.Host); h.spec.Robots && r != nil && !r.allow(at.URL) {
			continue // a page that may not be read must not use up the budget
		}
		e := candidate{Address: at, depth: c.depth + 1}
		if at.pattern == c.pattern {
			e.patternRun = c.patternRun + 1
		}
		v.links = append(v.links, e)
	}
}

package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
)

// distinct is how much text says that two pages are the same one, in bytes. Shorter ones must be the same to the byte.
const distinct = 64

// large is from which size on pages are read one after the other, in bytes.
const large = 512 << 10

// readPage makes a verdict of an HTML page, in a browser if need be.
func (h *hand) readPage(ctx context.Context, c *claim, v verdict, a answer) (verdict, trouble) {
	if len(a.body) > large { // one after the other: trees are ten times as large as their pages
		h.heavy.Lock()
		defer h.heavy.Unlock()
	}
	d, err := parse(a.body, a.header)
	if err != nil {
		return v, trouble{err: err, never: true}
	}
	raw := a.body
	if h.spec.Render == RenderAlways || h.spec.Render == RenderAuto && d.needsScript() {
		if h.renderer == nil {
			v.page.Error = "it needs a browser to show what it has, and there is none"
		} else {
			r, err := h.renderer.Render(ctx, c.url, pageBytes)
			if err != nil {
				return v, trouble{err: err}
			}
			to, err := h.canon.Resolve("", r.URL)
			if err == nil && to.URL != c.url {
				return h.redirected(c, v, r.URL)
			}
			if d, err = parse([]byte(r.HTML), "text/html; charset=utf-8"); err != nil {
				return v, trouble{err: err, never: true}
			}
			raw, v.page.Rendered, v.page.Truncated = []byte(r.HTML), true, v.page.Truncated || r.Cut
		}
	}
	v.page.Outcome, v.page.Title = OK, d.title
	if v.hash = hashOf(d.title, d.body); len(d.body) < distinct {
		v.hash = hashOf(string(raw))
	}
	h.follow(c, &v, d)
	text, data, cut, err := d.content(h.spec.Format)
	if err != nil {
		return v, trouble{err: err, never: true}
	}
	v.page.Content, v.page.Data, v.page.Truncated = text, data, v.page.Truncated || cut
	return v, trouble{}
}

func hashOf(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		_, _ = io.WriteString(sum, text) // cannot fail
		_, _ = sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// follow finds where the page leads.
func (h *hand) follow(c *claim, v *verdict, d *document) {
	base := c.url
	if d.base != "" {
		if at, err := h.canon.Resolve(c.url, d.base); err == nil {
			base = at.URL
		}
	}
	if d.canonical != "" {
		if at, err := h.canon.Resolve(base, d.canonical); err == nil && at.URL != c.url && h.in.has(at.URL) {
			v.canonical, v.canonicalKey = at.URL, at.Key()
			v.links = append(v.links, entry{Address: at, depth: c.depth, run: c.run, lastmod: c.lastmod})
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
		at, err := h.canon.Resolve(base, l.URL)
		if err != nil || !h.in.has(at.URL) {
			continue
		}
		if r := h.robots.get(at.Host); h.spec.Robots && r != nil && !r.allow(at.URL) {
			continue // a page that may not be read must not use up the budget
		}
		e := entry{Address: at, depth: c.depth + 1}
		if at.pattern == c.pattern {
			e.run = c.run + 1
		}
		v.links = append(v.links, e)
	}
}

package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
)

// minDistinctText is the text in bytes from which on equal text makes two pages duplicates. Pages
// with less text are duplicates only if their HTML is equal.
const minDistinctText = 64

// largePageBytes is the size from which on a process parses one page at a time: a tree takes ten
// times its HTML.
const largePageBytes = 512 << 10

// readPage parses an HTML page, rendered in a browser if its scripts are needed.
func (w *worker) readPage(ctx context.Context, l *lease, v reading, a response) (reading, fetchError) {
	if len(a.body) > largePageBytes {
		w.largePage.Lock()
		defer w.largePage.Unlock()
	}
	d, err := parse(a.body, a.contentType)
	if err != nil {
		return v, fetchError{err: err, permanent: true}
	}
	raw := a.body
	if w.spec.Render == RenderAlways || w.spec.Render == RenderAuto && d.needsScript() {
		if w.renderer == nil {
			v.page.Error = "it needs a browser to show what it has, and there is none"
		} else {
			r, err := w.renderer.Render(ctx, l.url, maxPageBytes)
			if err != nil {
				return v, fetchError{err: err}
			}
			to, err := w.canonicalizer.Resolve("", r.URL)
			if err == nil && to.URL != l.url {
				return w.followRedirect(l, v, r.URL)
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
	w.collectLinks(l, &v, d)
	if w.spec.Format == Markdown && d.markdown != "" {
		if w.takeMarkdown(ctx, l, &v.page, w.resolve(l, d, d.markdown)); v.page.Source != "" {
			return v, fetchError{}
		}
	}
	text, data, truncated, err := d.content(w.spec.Format)
	if err != nil {
		return v, fetchError{err: err, permanent: true}
	}
	v.page.Content, v.page.Data, v.page.Truncated = text, data, v.page.Truncated || truncated
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

// resolve returns the address of a link as the page means it; of "" that of the page or of its base element.
func (w *worker) resolve(l *lease, d *document, link string) string {
	address := l.url
	for _, next := range []string{d.base, link} {
		if next == "" {
			continue
		}
		if at, err := w.canonicalizer.Resolve(address, next); err == nil {
			address = at.URL
		}
	}
	return address
}

// collectLinks collects the candidates that the page links to.
func (w *worker) collectLinks(l *lease, v *reading, d *document) {
	base := w.resolve(l, d, "")
	if d.canonical != "" {
		if at, err := w.canonicalizer.Resolve(base, d.canonical); err == nil && at.URL != l.url && w.scope.contains(at.URL) {
			v.canonical, v.canonicalKey = at.URL, at.Key()
			v.links = append(v.links, candidate{Address: at, depth: l.depth, patternRun: l.patternRun, lastmod: l.lastmod})
		}
	}
	v.page.Links = len(d.data.Links)
	if len(w.spec.Sitemaps) > 0 || int(l.depth) >= w.spec.MaxDepth || w.spec.Robots && d.nofollow {
		return
	}
	seen := make(map[string]bool, len(d.data.Links))
	for _, link := range d.data.Links {
		if strings.HasPrefix(link.URL, "#") || seen[link.URL] {
			continue
		}
		seen[link.URL] = true
		at, err := w.canonicalizer.Resolve(base, link.URL)
		if err != nil || !w.scope.contains(at.URL) {
			continue
		}
		if r := w.robots.cached(at.Host); w.spec.Robots && r != nil && !r.allow(at.URL) {
			continue // a forbidden page must not use up the budget
		}
		c := candidate{Address: at, depth: l.depth + 1}
		if at.pattern == l.pattern {
			c.patternRun = l.patternRun + 1
		}
		v.links = append(v.links, c)
	}
}

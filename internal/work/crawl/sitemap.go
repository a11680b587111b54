package crawl

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html/charset"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

const (
	// maxSitemapLinks is what a sitemap may list (sitemaps.org).
	maxSitemapLinks = 50_000
	// maxSitemapLevels is how many sitemaps may lead to one, each by its index.
	maxSitemapLevels = 4
)

// errNoSitemap is the error of a sitemap that is none.
var errNoSitemap = errors.New("it is no sitemap")

// sitemapEntry is an entry of a sitemap.
type sitemapEntry struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
}

// parseSitemap reads a sitemap or an index of them: XML, or one address in each line. What follows a mistake is lost, and
// what precedes it is not.
func parseSitemap(body []byte) (pages, maps []sitemapEntry, err error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !bytes.HasPrefix(body, []byte("<")) {
		for line := range strings.Lines(string(body)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "http") && len(pages) < maxSitemapLinks {
				pages = append(pages, sitemapEntry{Loc: line})
			}
		}
		if len(pages) == 0 {
			err = errNoSitemap
		}
		return pages, nil, err
	}
	dec := xml.NewDecoder(bytes.NewReader(body))
	dec.Strict, dec.CharsetReader = false, charset.NewReaderLabel
	known := false
	for {
		token, err := dec.Token()
		if err != nil {
			if !known {
				return nil, nil, errNoSitemap
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return pages, maps, err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "urlset", "sitemapindex":
			known = true
		case "url", "sitemap":
			var l sitemapEntry
			if err := dec.DecodeElement(&l, &start); err != nil {
				return pages, maps, err
			}
			if start.Name.Local == "sitemap" && len(maps) < maxSitemapLinks {
				maps = append(maps, l)
			} else if start.Name.Local == "url" && len(pages) < maxSitemapLinks {
				pages = append(pages, l)
			}
		}
	}
}

// readSitemap makes a verdict of a sitemap: what it lists joins the frontier.
func (h *worker) readSitemap(ctx context.Context, c *lease) (reading, fetchError) {
	var v reading
	a, err := fetch(ctx, h.client, c.url, maxSitemapBytes, func(string) bool { return true })
	v.page.Status, v.page.Type, v.page.Size = a.status, a.mediaType, max(0, a.size)
	switch {
	case err != nil:
		return v, fetchError{err: err}
	case isTransient(a.status):
		return v, fetchError{err: fmt.Errorf("status %d", a.status), retryAfter: a.retryAfter}
	case a.location != "":
		to, err := h.canonicalizer.Resolve(c.url, a.location)
		if err != nil || c.hops >= maxHops {
			return v, fetchError{err: errors.New("a redirect leads nowhere"), permanent: true}
		}
		v.page.Outcome, v.page.To = OutcomeRedirect, to.URL
		v.links = []candidate{{Address: to, hops: c.hops + 1, patternRun: c.patternRun, sitemap: true}}
		return v, fetchError{}
	case a.status >= 300:
		return v, fetchError{err: fmt.Errorf("status %d", a.status), permanent: true}
	}
	body, err := gunzip(a.body, maxSitemapBytes)
	if err != nil {
		return v, fetchError{err: err, permanent: true}
	}
	pages, maps, err := parseSitemap(body)
	if err != nil && len(pages)+len(maps) == 0 {
		return v, fetchError{err: err, permanent: true}
	}
	v.page.Outcome, v.page.Links, v.page.Truncated = OutcomeSitemap, len(pages)+len(maps), a.truncated || err != nil
	since, bounded := parseTime(h.spec.Since)
	old := func(l sitemapEntry) bool {
		at, known := parseTime(l.LastMod)
		return bounded && known && at.Before(since)
	}
	for _, m := range maps {
		if to, err := h.canonicalizer.Resolve(c.url, m.Loc); err == nil && !old(m) && c.patternRun < maxSitemapLevels {
			v.links = append(v.links, candidate{Address: to, patternRun: c.patternRun + 1, sitemap: true})
		}
	}
	for _, p := range pages {
		if to, err := h.canonicalizer.Resolve(c.url, p.Loc); err == nil && !old(p) && h.scope.contains(to.URL) {
			v.links = append(v.links, candidate{Address: to, depth: 1, lastmod: clip(strings.TrimSpace(p.LastMod), 40)})
		}
	}
	return v, fetchError{}
}

// NoSitemapError says where a sitemap was looked for.
type NoSitemapError struct{ Tried []string }

func (e *NoSitemapError) Error() string {
	return "no sitemap at " + strings.Join(e.Tried, ", ")
}

// FindSitemaps looks for the sitemaps of a site where they usually are: named by robots.txt, or at one of two addresses.
func (c *Crawler) FindSitemaps(ctx context.Context, site string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	canon := NewCanonicalizer(false)
	at, err := canon.Resolve("", site)
	if err != nil {
		return nil, err
	}
	tried := []string{at.Origin + "/robots.txt"}
	if file, err := fetchRobots(ctx, c.client, at.Origin); err == nil {
		var found []string
		for _, s := range file.rules().sitemaps {
			if to, err := canon.Resolve(at.URL, s); err == nil && !slices.Contains(found, to.URL) {
				found = append(found, to.URL)
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	for _, path := range []string{"/sitemap.xml", "/sitemap_index.xml", "/sitemap.xml.gz"} {
		address := at.Origin + path
		tried = append(tried, address)
		a, err := fetch(ctx, c.client, address, 4096, func(string) bool { return true })
		if err == nil && (a.status == http.StatusOK && !isHTML(a.mediaType) || a.location != "" && a.status < 400) {
			return []string{address}, nil
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("look for a sitemap: %w", context.Cause(ctx))
	}
	return nil, &NoSitemapError{Tried: tried}
}

// Start makes a crawl, with what it begins with in the frontier.
func Start(ctx context.Context, all *jobs.Jobs, spec Spec) (jobs.Job, error) {
	canon := NewCanonicalizer(spec.Strip)
	var first []candidate
	for _, address := range spec.Sitemaps {
		at, err := canon.Resolve("", address)
		if err != nil {
			return jobs.Job{}, err
		}
		first = append(first, candidate{Address: at, sitemap: true})
	}
	if len(first) == 0 {
		at, err := canon.Resolve("", spec.URL)
		if err != nil {
			return jobs.Job{}, err
		}
		first = append(first, candidate{Address: at})
	}
	text, err := marshalSpec(spec)
	if err != nil {
		return jobs.Job{}, err
	}
	return all.Submit(ctx, jobs.Job{Kind: KindName, Title: spec.URL, Spec: text, Concurrency: spec.Concurrency}, func(ctx context.Context, tx jobs.Tx, id string) error {
		return admit(ctx, tx, id, spec, nil, first, 0)
	})
}

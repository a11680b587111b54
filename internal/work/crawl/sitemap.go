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

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/principal"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

const (
	// maxSitemapLinks is how many entries of a sitemap are read (the limit of sitemaps.org).
	maxSitemapLinks = 50_000
	// maxSitemapLevels is how deep indexes of sitemaps may be nested.
	maxSitemapLevels = 4
)

// errNoSitemap is the error of a body in no format of sitemaps.
var errNoSitemap = fault.New(codes.Failed, "it is no sitemap")

// sitemapEntry is an entry of a sitemap.
type sitemapEntry struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
}

// parseSitemap parses a sitemap or an index of sitemaps: XML, one address in each line, or the links of an
// llms.txt. With an error it returns the entries before the mistake.
func parseSitemap(body []byte) (pages, maps []sitemapEntry, err error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !bytes.HasPrefix(body, []byte("<")) {
		pages = parseLines(string(body))
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

// parseLines returns the addresses of a text: those that begin a line, and the links of Markdown.
func parseLines(text string) (pages []sitemapEntry) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "http") {
			pages = append(pages, sitemapEntry{Loc: line})
		}
		for _, link := range markdownLink().FindAllStringSubmatch(line, -1) {
			pages = append(pages, sitemapEntry{Loc: link[2]})
		}
		if len(pages) > maxSitemapLinks {
			pages = pages[:maxSitemapLinks]
			break
		}
	}
	return pages
}

// readSitemap requests a sitemap. Its entries become candidates.
func (w *worker) readSitemap(ctx context.Context, l *lease) (reading, fetchError) {
	a, v, failure := w.request(ctx, l, maxSitemapBytes, anyKind)
	switch {
	case failure.err != nil:
		return v, failure
	case a.location != "":
		to, err := w.canonicalizer.Resolve(l.url, a.location)
		if err != nil || l.hops >= maxHops || !mayName(l.host, to.Host) {
			return v, fetchError{err: fault.New(codes.Failed, "a redirect leads nowhere"), permanent: true}
		}
		v.page.Outcome, v.page.To = OutcomeRedirect, to.URL
		v.links = []candidate{{Address: to, hops: l.hops + 1, patternRun: l.patternRun, sitemap: true}}
		return v, fetchError{}
	case a.status >= 300:
		return v, fetchError{err: fault.New(codes.Failed, fmt.Sprintf("status %d", a.status)), permanent: true}
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
	since, bounded := parseTime(w.spec.Since)
	old := func(e sitemapEntry) bool {
		at, known := parseTime(e.LastMod)
		return bounded && known && at.Before(since)
	}
	for _, m := range maps {
		if to, err := w.canonicalizer.Resolve(l.url, m.Loc); err == nil && mayName(l.host, to.Host) && !old(m) && l.patternRun < maxSitemapLevels {
			v.links = append(v.links, candidate{Address: to, patternRun: l.patternRun + 1, sitemap: true})
		}
	}
	for _, p := range pages {
		if to, err := w.canonicalizer.Resolve(l.url, p.Loc); err == nil && !old(p) && w.scope.contains(to.URL) {
			v.links = append(v.links, candidate{Address: to, depth: 1, lastmod: validPrefix(strings.TrimSpace(p.LastMod), 40)})
		}
	}
	return v, fetchError{}
}

// NoSitemapError lists the addresses that have no sitemap.
type NoSitemapError struct{ Tried []string }

func (e *NoSitemapError) Error() string {
	return "no sitemap at " + strings.Join(e.Tried, ", ")
}

// Code implements fault.Coded.
func (*NoSitemapError) Code() codes.Code { return codes.NotFound }

// Fields implements fault.Coded: the addresses.
func (e *NoSitemapError) Fields() []fault.Field {
	return []fault.Field{{Name: "tried", Value: e.Tried}}
}

// FindSitemaps returns the sitemaps that robots.txt names, or else the first one at a usual
// address. The error is a NoSitemapError if the site has no sitemap.
func (c *Crawler) FindSitemaps(ctx context.Context, n power.Network, site string) ([]string, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
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
			if to, err := canon.Resolve(at.URL, s); err == nil && mayName(at.Host, to.Host) && !slices.Contains(found, to.URL) {
				found = append(found, to.URL)
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	for _, path := range []string{"/sitemap.xml", "/sitemap_index.xml", "/sitemap.xml.gz", "/llms.txt"} {
		address := at.Origin + path
		tried = append(tried, address)
		a, err := fetch(ctx, c.client, question{address, acceptPages, 4096, anyKind})
		if err == nil && (a.status == http.StatusOK && !isHTML(a.mediaType) || a.location != "" && a.status < 400) {
			return []string{address}, nil
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("look for a sitemap: %w", context.Cause(ctx))
	}
	return nil, &NoSitemapError{Tried: tried}
}

// Start submits a crawl with its first addresses in the frontier.
func Start(ctx context.Context, n power.Network, all *jobs.Jobs, spec Spec) (jobs.Job, error) {
	if err := n.Check(); err != nil {
		return jobs.Job{}, err
	}
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
	spec.Owner = principal.Of(ctx).String
	text, err := marshalSpec(spec)
	if err != nil {
		return jobs.Job{}, err
	}
	return all.Submit(ctx, jobs.Job{Kind: KindName, Title: spec.URL, Spec: text, Concurrency: spec.Concurrency}, func(ctx context.Context, tx jobs.Tx, id string) error {
		return admission{tx: tx, job: id, spec: spec}.admit(ctx, first, 0)
	})
}

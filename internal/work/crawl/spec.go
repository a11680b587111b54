package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/principal"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// Format is the format of the content in a result.
type Format string

// The formats.
const (
	Markdown   Format = "markdown"
	PlainText  Format = "text"
	Structured Format = "structured" // fields, see Data
)

// Render says when a page is loaded in a browser.
type Render string

// When to render.
const (
	RenderAuto   Render = "auto" // a page that shows nothing without its scripts
	RenderAlways Render = "always"
	RenderNever  Render = "never"
)

// Spec describes a crawl. Its job stores it.
type Spec struct {
	URL         string   `json:"url"`                // first address, canonical
	Sitemaps    []string `json:"sitemaps,omitempty"` // read instead of links
	MaxDepth    int      `json:"max_depth"`
	MaxPages    int64    `json:"max_pages"`
	PerPattern  int64    `json:"per_pattern"`        // budget of a pattern; see freePatternRun
	PerHost     int64    `json:"per_host,omitempty"` // 0 is no limit
	Scope       []string `json:"scope"`              // globs of addresses; one must match
	Include     []string `json:"include,omitempty"`  // of links, one must match if there are any
	Exclude     []string `json:"exclude,omitempty"`
	Rooted      bool     `json:"rooted,omitempty"` // Scope is the first page's origin, and moves with its redirect
	Format      Format   `json:"format"`
	Render      Render   `json:"render"`
	Robots      bool     `json:"robots"`
	DelayMS     int64    `json:"delay_ms"` // between two requests to a host
	Concurrency int      `json:"concurrency"`
	Strip       bool     `json:"strip,omitempty"` // parameters of trackers
	Since       string   `json:"since,omitempty"` // of a sitemap's lastmod, RFC 3339 or a date; older pages are left out
	BackoffMS   int64    `json:"backoff_ms,omitempty"`
	Owner       string   `json:"owner,omitempty"` // principal that alone may follow it; "" is the operator
}

const (
	// freePatternRun is the length of a chain of pages of one pattern from which on the pages count
	// against the budget of the pattern. Well linked pages have short chains; the months of a
	// calendar form an endless one.
	freePatternRun = 8
	// defaultPerPattern is the default budget of a pattern, in pages.
	defaultPerPattern = 200
	// defaultBackoff is the pause before the first retry of a request. It doubles with each retry.
	defaultBackoff = time.Second
	// maxTries is the number of times that an address with transient failures is requested.
	maxTries = 4
	// maxHops is the longest chain of redirects (as in the Fetch standard).
	maxHops = 20
	// maxCrashes is after how many dead workers an address fails, since it may be what kills them.
	maxCrashes = 50
)

// IsOwn reports whether a crawl belongs to the principal of a call.
func IsOwn(ctx context.Context, job jobs.Job) bool {
	var spec Spec
	by := principal.Of(ctx)
	return json.Unmarshal(job.Spec, &spec) == nil && (!by.Valid || by.String == spec.Owner)
}

// Complete sets defaults and validates the rest. Its errors are mistakes of the caller.
func (s *Spec) Complete() error {
	at, err := NewCanonicalizer(s.Strip).Resolve("", s.URL)
	if err != nil {
		return err
	}
	s.URL = at.URL
	if len(s.Scope) == 0 {
		s.Scope, s.Rooted = []string{at.Origin + "/**"}, true
	}
	if s.PerPattern == 0 {
		s.PerPattern = defaultPerPattern
	}
	if s.BackoffMS == 0 {
		s.BackoffMS = defaultBackoff.Milliseconds()
	}
	s.Concurrency = max(1, s.Concurrency)
	for _, g := range slices.Concat(s.Scope, s.Include, s.Exclude) {
		if strings.TrimSpace(g) == "" {
			return fault.New(codes.Failed, "an empty pattern matches nothing; leave it out")
		}
	}
	if s.Since != "" {
		if _, ok := parseTime(s.Since); !ok {
			return fault.New(codes.Failed, fmt.Sprintf("%q is no date, as 2026-01-31 or 2026-01-31T10:00:00Z", s.Since))
		}
	}
	return nil
}

// scope decides which addresses belong to a crawl.
type scope struct{ within, include, exclude []*regexp.Regexp }

func newScope(s Spec) scope {
	all := func(globs []string) (out []*regexp.Regexp) {
		for _, g := range globs {
			out = append(out, compileGlob(g))
		}
		return out
	}
	return scope{all(s.Scope), all(s.Include), all(s.Exclude)}
}

// contains reports whether the crawl follows a link to the address.
func (s scope) contains(address string) bool {
	match := func(all []*regexp.Regexp) bool {
		return slices.ContainsFunc(all, func(r *regexp.Regexp) bool { return r.MatchString(address) })
	}
	return match(s.within) && (len(s.include) == 0 || match(s.include)) && !match(s.exclude)
}

// compileGlob compiles a glob of addresses: ** matches anything, * anything but a slash. A glob
// without a scheme begins at the host, or at the path if it begins with a slash. It matches whole
// addresses, in their escaped form.
func compileGlob(pattern string) *regexp.Regexp {
	pattern = normal(pattern)
	begin := "^"
	switch {
	case strings.HasPrefix(pattern, "/"):
		begin = `^https?://[^/]*`
	case !strings.Contains(pattern, "://") && !strings.HasPrefix(pattern, "*"):
		begin = `^https?://`
	}
	var b strings.Builder
	b.WriteString(begin)
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(".*")
			i++
		case pattern[i] == '*':
			b.WriteString("[^/]*")
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	b.WriteString("$")
	return regexp.MustCompile(b.String())
}

// parseTime parses the forms of W3C dates that sitemaps use.
func parseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateOnly, "2006-01", "2006"} {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

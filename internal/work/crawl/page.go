package crawl

// Outcomes of addresses. Each acknowledged address has one.
const (
	OutcomeOK        = "ok"        // the result has its content
	OutcomeFile      = "file"      // no page: the result has its type and size
	OutcomeDuplicate = "duplicate" // another address has the same content
	OutcomeRedirect  = "redirect"  // its target is an address of its own
	OutcomeRobots    = "robots"    // robots.txt forbids it
	OutcomeFailed    = "failed"    // no response, or an error
	OutcomeSitemap   = "sitemap"   // a sitemap
)

// Page is the result of one address: a line of the results.
type Page struct {
	Seq       int64  `json:"seq"` // its place in the results, from 1 on without gaps
	URL       string `json:"url"`
	Outcome   string `json:"outcome"`
	Status    int    `json:"status,omitempty"` // of the HTTP answer
	Type      string `json:"type,omitempty"`
	Size      int64  `json:"size,omitempty"` // of the response, in bytes
	Depth     int64  `json:"depth"`
	Title     string `json:"title,omitempty"`
	Content   string `json:"content,omitempty"`
	Data      *Data  `json:"data,omitempty"`
	Source    string `json:"source,omitempty"` // address of the site's own Markdown that Content is
	Truncated bool   `json:"truncated,omitempty"`
	Rendered  bool   `json:"rendered,omitempty"` // in a browser
	Links     int    `json:"links_found"`
	To        string `json:"to,omitempty"` // of a redirect
	Of        string `json:"of,omitempty"` // of a duplicate
	LastMod   string `json:"lastmod,omitempty"`
	Error     string `json:"error,omitempty"`
	Millis    int64  `json:"ms"`
}

// markDuplicate makes the page a duplicate of another address, without content.
func (p *Page) markDuplicate(of string) {
	p.Outcome, p.Of, p.Content, p.Data, p.Truncated = OutcomeDuplicate, of, "", nil, false
}

// reading is a page with the links found on it.
type reading struct {
	page         Page
	hash         string // of the content
	canonical    string // its canonical link, if that is another address in scope
	canonicalKey string
	links        []candidate
	newOrigin    string // that the first page redirects to; "" for none
}

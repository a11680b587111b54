package crawl

// Outcomes of addresses. Each has exactly one.
const (
	OutcomeOK        = "ok"        // its content is in the result
	OutcomeFile      = "file"      // no page: its type and size are in the result
	OutcomeDuplicate = "duplicate" // another address has the same content
	OutcomeRedirect  = "redirect"  // it leads elsewhere, which is an address of its own
	OutcomeRobots    = "robots"    // robots.txt forbids it
	OutcomeFailed    = "failed"    // no answer, or an error
	OutcomeSitemap   = "sitemap"   // a sitemap that was read
)

// Page is what came of one address: a line of the results.
type Page struct {
	Seq       int64  `json:"seq"` // its place in the results, from 1 on without gaps
	URL       string `json:"url"`
	Outcome   string `json:"outcome"`
	Status    int    `json:"status,omitempty"` // of the HTTP answer
	Type      string `json:"type,omitempty"`
	Size      int64  `json:"size,omitempty"` // of what was answered, in bytes
	Depth     int64  `json:"depth"`
	Title     string `json:"title,omitempty"`
	Content   string `json:"content,omitempty"`
	Data      *Data  `json:"data,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	Rendered  bool   `json:"rendered,omitempty"` // in a browser
	Links     int    `json:"links_found"`
	To        string `json:"to,omitempty"` // of a redirect
	Of        string `json:"of,omitempty"` // of a duplicate
	LastMod   string `json:"lastmod,omitempty"`
	Error     string `json:"error,omitempty"`
	Millis    int64  `json:"ms"`
}

// markDuplicate makes the page one that is known under another address.
func (p *Page) markDuplicate(of string) {
	p.Outcome, p.Of, p.Content, p.Data, p.Truncated = OutcomeDuplicate, of, "", nil, false
}

// reading is a page with what follows from it.
type reading struct {
	page         Page
	hash         string // of what was answered
	canonical    string // the page's own word for its address, if that is another in scope
	canonicalKey string
	links        []candidate
	newOrigin    string // the origin that the first page leads to
}

package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Category is a group of checks.
type Category string

// The categories. UnusedCode needs a load under observation.
const (
	Accessibility Category = "accessibility"
	SEO           Category = "seo"
	BestPractices Category = "best_practices"
	Security      Category = "security"
	UnusedCode    Category = "unused_code"
)

// Categories returns all categories, in the order in which they are shown.
func Categories() []Category {
	return []Category{Accessibility, SEO, BestPractices, Security, UnusedCode}
}

// Impact says how much a finding matters.
type Impact string

// The impacts, as axe names them.
const (
	Critical Impact = "critical"
	Serious  Impact = "serious"
	Moderate Impact = "moderate"
	Minor    Impact = "minor"
)

// Impacts returns all impacts, the worst first.
func Impacts() []Impact { return []Impact{Critical, Serious, Moderate, Minor} }

// AtLeast reports whether i matters as much as o.
func (i Impact) AtLeast(o Impact) bool { return i.rank() <= o.rank() }

func (i Impact) rank() int {
	if at := slices.Index(Impacts(), i); at >= 0 {
		return at
	}
	return len(Impacts())
}

// Offender is one cause of a finding: an element, or something without one, such as a header.
type Offender struct {
	// Element has the ref, role and name; zero without an element, and for one that the page's engine
	// cannot reach.
	Element document.Element `json:"element,omitzero"`
	// Target is the path of selectors from the top document to the element, as axe writes it.
	Target string `json:"target,omitempty"`
	HTML   string `json:"html,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Finding is a check that does not hold.
type Finding struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	Impact   Impact   `json:"impact"`
	// Doc says what must hold, and Try what to do; neither has text of the page. For rules of axe, the
	// Detail of each offender has the remedies, and Try is "".
	Doc  string   `json:"doc"`
	Try  string   `json:"try,omitempty"`
	Help string   `json:"help,omitempty"` // address of an explanation
	Tags []string `json:"tags,omitempty"`
	// Total counts the offenders; 1 where the page as a whole is one. Offenders has at most 200.
	Total     int        `json:"total"`
	Offenders []Offender `json:"offenders,omitempty"`
}

// Unknown is a check that could not be judged.
type Unknown struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	// Reason has no text of the page; Detail may have some.
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// FileUse is how much of a script or a style sheet was used. Sizes are those of the text that the browser
// parses, not those of the transfer.
type FileUse struct {
	URL    string `json:"url"`
	Kind   string `json:"kind"` // js or css
	Bytes  int    `json:"bytes"`
	Unused int    `json:"unused"`
}

// Report is the result of an audit.
type Report struct {
	URL         string     `json:"url"`
	Title       string     `json:"title"`
	ContentType string     `json:"contentType"`
	At          time.Time  `json:"at"`
	MS          int64      `json:"ms"`
	Categories  []Category `json:"categories"`
	// Findings are ordered by impact. Review has what axe could not decide: a person has to.
	Findings []Finding `json:"findings"`
	Review   []Finding `json:"review,omitempty"`
	// Passed has the checks that hold, and Inapplicable those that concern nothing on the page.
	Passed       map[Category][]string `json:"passed"`
	Inapplicable map[Category][]string `json:"inapplicable"`
	Unknown      []Unknown             `json:"unknown,omitempty"`
	// Documents is the number of documents that axe ran in, and Skipped that of frames it could not
	// run in.
	Documents int       `json:"documents"`
	Skipped   int       `json:"skipped"`
	Axe       string    `json:"axe,omitempty"` // version
	Files     []FileUse `json:"files,omitempty"`
}

// Incomplete returns why not all of a category is known, or "".
func (r *Report) Incomplete(c Category) string {
	if !slices.Contains(r.Categories, c) {
		return "it was not audited"
	}
	for _, u := range r.Unknown {
		if u.Category == c {
			return u.ID + ": " + u.Reason
		}
	}
	if r.Count(c, Minor)+len(r.Passed[c])+len(r.Inapplicable[c]) == 0 && (c != Accessibility || len(r.Review) == 0) {
		return "none of its checks was asked for"
	}
	return ""
}

// Count returns how many findings of a category have at least an impact.
func (r *Report) Count(c Category, least Impact) int {
	n := 0
	for _, f := range r.Findings {
		if f.Category == c && f.Impact.AtLeast(least) {
			n++
		}
	}
	return n
}

// sort puts the findings in order: by impact, then by the number of offenders.
func (r *Report) sort() {
	order := func(a, b Finding) int {
		return cmp.Or(a.Impact.rank()-b.Impact.rank(), slices.Index(Categories(), a.Category)-slices.Index(Categories(), b.Category),
			b.Total-a.Total, strings.Compare(a.ID, b.ID))
	}
	slices.SortStableFunc(r.Findings, order)
	slices.SortStableFunc(r.Review, order)
}

// NotComputed says what of Lighthouse's categories an audit leaves out, and where it is instead.
func NotComputed() []string {
	return []string{
		"performance scores", "robots.txt", "paste prevention", "source maps", "JavaScript libraries and their vulnerabilities", "permission requests on load",
		"responsive image sizes", "Trusted Types", "COOP", "agentic browsing", "manual checks",
	}
}

package performance

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/text"
)

// Finding is the result of one insight into a trace.
type Finding struct {
	Name string
	// Text is a summary in one line. Bad reports whether the page should be improved.
	Text string
	Bad  bool
	// Details are the causes, one per line, worst first.
	Details []string
}

// detailLimit is the most details of one finding.
const detailLimit = 15

// Insights returns all findings in a fixed order.
func (t *Trace) Insights() []Finding {
	return []Finding{
		t.lcpBreakdown(), t.documentLatency(), t.renderBlocking(), t.clsCulprits(), t.longTasks(), t.thirdParties(),
		t.slowRequests(), t.largeTransfers(),
	}
}

// Insight returns the finding of that name, and whether the name is known.
func (t *Trace) Insight(name string) (Finding, bool) {
	all := t.Insights()
	if i := slices.IndexFunc(all, func(f Finding) bool { return f.Name == name }); i >= 0 {
		return all[i], true
	}
	return Finding{}, false
}

// Summary returns the trace in one line: http://… FCP 120 ms, LCP 340 ms, CLS 0.01, TBT 30 ms, load
// 500 ms, 12 requests, 340 kB.
func (t *Trace) Summary() string {
	var parts []string
	add := func(name string, ms float64) {
		if ms > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f ms", name, ms))
		}
	}
	add("FCP", t.FCP)
	add("LCP", t.LCP)
	parts = append(parts, fmt.Sprintf("CLS %.3f", t.CLS), fmt.Sprintf("TBT %.0f ms", t.TBT))
	add("DCL", t.DCL)
	add("load", t.Load)
	var bytes int64
	for _, r := range t.Requests {
		bytes += r.Encoded
	}
	parts = append(parts, fmt.Sprintf("%d requests", len(t.Requests)), text.Bytes(bytes))
	text := strings.Join(parts, ", ")
	if t.URL != "" {
		return t.URL + " " + text
	}
	return "without a navigation: " + text
}

func (t *Trace) document() *Request {
	for i := range t.Requests {
		if r := &t.Requests[i]; r.Type == "document" && r.URL == t.URL {
			return r
		}
	}
	for i := range t.Requests {
		if r := &t.Requests[i]; r.Type == "document" {
			return r
		}
	}
	return nil
}

func (t *Trace) lcpBreakdown() Finding {
	f := Finding{Name: "LCPBreakdown"}
	doc := t.document()
	if !t.Loaded || t.LCP == 0 || doc == nil {
		f.Text = "no largest contentful paint in the recording"
		return f
	}
	kind := map[bool]string{true: "text", false: "image"}[t.lcp.text]
	f.Bad = t.LCP > 2500
	f.Text = fmt.Sprintf("LCP at %.0f ms is %s %s of %d px²", t.LCP, kind, strings.ToLower(t.lcp.name), t.lcp.size)
	ttfb := doc.Response
	part := func(name string, ms float64) {
		f.Details = append(f.Details, fmt.Sprintf("%s %.0f ms (%.0f %%)", name, ms, 100*ms/t.LCP))
	}
	part("time to first byte", ttfb)
	isLCP := func(r Request) bool { return t.lcp.url != "" && r.URL == t.lcp.url }
	if i := slices.IndexFunc(t.Requests, isLCP); i >= 0 {
		r := t.Requests[i]
		part("load delay", max(0, r.Start-ttfb))
		part("load "+clipAddress(r.URL), max(0, r.End-r.Start))
		part("render delay", max(0, t.LCP-max(r.End, ttfb)))
		return f
	}
	part("render delay", max(0, t.LCP-ttfb))
	return f
}

func (t *Trace) documentLatency() Finding {
	f := Finding{Name: "DocumentLatency"}
	doc := t.document()
	if doc == nil {
		f.Text = "no document was loaded in the recording"
		return f
	}
	f.Bad = doc.Wait > 600
	f.Text = fmt.Sprintf("the server took %.0f ms for the document", doc.Wait)
	f.Details = append(f.Details, fmt.Sprintf("%s %d, first byte at %.0f ms, end at %.0f ms",
		clipAddress(doc.URL), doc.Status, doc.Response, doc.End))
	if redirects := max(0, doc.Start); redirects > 100 {
		f.Details = append(f.Details, fmt.Sprintf(
			"%.0f ms passed before its request was sent: redirects, or the page before", redirects))
	}
	if !doc.Compressed && doc.Encoded > 1400 && !doc.Cached {
		f.Details = append(f.Details, fmt.Sprintf("not compressed: %s", text.Bytes(doc.Encoded)))
		f.Bad = f.Bad || doc.Encoded > 50_000
	}
	return f
}

func (t *Trace) renderBlocking() Finding {
	f := Finding{Name: "RenderBlocking"}
	var blocking []Request
	latest := 0.0
	for _, r := range t.Requests {
		if r.Blocking {
			blocking = append(blocking, r)
			latest = max(latest, r.End)
		}
	}
	if len(blocking) == 0 {
		f.Text = "no request held up rendering"
		return f
	}
	f.Bad = latest > 500
	f.Text = fmt.Sprintf("%d requests held up rendering, the last until %.0f ms (FCP %.0f ms)", len(blocking), latest, t.FCP)
	f.Details = requestLines(blocking, func(r Request) float64 { return r.End })
	return f
}

// requestLines returns one line per request, those with the highest key first.
func requestLines(requests []Request, key func(Request) float64) []string {
	list := slices.Clone(requests)
	slices.SortStableFunc(list, func(a, b Request) int { return cmp.Compare(key(b), key(a)) })
	var out []string
	for _, r := range list[:min(len(list), detailLimit)] {
		line := fmt.Sprintf("%s %s %d, %.0f–%.0f ms", clipAddress(r.URL), r.Type, r.Status, r.Start, r.End)
		if r.End == 0 {
			line = fmt.Sprintf("%s %s, from %.0f ms, not ended", clipAddress(r.URL), r.Type, r.Start)
		}
		if r.Encoded > 0 {
			line += ", " + text.Bytes(r.Encoded)
		}
		if r.Failed {
			line += ", failed"
		}
		out = append(out, line)
	}
	if rest := len(list) - detailLimit; rest > 0 {
		out = append(out, fmt.Sprintf("and %d more", rest))
	}
	return out
}

func (t *Trace) clsCulprits() Finding {
	f := Finding{Name: "CLSCulprits", Bad: t.CLS > 0.1}
	if len(t.Shifts) == 0 {
		f.Text = "nothing shifted without input"
		return f
	}
	f.Text = fmt.Sprintf("CLS %.3f in %d layout shifts", t.CLS, len(t.Shifts))
	list := slices.Clone(t.Shifts)
	slices.SortStableFunc(list, func(a, b Shift) int { return cmp.Compare(b.Score, a.Score) })
	for _, s := range list[:min(len(list), detailLimit)] {
		f.Details = append(f.Details, fmt.Sprintf("%.4f at %.0f ms: %d elements, the largest %s",
			s.Score, s.At, s.Nodes, s.Area))
	}
	return f
}

func (t *Trace) longTasks() Finding {
	f := Finding{Name: "LongTasks", Bad: t.TBT > 200}
	if len(t.Tasks) == 0 {
		f.Text = "no task took longer than 50 ms"
		return f
	}
	list := slices.Clone(t.Tasks)
	slices.SortStableFunc(list, func(a, b Task) int { return cmp.Compare(b.Duration, a.Duration) })
	f.Text = fmt.Sprintf("%d tasks took longer than 50 ms, the longest %.0f ms; total blocking time %.0f ms",
		len(list), list[0].Duration, t.TBT)
	for _, task := range list[:min(len(list), detailLimit)] {
		line := fmt.Sprintf("%.0f ms at %.0f ms", task.Duration, task.Start)
		for i, p := range task.Parts {
			if i == 3 {
				break
			}
			name := strings.TrimSpace(p.Name + " " + clipAddress(p.URL))
			line += fmt.Sprintf("%s%s %.0f ms", []string{": ", ", "}[min(i, 1)], name, p.Duration)
		}
		f.Details = append(f.Details, line)
	}
	return f
}

// party sums up the requests and long tasks of one other site.
type party struct {
	site     string
	requests int
	bytes    int64
	ms       float64 // of long tasks
}

func (t *Trace) thirdParties() Finding {
	f := Finding{Name: "ThirdParties"}
	list := t.parties()
	if len(list) == 0 {
		f.Text = "everything came from the page's own site"
		return f
	}
	var total int64
	var ms float64
	for _, p := range list {
		total += p.bytes
		ms += p.ms
	}
	f.Bad = ms > 250
	f.Text = fmt.Sprintf("%d other sites: %s, %.0f ms of long tasks", len(list), text.Bytes(total), ms)
	for _, p := range list[:min(len(list), detailLimit)] {
		f.Details = append(f.Details, fmt.Sprintf("%s: %d requests, %s, %.0f ms of long tasks",
			p.site, p.requests, text.Bytes(p.bytes), p.ms))
	}
	return f
}

// parties returns the other sites, those with the longest tasks and the most bytes first.
func (t *Trace) parties() []*party {
	own, bySite := siteOf(t.URL), map[string]*party{}
	partyOf := func(address string) *party {
		site := siteOf(address)
		if site == "" || site == own {
			return nil
		}
		if bySite[site] == nil {
			bySite[site] = &party{site: site}
		}
		return bySite[site]
	}
	for _, r := range t.Requests {
		if p := partyOf(r.URL); p != nil {
			p.requests++
			p.bytes += r.Encoded
		}
	}
	for _, task := range t.Tasks {
		for _, part := range task.Parts {
			if p := partyOf(part.URL); p != nil {
				p.ms += part.Duration
			}
		}
	}
	return slices.SortedFunc(maps.Values(bySite), func(a, b *party) int {
		return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.site, b.site))
	})
}

// siteOf returns the last two labels of a URL's host, an approximation of its registrable domain;
// "" for a URL without a host.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := u.Hostname()
	labels := strings.Split(host, ".")
	if last := labels[len(labels)-1]; len(labels) <= 2 || strings.Contains(host, ":") || last[0] >= '0' && last[0] <= '9' {
		return host
	}
	return strings.Join(labels[len(labels)-2:], ".")
}

func (t *Trace) slowRequests() Finding {
	f := Finding{Name: "SlowRequests"}
	took := func(r Request) float64 {
		if r.End == 0 {
			return t.end - r.Start
		}
		return r.End - r.Start
	}
	slow := slicesx.Filter(t.Requests, func(r Request) bool { return took(r) >= 300 })
	if len(slow) == 0 {
		f.Text = "no request took 300 ms"
		return f
	}
	worst := slices.MaxFunc(slow, func(a, b Request) int { return cmp.Compare(took(a), took(b)) })
	f.Bad = took(worst) > 1000
	f.Text = fmt.Sprintf("%d requests took 300 ms or more, the slowest %.0f ms", len(slow), took(worst))
	f.Details = requestLines(slow, took)
	return f
}

func (t *Trace) largeTransfers() Finding {
	f := Finding{Name: "LargeTransfers"}
	var large []Request
	var plain int64
	for _, r := range t.Requests {
		isText := slices.ContainsFunc([]string{"text", "javascript", "json", "svg"}, func(part string) bool {
			return strings.Contains(r.MIME, part)
		})
		if isText && !r.Compressed && r.Encoded > 1400 && !r.Cached {
			plain += r.Encoded
		}
		if r.Encoded >= 100_000 {
			large = append(large, r)
		}
	}
	f.Bad = len(large) > 0 || plain > 50_000
	f.Text = fmt.Sprintf("%d transfers of 100 kB or more; %s of text went uncompressed", len(large), text.Bytes(plain))
	f.Details = requestLines(large, func(r Request) float64 { return float64(r.Encoded) })
	return f
}

// addressLimit is the most characters of an address in a line.
const addressLimit = 160

func clipAddress(address string) string { return text.ClipRunes(address, addressLimit) }

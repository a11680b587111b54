package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/audit"
	"github.com/callsheet/callsheet/internal/text"
)

// What an answer shows at most: findings, refs and offenders of each, and bytes of text of the page.
// The report has everything.
const (
	maxFindings  = 40
	maxRefs      = 3
	maxOffenders = 3
	maxDetail    = 160
	maxPageText  = 5500
)

// summary counts the findings by impact, and by category beside the checks that hold.
func summary(r *audit.Report) string {
	var b strings.Builder
	if len(r.Findings) == 0 {
		b.WriteString("no findings")
	} else {
		fmt.Fprintf(&b, "%d findings", len(r.Findings))
		var parts []string
		for _, impact := range audit.Impacts() {
			n := 0
			for _, f := range r.Findings {
				if f.Impact == impact {
					n++
				}
			}
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, impact))
			}
		}
		b.WriteString(": " + strings.Join(parts, ", "))
	}
	for i, c := range r.Categories {
		failed, passed := r.Count(c, audit.Minor), len(r.Passed[c])
		separator := ", "
		if i == 0 {
			separator = "\n"
		}
		fmt.Fprintf(&b, "%s%s %d of %d fail", separator, c, failed, failed+passed)
	}
	if r.Documents > 1 {
		fmt.Fprintf(&b, " (%d documents)", r.Documents)
	}
	b.WriteString("\n")
	return b.String()
}

// named lists the findings in words of this server only: what must hold, refs, and what to try.
func named(r *audit.Report) string {
	var b strings.Builder
	for _, f := range r.Findings[:min(len(r.Findings), maxFindings)] {
		fmt.Fprintf(&b, "%s %s", f.Impact, f.ID)
		if f.Total > 1 {
			fmt.Fprintf(&b, " ×%d", f.Total)
		}
		b.WriteString(refs(f) + ": " + f.Doc)
		if f.Try != "" {
			b.WriteString("; " + f.Try)
		}
		b.WriteString("\n")
	}
	if left := len(r.Findings) - maxFindings; left > 0 {
		fmt.Fprintf(&b, "%d more findings are in the report\n", left)
	}
	return b.String()
}

// refs lists the first refs of a finding.
func refs(f audit.Finding) string {
	var b strings.Builder
	shown := 0
	for _, o := range f.Offenders {
		if o.Element.Ref != "" && shown < maxRefs {
			shown++
			fmt.Fprintf(&b, " [%s]", o.Element.Ref)
		}
	}
	if shown > 0 && f.Total > shown {
		fmt.Fprintf(&b, " +%d", f.Total-shown)
	}
	return b.String()
}

// offenders lists what the page has: elements, and details such as headers and messages.
func offenders(r *audit.Report) string {
	var b strings.Builder
	for i, f := range r.Findings[:min(len(r.Findings), maxFindings)] {
		if b.Len() > maxPageText {
			fmt.Fprintf(&b, "elements of %d more findings are in the report\n", len(r.Findings)-i)
			break
		}
		for _, o := range f.Offenders[:min(len(f.Offenders), maxOffenders)] {
			if line := offender(f, o); line != "" {
				fmt.Fprintf(&b, "%s: %s\n", f.ID, line)
			}
		}
	}
	return b.String()
}

func offender(f audit.Finding, o audit.Offender) string {
	var parts []string
	switch {
	case o.Element.Ref != "":
		parts = append(parts, text.ClipRunes(o.Element.Line(), maxDetail))
	case o.Target != "":
		parts = append(parts, text.ClipRunes(o.Target, maxDetail))
	}
	detail := o.Detail
	if f.Category == audit.Accessibility {
		detail = audit.Remedy(detail)
	}
	if detail = strings.Join(strings.Fields(detail), " "); detail != "" {
		parts = append(parts, text.ClipRunes(detail, maxDetail))
	}
	return strings.Join(parts, " ")
}

// limitations lists the findings that a person has to decide, the checks that had no evidence, and those that an audit never computes.
func limitations(r *audit.Report) string {
	var b strings.Builder
	if len(r.Review) > 0 {
		b.WriteString("a person has to decide:")
		for _, f := range r.Review[:min(len(r.Review), maxFindings)] {
			fmt.Fprintf(&b, " %s ×%d%s", f.ID, f.Total, refs(f))
		}
		b.WriteString("\n")
	}
	var reasons []string
	ids := map[string][]string{}
	for _, u := range r.Unknown {
		if ids[u.Reason] == nil {
			reasons = append(reasons, u.Reason)
		}
		ids[u.Reason] = append(ids[u.Reason], u.ID)
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return len(ids[b]) - len(ids[a]) })
	for _, reason := range reasons {
		fmt.Fprintf(&b, "not judged (%s): %s\n", text.ClipRunes(reason, maxDetail), strings.Join(ids[reason], " "))
	}
	fmt.Fprintf(&b, "not computed here: %s; performance_metrics and oc_performance_insights measure speed", strings.Join(audit.NotComputed(), ", "))
	return b.String()
}

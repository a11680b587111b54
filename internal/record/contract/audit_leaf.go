package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/text"
)

// AuditCategories are the categories that a contract can bound. Unused code is none of them: it needs a
// load, and a contract does not change the page.
func AuditCategories() []string {
	return []string{"accessibility", "seo", "best_practices", "security"}
}

// AuditImpacts are the impacts of findings, the worst first.
func AuditImpacts() []string { return []string{"critical", "serious", "moderate", "minor"} }

// auditBudget bounds the findings of one category.
type auditBudget struct {
	category string
	count    bounds
	impact   string   // the least that counts
	rules    []string // that count; none means all
}

type auditLeaf struct{ budgets []auditBudget }

func readAudit(f *memberReader) leaf {
	if !f.open(AuditCategories()...) {
		return nil
	}
	var l auditLeaf
	for _, category := range slices.Sorted(maps.Keys(f.members)) {
		if !slices.Contains(AuditCategories(), category) {
			continue // open has reported it
		}
		in := &memberReader{parser: f.parser, path: f.memberPath(category), value: f.members[category], shortMember: "max"}
		if !in.open("eq", "min", "max", "impact", "rules") {
			continue
		}
		b := auditBudget{category: category, count: in.bounds(true), impact: AuditImpacts()[len(AuditImpacts())-1], rules: in.texts("rules")}
		if in.has("impact") {
			b.impact = in.choice("impact", AuditImpacts())
		}
		if !b.count.isSet {
			f.problem(in.path, "give max, or min")
		}
		l.budgets = append(l.budgets, b)
	}
	if len(f.members) == 0 {
		f.problem(f.path, "name a category: %s", strings.Join(AuditCategories(), ", "))
	}
	return l
}

func (l auditLeaf) expected() string {
	parts := make([]string, len(l.budgets))
	for i, b := range l.budgets {
		parts[i] = fmt.Sprintf("%s findings of %s", b.count, b.category)
		if b.impact != AuditImpacts()[len(AuditImpacts())-1] {
			parts[i] += " that are " + b.impact + " or worse"
		}
		if len(b.rules) > 0 {
			parts[i] += " by " + strings.Join(b.rules, ", ")
		}
	}
	return "an audit has " + strings.Join(parts, ", ")
}

// judge counts the findings of each category. Of a category that is not known in full there may be
// more than were found.
func (l auditLeaf) judge(s *observation) finding {
	var seen, missing []string
	verdict := Pass
	for _, b := range l.budgets {
		report, err := s.evidence.Audit(s.ctx, []string{b.category}, b.rules)
		if err != nil {
			verdict = verdict.And(Inconclusive)
			missing = append(missing, err.Error())
			continue
		}
		n, found := b.counted(report)
		reason := report.Incomplete[b.category]
		switch {
		case reason == "" || float64(n) > b.count.max:
			verdict = verdict.And(compared(b.count.contains(float64(n)), "", "").verdict)
		case float64(n) >= b.count.min && b.count.max == noMaximum:
		default:
			verdict = verdict.And(Inconclusive)
			missing = append(missing, b.category+": "+reason)
		}
		seen = append(seen, fmt.Sprintf("%s %d%s", b.category, n, found))
	}
	if verdict == Inconclusive {
		return finding{reason: text.ClipRunes(strings.Join(missing, "; "), maxShownRunes)}
	}
	return compared(verdict == Pass, strings.Join(seen, ", "), "")
}

// counted returns how many findings count, and names them.
func (b auditBudget) counted(r AuditReport) (n int, named string) {
	var ids []string
	for _, f := range r.Findings {
		if f.Category == b.category && slices.Index(AuditImpacts(), f.Impact) <= slices.Index(AuditImpacts(), b.impact) {
			ids = append(ids, fmt.Sprintf("%s ×%d", f.ID, f.Total))
		}
	}
	if len(ids) > 0 {
		named = " (" + strings.Join(ids, ", ") + ")"
	}
	return len(ids), named
}

package live

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/internal/engine/audit"
	"github.com/callsheet/callsheet/internal/record/contract"
)

// auditTimeout bounds an audit. A page that axe does not finish in this time is inconclusive.
const auditTimeout = 45 * time.Second

// Audit audits the page as it is. Cookies are not read, because a contract has no power over them: the
// security of a page is judged without their flags.
func (e *Evidence) Audit(ctx context.Context, categories, rules []string) (contract.AuditReport, error) {
	ctx, cancel := context.WithTimeout(ctx, auditTimeout)
	defer cancel()
	o := audit.Options{Rules: append([]string{}, rules...)}
	for _, c := range categories {
		o.Categories = append(o.Categories, audit.Category(c))
	}
	if len(rules) == 0 {
		o.Rules = []string{"-" + audit.CookieFlags}
	}
	report, err := audit.Run(ctx, e.tab, o)
	if err != nil {
		return contract.AuditReport{}, err
	}
	out := contract.AuditReport{Incomplete: map[string]string{}}
	for _, f := range report.Findings {
		out.Findings = append(out.Findings, contract.AuditFinding{ID: f.ID, Category: string(f.Category), Impact: string(f.Impact), Total: f.Total})
	}
	for _, c := range o.Categories {
		if reason := report.Incomplete(c); reason != "" {
			out.Incomplete[string(c)] = reason
		}
	}
	return out, nil
}

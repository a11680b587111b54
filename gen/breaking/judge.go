package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Judge marks the changes that are allowed, and reports the others, at the place that at finds,
// together with allowances that are wrong or idle.
func Judge(changes []Change, allowances []spec.Allowance, at func(Change) diag.Pos) ([]Change, diag.List) {
	var diags diag.List
	used := make([]bool, len(allowances))
	judged := slices.Clone(changes)
	for i := range judged {
		c := &judged[i]
		for j, a := range allowances {
			if a.Rule.Value == c.Rule && a.Tool.Value == c.Tool && a.Code.Value == c.Code && strings.TrimSpace(a.Why.Value) != "" {
				used[j], c.Allowed = true, a.Why.Value
			}
		}
		if c.Allowed == "" {
			diags.Errorf(at(*c), c.Rule, "%s", c.Message).Hint =
				fmt.Sprintf(`if that is meant, allow it in manifest/allowances.yaml: {rule: %s, %s, why: "…"}`, c.Rule, c.subject())
		}
	}
	return judged, append(diags, diag.Check(AllowanceRules(), &Judgement{allowances, used})...)
}

// subject names what changed, as an allowance does.
func (c Change) subject() string {
	if c.Code != "" {
		return "code: " + c.Code
	}
	return "tool: " + c.Tool
}

// Judgement is what the rules about allowances look at.
type Judgement struct {
	allowances []spec.Allowance
	used       []bool // by index of the allowance
}

func checkMalformed(in *Judgement, report diag.Report) {
	for _, a := range in.allowances {
		switch {
		case !known(a.Rule.Value):
			report(a.Rule.Pos, "there is no rule %q about releases", a.Rule.Value).Hint = diag.DidYouMean(a.Rule.Value, ids())
		case a.Tool.Set() == a.Code.Set():
			report(a.Rule.Pos, "the allowance of %s names neither a tool nor a code, or both", a.Rule.Value)
		case strings.TrimSpace(a.Why.Value) == "":
			report(a.Why.Pos, "the allowance of %s for %q has no reason", a.Rule.Value, a.Tool.Value+a.Code.Value)
		}
	}
}

func checkUnused(in *Judgement, report diag.Report) {
	for j, a := range in.allowances {
		if known(a.Rule.Value) && a.Tool.Set() != a.Code.Set() && strings.TrimSpace(a.Why.Value) != "" && !in.used[j] {
			report(a.Rule.Pos, "nothing breaks %s for %q", a.Rule.Value, a.Tool.Value+a.Code.Value).Hint = "delete the allowance"
		}
	}
}

// ids lists the rules that can be allowed.
func ids() []string {
	var out []string
	for _, r := range Rules() {
		out = append(out, r.ID)
	}
	for _, r := range CodeRules() {
		out = append(out, r.ID)
	}
	return out
}

func known(rule string) bool { return slices.Contains(ids(), rule) }

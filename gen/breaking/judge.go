package breaking

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Judge marks the changes that are allowed, and reports the others, at the place that at finds for a tool, together with
// allowances that are wrong or idle.
func Judge(changes []Change, allowances []spec.Allowance, at func(tool string) diag.Pos) ([]Change, diag.List) {
	var diags diag.List
	used := make([]bool, len(allowances))
	judged := slices.Clone(changes)
	for i := range judged {
		c := &judged[i]
		for j, a := range allowances {
			if a.Rule.Value == c.Rule && a.Tool.Value == c.Tool && strings.TrimSpace(a.Why.Value) != "" {
				used[j], c.Allowed = true, a.Why.Value
			}
		}
		if c.Allowed == "" {
			diags.Errorf(at(c.Tool), c.Rule, "%s", c.Message)
		}
	}
	for j, a := range allowances {
		switch {
		case !known(a.Rule.Value):
			diags.Errorf(a.Rule.Pos, ruleBadAllow, "there is no rule %q about releases", a.Rule.Value).Hint = diag.DidYouMean(a.Rule.Value, ids())
		case strings.TrimSpace(a.Why.Value) == "":
			diags.Errorf(a.Why.Pos, ruleBadAllow, "the allowance of %s for %q has no reason", a.Rule.Value, a.Tool.Value)
		case !used[j]:
			diags.Errorf(a.Rule.Pos, ruleUnused, "nothing breaks %s for %q", a.Rule.Value, a.Tool.Value).Hint = "delete the allowance"
		}
	}
	return judged, diags
}

// ids lists the rules that can be allowed.
func ids() []string {
	return []string{toolNoDelete, toolNoRename, toolNoDefer, toolNoOptIn, paramNoDelete, paramNoNewRequired, paramSameType,
		paramEnumNoNarrow, paramBoundsNarrow, effectSame, visibilityNoNarrow, resultNoNarrow}
}

func known(rule string) bool { return slices.Contains(ids(), rule) }

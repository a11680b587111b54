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
			if a.Rule.Value == c.Rule && subject(a) == c.subject() && strings.TrimSpace(a.Why.Value) != "" {
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
	switch {
	case c.Code != "":
		return "code: " + c.Code
	case c.Prompt != "":
		return "prompt: " + c.Prompt
	case c.Resource != "":
		return "resource: " + c.Resource
	}
	return "tool: " + c.Tool
}

// subject names what an allowance is about; "" where that is nothing, or several things.
func subject(a spec.Allowance) string {
	out := ""
	for _, s := range []struct {
		key  string
		name spec.Text
	}{{"code", a.Code}, {"prompt", a.Prompt}, {"resource", a.Resource}, {"tool", a.Tool}} {
		if s.name.Set() && out != "" {
			return ""
		}
		if s.name.Set() {
			out = s.key + ": " + s.name.Value
		}
	}
	return out
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
		case subject(a) == "":
			report(a.Rule.Pos, "the allowance of %s does not name one tool, code, prompt or resource", a.Rule.Value)
		case strings.TrimSpace(a.Why.Value) == "":
			report(a.Why.Pos, "the allowance of %s for %q has no reason", a.Rule.Value, named(a))
		}
	}
}

func checkUnused(in *Judgement, report diag.Report) {
	for j, a := range in.allowances {
		if known(a.Rule.Value) && subject(a) != "" && strings.TrimSpace(a.Why.Value) != "" && !in.used[j] {
			report(a.Rule.Pos, "nothing breaks %s for %q", a.Rule.Value, named(a)).Hint = "delete the allowance"
		}
	}
}

// named is the name of what an allowance is about.
func named(a spec.Allowance) string {
	_, name, _ := strings.Cut(subject(a), ": ")
	return name
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
	for _, r := range PromptRules() {
		out = append(out, r.ID)
	}
	for _, r := range ResourceRules() {
		out = append(out, r.ID)
	}
	return out
}

func known(rule string) bool { return slices.Contains(ids(), rule) }

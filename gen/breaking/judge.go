package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/spelling"
)

// Judge marks the changes that are allowed, and reports the others, at the place that at finds with a fix or none,
// together with allowances that are wrong or idle.
func Judge(changes []Change, allowances []spec.Allowance, at func(Change) (diag.Pos, *diag.Fix)) ([]Change, diag.List) {
	var diags diag.List
	used := make([]bool, len(allowances))
	judged := slices.Clone(changes)
	for i := range judged {
		c, isMeant := &judged[i], false // by an allowance, whose rule may be misspelt
		for j, a := range allowances {
			if meant(a.Rule.Value) == c.Rule && subject(a) == c.Subject() && strings.TrimSpace(a.Why.Value) != "" {
				used[j], isMeant = true, true
				if a.Rule.Value == c.Rule {
					c.Allowed = a.Why.Value
				}
			}
		}
		if !isMeant {
			place, fix := at(*c)
			d := diags.Errorf(place, c.Rule, "%s", c.Message)
			d.Fix = fix
			if c.Successor != "" {
				d.Hint = fmt.Sprintf(`write "was: [%s]" there, and calls by the old name keep working`, c.Tool)
				continue
			}
			d.Hint = "if that is meant, allow it in manifest/allowances.yaml and say why; then freeze again"
			if c.Rule == paramNoDelete {
				d.Hint = `if it has another name now, write "was: [the old name]" at that, and calls go on; ` + d.Hint
			}
			d.Detail = fmt.Sprintf(`- {rule: %s, %s, why: "…"}`, c.Rule, c.Subject())
			if len(allowances) == 0 {
				d.Detail = "version: 1\nallowances:\n  " + d.Detail
			}
		}
	}
	return judged, append(diags, diag.Check(AllowanceRules(), &Judgement{allowances, used})...)
}

// Subject names what changed, as an allowance does.
func (c Change) Subject() string {
	switch {
	case c.Code != "":
		return "code: " + c.Code
	case c.Prompt != "":
		return "prompt: " + c.Prompt
	case c.Resource != "":
		return "resource: " + c.Resource
	case c.List != "":
		return "list: " + c.List
	}
	return "tool: " + c.Tool
}

// subject names what an allowance is about; "" where that is nothing, or several things.
func subject(a spec.Allowance) string {
	out := ""
	for _, s := range []struct {
		key  string
		name spec.Text
	}{{"code", a.Code}, {"list", a.List}, {"prompt", a.Prompt}, {"resource", a.Resource}, {"tool", a.Tool}} {
		if s.name.Set() && out != "" {
			return ""
		}
		if s.name.Set() {
			out = s.key + ": " + s.name.Value
		}
	}
	return out
}

// Judgement is the input of the rules about allowances.
type Judgement struct {
	allowances []spec.Allowance
	used       []bool // by index of the allowance
}

func checkMalformed(in *Judgement, report diag.Report) {
	for _, a := range in.allowances {
		switch {
		case !known(a.Rule.Value):
			d := report(a.Rule.Pos, "there is no rule %q about releases", a.Rule.Value)
			if !d.Misspelt(a.Rule.Pos, a.Rule.Value, ids()) {
				d.Hint = "write the rule that toolgen breaking names"
			}
		case subject(a) == "":
			report(a.Rule.Pos, "the allowance of %s does not name one tool, code, prompt or resource, or list: annotations", a.Rule.Value)
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
	out := slicesx.Map(Rules(), func(r diag.Rule[*Input]) string { return r.ID })
	for _, r := range CodeRules() {
		out = append(out, r.ID)
	}
	for _, r := range PromptRules() {
		out = append(out, r.ID)
	}
	for _, r := range ListRules() {
		out = append(out, r.ID)
	}
	for _, r := range ResourceRules() {
		out = append(out, r.ID)
	}
	return out
}

func known(rule string) bool { return slices.Contains(ids(), rule) }

// meant is the rule that an allowance names; of one that is surely misspelt, which is reported, the
// nearest.
func meant(rule string) string {
	if !known(rule) && spelling.Certain(rule, ids()) {
		return diag.Nearest(rule, ids())
	}
	return rule
}

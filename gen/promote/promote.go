// Package promote is the gate between a deferral and a live tool: what must be there before a frozen scope may promise a
// tool that it once deferred, and must stay there afterwards.
//
// Each missing piece is a rule of its own, so that the report is the list of what is left to do. It must not know how
// files are found, nor run a test.
package promote

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

// ThreatModels is where threat models are kept, relative to the module.
const ThreatModels = "manifest/threat-models"

// RuleNotRun is the rule that a log of tests must be there and say something; RuleNotReady, which Ready alone reports,
// that a tool must be live and promised.
const (
	RuleNotRun   = "promotion-test-not-run"
	RuleNotReady = "promotion-not-ready"
)

// refusal is what a handler says when a policy surface forbids a call: toolkit's constant and its text.
const (
	refusalName = "PolicyDenied"
	refusalCode = "POLICY_DENIED"
)

// Facts are what tools are held against.
type Facts struct {
	Module  string
	Models  []spec.File // threat models
	Tests   []evidence.Test
	Results *evidence.Results // nil when no log was given
	Ran     bool              // whether the tests must be proved to have run
}

// Rules lists what this package can report.
func Rules() []diag.Rule {
	rules := []diag.Rule{
		{ID: "threat-model-missing", Doc: "A tool that was deferred is live in a frozen scope and has no threat model in manifest/threat-models. " +
			"\"toolgen promote NAME\" begins one."},
		{ID: "threat-model-form", Doc: "The front matter of a threat model is not about this tool, or a field is empty or unreadable."},
		{ID: "threat-model-reviewer", Doc: "The reviewer of a threat model is its author. A second pair of eyes is the point of it."},
		{ID: "threat-model-stale", Doc: "The contract of a tool has changed since its threat model was reviewed: reviewed_schema_sha256 is not the hash " +
			"that the lock would hold. Review it again, then write the new hash."},
		{ID: "threat-model-surface", Doc: "A threat model has no verdict on one of the five policy surfaces, no reason for one, or a verdict that " +
			"contradicts the surfaces of the manifest."},
		{ID: "happy-test-missing", Doc: "No test of a promoted tool passes its generated constant (toolset.ToolX) to a call and expects it to work."},
		{ID: "violation-test-missing", Doc: "A policy surface applies to a promoted tool, and no test calls the tool by its generated constant, names " +
			"the surface and expects toolkit.PolicyDenied."},
		{ID: "promotion-test-skipped", Doc: "The tests that speak for a promoted tool might not run: each of them reaches a call to Skip, in a helper " +
			"maybe, or stands behind a build constraint."},
		{ID: RuleNotRun, Doc: "No test that speaks for a promoted tool is proved to have passed. Give the log of \"go test -json\" with " +
			"--results."},
		{ID: RuleNotReady, Doc: "A tool that is asked to be promoted is still deferred, or is not in a frozen scope, so that its row of the truth " +
			"table cannot become ready."},
	}
	for i := range rules {
		rules[i].Severity = diag.Error
	}
	return rules
}

// Check holds promoted tools against every rule.
func Check(tools []*model.Tool, facts Facts) diag.List {
	var diags diag.List
	for _, t := range tools {
		c := checker{tool: t, facts: facts, diags: &diags}
		c.threatModel()
		c.tests()
	}
	return diags
}

// Ready says what keeps a tool from promotion before anything else is looked at: it is deferred, or promised by nobody.
func Ready(set *model.Toolset, name string) (*model.Tool, diag.List) {
	var diags diag.List
	for _, d := range set.Deferrals {
		if d.Name == name {
			diags.Errorf(d.Pos, RuleNotReady, "%q is still deferred", name).Hint =
				"replace deferred by the keys of a live tool, in an open scope at first; then write the handler and its tests"
			return nil, diags
		}
	}
	for _, t := range set.Tools {
		if t.Name != name {
			continue
		}
		if !scope.Frozen(t) {
			diags.Errorf(t.Pos, RuleNotReady, "%q is in no frozen scope, so nothing promises it", name).Hint =
				"name the scope that deferred it, once the tests pass"
		}
		return t, diags
	}
	return nil, nil
}

type checker struct {
	tool  *model.Tool
	facts Facts
	diags *diag.List
}

func (c *checker) errorf(at diag.Pos, rule, format string, args ...any) *diag.Diagnostic {
	return c.diags.Errorf(at, rule, format, args...)
}

// Path is where the threat model of a tool belongs.
func Path(tool string) string { return path.Join(ThreatModels, tool+".md") }

func (c *checker) threatModel() {
	i := slices.IndexFunc(c.facts.Models, func(f spec.File) bool { return f.Name == Path(c.tool.Name) })
	if i < 0 {
		c.errorf(c.tool.Pos, "threat-model-missing", "%q has no threat model", c.tool.Name).Hint = "write " + Path(c.tool.Name)
		return
	}
	m, diags := spec.ParseThreatModel(c.facts.Models[i])
	for _, d := range diags {
		c.errorf(d.Pos, "threat-model-form", "%s", d.Message).Hint = d.Hint
	}
	if m == nil {
		return
	}
	c.form(m)
	if m.Reviewer.Set() && person(m.Reviewer.Value) == person(m.Author.Value) {
		c.errorf(m.Reviewer.Pos, "threat-model-reviewer", "%s has reviewed their own threat model of %q", m.Reviewer.Value, c.tool.Name)
	}
	if want := scope.Hash(c.tool); m.Hash.Set() && m.Hash.Value != want {
		d := c.errorf(m.Hash.Pos, "threat-model-stale", "%q is now %s, and %s was reviewed", c.tool.Name, want, m.Hash.Value)
		d.Related = &diag.Related{Pos: c.tool.Pos, Message: "the tool as it is now"}
	}
	c.verdicts(m)
}

func person(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func (c *checker) form(m *spec.ThreatModel) {
	for _, f := range []struct {
		key  string
		text spec.Text
	}{{"tool", m.Tool}, {"date", m.Date}, {"author", m.Author}, {"reviewer", m.Reviewer}, {"reviewed_schema_sha256", m.Hash}} {
		if f.text.Set() && strings.TrimSpace(f.text.Value) == "" {
			c.errorf(f.text.Pos, "threat-model-form", "%s is empty", f.key)
		}
	}
	if m.Tool.Set() && m.Tool.Value != c.tool.Name {
		c.errorf(m.Tool.Pos, "threat-model-form", "the threat model is about %q, and its file is that of %q", m.Tool.Value, c.tool.Name)
	}
	if _, err := time.Parse(time.DateOnly, m.Date.Value); m.Date.Value != "" && err != nil {
		c.errorf(m.Date.Pos, "threat-model-form", "%q is no date such as 2026-01-31", m.Date.Value)
	}
}

func (c *checker) verdicts(m *spec.ThreatModel) {
	for _, surface := range model.Surfaces() {
		i := slices.IndexFunc(m.Verdicts, func(v spec.Verdict) bool { return v.Surface.Value == surface })
		if i < 0 {
			c.errorf(m.Pos, "threat-model-surface", "the threat model of %q has no verdict on %s", c.tool.Name, surface)
			continue
		}
		v := m.Verdicts[i]
		declared := slices.Contains(c.tool.Surfaces, surface)
		switch {
		case v.Why.Set() && strings.TrimSpace(v.Why.Value) == "":
			c.errorf(v.Why.Pos, "threat-model-surface", "the verdict on %s has no reason", surface)
		case v.Applies.Set() && v.Applies.Value != declared:
			d := c.errorf(v.Applies.Pos, "threat-model-surface", "the verdict on %s is %v, and the manifest says %v", surface, v.Applies.Value, declared)
			d.Related = &diag.Related{Pos: c.tool.Pos, Message: "the tool's surfaces are declared here"}
		}
	}
	for _, v := range m.Verdicts {
		if !slices.Contains(model.Surfaces(), v.Surface.Value) {
			d := c.errorf(v.Surface.Pos, "threat-model-surface", "there is no policy surface %q", v.Surface.Value)
			d.Hint = diag.DidYouMean(v.Surface.Value, model.Surfaces())
		}
	}
}

// tests looks for a happy test, and a violation test for each surface that applies.
func (c *checker) tests() {
	var calling []evidence.Test
	for _, t := range c.facts.Tests {
		if slices.Contains(t.Calls, c.tool.GoName) {
			calling = append(calling, t)
		}
	}
	denies := func(t evidence.Test) bool { return t.Says(refusalName) || t.Says(refusalCode) }
	c.oneRuns("happy-test-missing", "that it works", calling, func(t evidence.Test) bool { return !denies(t) })
	for _, surface := range c.tool.Surfaces {
		c.oneRuns("violation-test-missing", "that "+surface+" can be forbidden", calling, func(t evidence.Test) bool {
			return denies(t) && t.Says(surface)
		})
	}
}

// oneRuns demands that one of the tests that fit is sure to run, and has passed where that must be proved.
func (c *checker) oneRuns(missing, what string, tests []evidence.Test, fits func(evidence.Test) bool) {
	var fit, sure []evidence.Test
	for _, t := range tests {
		if fits(t) {
			if fit = append(fit, t); t.Skip == "" {
				sure = append(sure, t)
			}
		}
	}
	switch {
	case len(fit) == 0:
		c.errorf(c.tool.Pos, missing, "no test proves of %q %s", c.tool.Name, what).Hint =
			fmt.Sprintf("call it as toolset.Tool%s in a test", c.tool.GoName)
		return
	case len(sure) == 0:
		d := c.errorf(fit[0].Pos, "promotion-test-skipped", "%s proves of %q %s, and might not run: %s", fit[0].Name, c.tool.Name, what, fit[0].Skip)
		d.Related = &diag.Related{Pos: c.tool.Pos, Message: "the tool that it speaks for"}
		return
	case !c.facts.Ran && c.facts.Results == nil:
		return
	}
	outcome := "no log of go test -json was given"
	for _, t := range sure {
		if c.facts.Results == nil {
			break
		}
		outcome = c.facts.Results.Of(c.facts.Module+"/"+t.Dir, t.Name)
		if outcome == "pass" {
			return
		}
		if outcome == "" {
			outcome = "it is not in the log"
		}
	}
	c.errorf(sure[0].Pos, RuleNotRun, "%s is not proved to have passed: %s", sure[0].Name, outcome)
}

// Template is a threat model to be filled in. What a person must decide is left empty, and the gate asks for it.
func Template(t *model.Tool, author string, when time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntool: %s\ndate: %q\nauthor: %q\nreviewer: \"\"\nreviewed_schema_sha256: %q\nsurfaces:\n",
		t.Name, when.UTC().Format(time.DateOnly), author, scope.Hash(t))
	for _, s := range model.Surfaces() {
		fmt.Fprintf(&b, "  %s: {applies: %v, why: \"\"}\n", s, slices.Contains(t.Surfaces, s))
	}
	fmt.Fprintf(&b, "---\n\n# Threat model of %s\n\nWhat can a page, or a model that believes a page, do with this tool that nobody wanted?\n", t.Name)
	return []byte(b.String())
}

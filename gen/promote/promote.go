// Package promote is the gate between a deferral and a live tool: what must be there before a
// frozen scope may promise a tool that it once deferred, and must stay there afterwards.
//
// Each missing piece is a rule of its own, so that the report is the list of what is left to do. It
// must not know how files are found, nor run a test.
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

// Dir is the directory of threat models, beside the manifest.
const Dir = "threat-models"

// RuleNotRun is the rule that a log of tests must be there and say something; RuleNotReady, which
// Ready alone reports, that a tool must be live and promised.
const (
	RuleNotRun   = "promotion-test-not-run"
	RuleNotReady = "promotion-not-ready"
)

// The code of a refusal by a policy surface: toolkit's constant, and its text.
const (
	refusalName = "PolicyDenied"
	refusalCode = "POLICY_DENIED"
)

// Facts are the facts by which the rules judge promoted tools.
type Facts struct {
	Module   string
	Dir      string      // of the threat models, relative to the module
	Models   []spec.File // threat models
	Surfaces []string    // policy surfaces of the set
	Tests    []evidence.Test
	Results  *evidence.Results   // nil when no log was given
	Ran      bool                // whether the tests must be proved to have run
	Proved   map[string][]string // by tool: the tests that proved it when it was frozen, as Proofs writes them
}

// Rules is the table of what this package reports. Ready alone checks RuleNotReady.
func Rules() []diag.Rule[*Input] {
	return []diag.Rule[*Input]{
		{ID: "threat-model-missing", Severity: diag.Error, Doc: "A tool that was deferred is live in a frozen scope and has no threat model in " +
			"threat-models beside the manifest. \"toolgen promote NAME\" begins one.", Check: checkModelExists},
		{ID: "threat-model-form", Severity: diag.Error, Doc: "The front matter of a threat model is not about this tool, or a field is empty or " +
			"unreadable.", Check: checkForm},
		{ID: "threat-model-reviewer", Severity: diag.Error, Doc: "The reviewer of a threat model is its author. A second pair of eyes is the point " +
			"of it.", Check: checkReviewer},
		{ID: "threat-model-stale", Severity: diag.Error, Doc: "The contract of a tool has changed since its threat model was reviewed: " +
			"reviewed_schema_sha256 is not the hash that the lock would hold. Review it again, then write the new hash.", Check: checkHash},
		{ID: "threat-model-surface", Severity: diag.Error, Doc: "A threat model has no verdict on one of the policy surfaces, no reason for " +
			"one, or a verdict that contradicts the surfaces of the manifest.", Check: checkVerdicts},
		{ID: "threat-model-text", Severity: diag.Error, Doc: "The text of a threat model lacks a section (" + sectionRisks + ", " + sectionMeasures + ", " + sectionRest + "), one of " +
			"them says nothing, or the risks do not name a policy surface that applies.", Check: checkText},
		{ID: "happy-test-missing", Severity: diag.Error, Doc: "No test of a promoted tool passes its generated constant (toolset.ToolX) to a call " +
			"and expects it to work.", Check: checkTestExists(happy)},
		{ID: "violation-test-missing", Severity: diag.Error, Doc: "A policy surface applies to a promoted tool, and no test calls the tool by its " +
			"generated constant, names the surface and expects toolkit.PolicyDenied.", Check: checkTestExists(violation)},
		{ID: "promotion-test-skipped", Severity: diag.Error, Doc: "The tests that speak for a promoted tool might not run: each of them reaches a " +
			"call to Skip, in a helper maybe, or stands behind a build constraint.", Check: checkTestSkipped},
		{ID: RuleNotRun, Severity: diag.Error, Doc: "No test that speaks for a promoted tool is proved to have passed. \"toolgen freeze\" and \"toolgen promote\" " +
			"run the tests themselves, on the code as it is; no log is taken from elsewhere.", Check: checkTestRan},
		{ID: "promotion-test-changed", Severity: diag.Error, Doc: "A test that proved a promoted tool when it was frozen is gone, or is another one now. \"toolgen freeze --why\" runs the " +
			"tests of today and records them.", Check: checkTestChanged},
		{ID: RuleNotReady, Severity: diag.Error, Doc: "A tool that is asked to be promoted is still deferred, or is not in a frozen scope, so that " +
			"its row of the truth table cannot become ready."},
	}
}

// Input is the input of the rules: one promoted tool, its threat model, and the tests that it must have.
type Input struct {
	tool     *model.Tool
	facts    Facts
	found    bool              // whether there is a file of the threat model
	model    *spec.ThreatModel // nil when it cannot be read
	unread   diag.List         // what could not be read of it
	required []requirement
}

// Check holds promoted tools against every rule.
func Check(tools []*model.Tool, facts Facts) diag.List {
	var diags diag.List
	for _, t := range tools {
		diags = append(diags, diag.Check(Rules(), newInput(t, facts))...)
	}
	return diags
}

func newInput(t *model.Tool, facts Facts) *Input {
	in := &Input{tool: t, facts: facts, required: requirements(t, facts.Tests)}
	i := slices.IndexFunc(facts.Models, func(f spec.File) bool { return f.Name == Path(facts.Dir, t.Name) })
	if in.found = i >= 0; in.found {
		in.model, in.unread = spec.ParseThreatModel(facts.Models[i])
	}
	return in
}

// Ready reports why a tool cannot be promoted whatever its threat model and tests say: it is
// deferred, or in no frozen scope.
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

// Path returns the file of a tool's threat model in their directory.
func Path(dir, tool string) string { return path.Join(dir, tool+".md") }

// Template is a threat model to be filled in. What a person must decide is left empty, and the gate
// asks for it.
func Template(t *model.Tool, surfaces []string, author string, when time.Time) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntool: %s\ndate: %q\nauthor: %q\nreviewer: \"\"\nreviewed_schema_sha256: %q\nsurfaces:\n",
		t.Name, when.UTC().Format(time.DateOnly), author, scope.Hash(t))
	for _, s := range surfaces {
		fmt.Fprintf(&b, "  %s: {applies: %v, why: \"\"}\n", s, slices.Contains(t.Surfaces, s))
	}
	fmt.Fprintf(&b, "---\n\n# Threat model of %s\n", t.Name)
	for _, s := range [][2]string{
		{sectionRisks, "What can a caller, or a text that a model believes, do with this tool that its user did not want? Name each policy surface that applies."},
		{sectionMeasures, "Which check refuses each of these, and which test shows it?"},
		{sectionRest, "What is accepted, and by whom?"},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n<!-- %s -->\n", s[0], s[1])
	}
	return []byte(b.String())
}

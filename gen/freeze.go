package gen

import (
	"slices"

	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/promote"
	"github.com/callsheet/callsheet/gen/scope"
)

// promotion holds promoted tools against the gate. ran asks for a log in which their tests passed.
func (b *inputs) promotion(src Source, tools []*model.Tool, ran bool) diag.List {
	facts := b.gate(src)
	facts.Ran = ran
	var diags diag.List
	if src.Results != nil {
		results, err := evidence.ReadResults(src.Results.Data)
		if err != nil {
			diags.Errorf(diag.Pos{File: src.Results.Name}, promote.RuleNotRun, "%v", err)
		}
		facts.Results = results
	}
	return append(diags, promote.Check(tools, facts)...)
}

// gate returns the facts that the rules about promoted tools read, without a log of tests.
func (b *inputs) gate(src Source) promote.Facts {
	facts := promote.Facts{Module: src.Module, Dir: src.layout().Beside(promote.Dir), Models: src.Models, Surfaces: b.set.SurfaceNames(), Tests: b.code.Tests, Proved: map[string][]string{}}
	if b.lock != nil {
		for _, d := range b.lock.Promoted {
			for _, t := range d.Tests {
				facts.Proved[d.Tool.Value] = append(facts.Proved[d.Tool.Value], t.Value)
			}
		}
	}
	return facts
}

// gated lists the tools that the gate holds: those whose tests the next freeze must see pass, and
// those that an earlier one has seen.
func (b *inputs) gated(src Source) (unproved, proved []*model.Tool) {
	facts := b.gate(src)
	all, fresh := scope.Promoted(b.set, b.lock)
	for _, t := range all {
		if slices.Contains(fresh, t) || promote.Changed(t.Name, facts) {
			unproved = append(unproved, t)
		} else {
			proved = append(proved, t)
		}
	}
	return unproved, proved
}

// Promotion returns a deferred tool, and as diagnostics each step that is left before a frozen scope may
// promise it. The tool is nil where the manifest does not know its name. The tests must have passed where
// the source has a log of them.
func Promotion(src Source, name string) (*model.Tool, diag.List) {
	set, diags := Lint(src)
	if set == nil {
		return nil, diags
	}
	tool, more := promote.Ready(set, name)
	diags = append(diags, more...)
	if tool != nil {
		b := inputs{set: set, code: src.evidence()}
		diags = append(diags, b.promotion(src, []*model.Tool{tool}, src.Results != nil)...)
	}
	return tool, diags.Sorted()
}

// PromotionTests lists the tests that speak for a tool and must pass before its promotion, by the
// directory of their package. Without a name they are those of every tool that the next freeze would
// promote.
func PromotionTests(src Source, name string) map[string][]string {
	set, _ := Lint(src)
	if set == nil {
		return nil
	}
	b := inputs{set: set, code: src.evidence()}
	var tools []*model.Tool
	if name == "" {
		b.lock, _ = readLock(src)
		tools, _ = b.gated(src)
	} else {
		tools = slices.DeleteFunc(slices.Clone(set.Tools), func(t *model.Tool) bool { return t.Name != name })
	}
	out := map[string][]string{}
	for _, t := range tools {
		for _, test := range promote.ToRun(t, b.code.Tests) {
			out[test.Dir] = append(out[test.Dir], test.Name)
		}
	}
	return out
}

// Freeze is the text of a lock that promises what the manifest says now. It refuses what no reason
// makes right: what breaks clients of the last release without an allowance, a tool past the gate, a
// deferral that is gone, and a lock that is lost or edited.
func Freeze(src Source, entry scope.Entry) ([]byte, diag.List, error) {
	set, diags := Lint(src)
	if set == nil {
		return nil, diags, nil
	}
	lock, more := readLock(src)
	diags = append(diags, more...)
	switch {
	case lock != nil:
		b := inputs{set: set, lock: lock, code: src.evidence()}
		unproved, proved := b.gated(src)
		diags = append(diags, b.promotion(src, unproved, true)...)
		diags = append(diags, b.promotion(src, proved, false)...)
		diags = append(diags, scope.CheckFreeze(set, lock)...)
		entry.Tests = map[string][]string{}
		for _, t := range unproved {
			entry.Tests[t.Name] = promote.Proofs(t, b.code.Tests)
		}
		adoptRelease(src, lock)
	case src.Lock == nil && src.Released != nil:
		diags = append(diags, breaking.LostLock(*src.Released, src.layout().Beside(lockName))...)
	}
	_, more = Breaking(src, set)
	if diags = append(diags, more...).Sorted(); diags.HasErrors() {
		return nil, diags, nil
	}
	text, err := scope.Freeze(set, lock, entry)
	if err != nil {
		return nil, diags, err
	}
	return text, diags, nil
}

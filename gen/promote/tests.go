package promote

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// requirement is one thing that a test must prove of a promoted tool.
type requirement struct {
	kind  testKind
	what  string          // "that it works"
	tests []evidence.Test // those that prove it
}

type testKind int

const (
	happy     testKind = iota // the tool works
	violation                 // a policy surface can forbid it
)

// requirements lists a happy test, and a violation test for each surface that applies, with the
// tests that there are.
func requirements(t *model.Tool, tests []evidence.Test) []requirement {
	calling := slicesx.Filter(tests, func(test evidence.Test) bool { return slices.Contains(test.Calls, t.GoName) })
	denies := func(t evidence.Test) bool { return t.Says(refusalName) || t.Says(refusalCode) }
	out := []requirement{{happy, "that it works", filter(calling, func(t evidence.Test) bool { return !denies(t) })}}
	for _, surface := range t.Surfaces {
		out = append(out, requirement{violation, "that " + surface + " can be forbidden",
			filter(calling, func(t evidence.Test) bool { return denies(t) && t.Says(surface) })})
	}
	return out
}

func filter(tests []evidence.Test, keep func(evidence.Test) bool) []evidence.Test {
	return slices.DeleteFunc(slices.Clone(tests), func(t evidence.Test) bool { return !keep(t) })
}

// certain lists the tests of a requirement that cannot be skipped.
func (r requirement) certain() []evidence.Test {
	return filter(r.tests, func(t evidence.Test) bool { return t.Skip == "" })
}

func checkTestExists(kind testKind) func(*Input, diag.Report) {
	return func(in *Input, report diag.Report) {
		for _, r := range in.required {
			if r.kind == kind && len(r.tests) == 0 {
				report(in.tool.Pos, "no test proves of %q %s", in.tool.Name, r.what).Hint =
					fmt.Sprintf("call it as toolset.Tool%s in a test", in.tool.GoName)
			}
		}
	}
}

func checkTestSkipped(in *Input, report diag.Report) {
	for _, r := range in.required {
		if len(r.tests) == 0 || len(r.certain()) > 0 {
			continue
		}
		first := r.tests[0]
		d := report(first.Pos, "%s proves of %q %s, and might not run: %s", first.Name, in.tool.Name, r.what, first.Skip)
		d.Hint, d.Cause = "take the call to Skip or the constraint away, or add a test without it", in.tool.Name+" "+first.Dir+" "+first.Skip
		d.Related = &diag.Related{Pos: in.tool.Pos, Message: "the tool that it speaks for"}
	}
}

// Proofs lists the tests that prove what a promoted tool must keep and that cannot be skipped, as the
// lock records them: directory, name and a digest of the function.
func Proofs(t *model.Tool, tests []evidence.Test) []string {
	out := slicesx.Map(ToRun(t, tests), proof)
	slices.Sort(out)
	return out
}

// ToRun lists the tests that must pass before a tool is promoted.
func ToRun(t *model.Tool, tests []evidence.Test) []evidence.Test {
	var out []evidence.Test
	seen := map[string]bool{}
	for _, r := range requirements(t, tests) {
		for _, test := range r.certain() {
			if key := test.Dir + "." + test.Name; !seen[key] {
				seen[key] = true
				out = append(out, test)
			}
		}
	}
	return out
}

func proof(t evidence.Test) string { return t.Dir + "." + t.Name + " " + t.Digest }

// Changed reports whether a test that proved the tool is gone, or is another one.
func Changed(tool string, facts Facts) bool {
	return len(changed(facts.Proved[tool], facts.Tests)) > 0
}

// changed lists the tests that proved a tool and are not there as they were.
func changed(proved []string, tests []evidence.Test) []string {
	return slices.DeleteFunc(slices.Clone(proved), func(was string) bool {
		return slices.ContainsFunc(tests, func(t evidence.Test) bool { return proof(t) == was })
	})
}

func checkTestChanged(in *Input, report diag.Report) {
	isUnproved := slices.ContainsFunc(in.required, func(r requirement) bool { return len(r.certain()) == 0 })
	if in.facts.Ran || isUnproved {
		return // the tests of today are about to prove it, or one is reported to be missing
	}
	for _, was := range changed(in.facts.Proved[in.tool.Name], in.facts.Tests) {
		name, _, _ := strings.Cut(was, " ")
		report(in.tool.Pos, "%s proved %q when it was frozen, and is gone or another test now", name, in.tool.Name).Hint =
			`run: go tool toolgen freeze --why "…"`
	}
}

func checkTestRan(in *Input, report diag.Report) {
	if !in.facts.Ran && in.facts.Results == nil {
		return
	}
	for _, r := range in.required {
		tests := r.certain()
		if len(tests) == 0 {
			continue
		}
		if outcome := in.outcome(tests); outcome != "pass" {
			report(tests[0].Pos, "%s is not proved to have passed: %s", tests[0].Name, outcome).Hint = "mend the test, and freeze again"
		}
	}
}

// outcome is "pass" when one of the tests has passed, and else why the last one has not.
func (in *Input) outcome(tests []evidence.Test) string {
	if in.facts.Results == nil {
		return "it has not been run"
	}
	last := ""
	for _, t := range tests {
		switch last = in.facts.Results.Of(in.facts.Module+"/"+t.Dir, t.Name); last {
		case "pass":
			return last
		case "":
			last = "it is not in the log"
		}
	}
	return last
}

// Package gen compiles a manifest: Load reads it, Run turns it into a plan of files and a list of
// what is wrong.
//
// It joins the stages and decides which problems stop which; each stage lives in a package of its
// own and knows nothing of the next. It imports nothing that it generates, nor anything that
// imports that, so that a missing or broken generated/ never keeps the compiler from running.
package gen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/claim"
	"github.com/callsheet/callsheet/gen/codeuse"
	"github.com/callsheet/callsheet/gen/deferral"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/docref"
	"github.com/callsheet/callsheet/gen/emit/cli"
	"github.com/callsheet/callsheet/gen/emit/docs"
	"github.com/callsheet/callsheet/gen/emit/golang"
	"github.com/callsheet/callsheet/gen/emit/metadata"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/emit/snapshot"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/forward"
	"github.com/callsheet/callsheet/gen/lint"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/promote"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/settings"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/compat"
	"github.com/callsheet/callsheet/gen/toolkit/textdiff"
)

// RuleInternal marks a defect of the compiler itself, as opposed to a mistake in its input.
const RuleInternal = "internal"

// An emitter makes files out of a tool set. Its error is a defect of the compiler: a resolved set
// can always be emitted.
type emitter func(*model.Toolset) ([]output.File, error)

// emitters lists the emitters of a run.
func (b *inputs) emitters(src Source) []emitter {
	sources := func(set *model.Toolset) ([]output.File, error) {
		return golang.EmitSourceDigests(set, toolkit.SourceDigests(src.manifest()))
	}
	described := func(set *model.Toolset) ([]output.File, error) { return metadata.Emit(set, releasedVersion(src)) }
	return []emitter{sources, golang.Emit, schema.Emit, snapshot.Emit, cli.Emit, docs.Emit, described, b.records, rulesDoc}
}

// records emits the documents of promises, deferrals and their reasons.
func (b *inputs) records(set *model.Toolset) ([]output.File, error) {
	return docs.EmitRecords(set, b.lock, b.products, scope.TruthTable(set, b.lock, b.tested))
}

// tested reports whether a test that is sure to run names the tool.
func (b *inputs) tested(t *model.Tool) bool {
	names := func(test evidence.Test) bool { return test.Skip == "" && slices.Contains(test.Names, t.GoName) }
	says := func(test evidence.Test) bool { return test.Skip == "" && test.Says(t.Name) }
	return slices.ContainsFunc(b.code.Tests, names) || slices.ContainsFunc(b.others, names) || slices.ContainsFunc(b.code.Tests, says)
}

// rulesDoc documents every rule; it depends on the compiler and on the set only for whether it is wanted.
func rulesDoc(set *model.Toolset) ([]output.File, error) {
	if !set.Layout.WithReferences {
		return nil, nil
	}
	rules := slicesx.Map(Rules(), func(r diag.Description) docs.Rule { return docs.Rule{ID: r.ID, Doc: r.Doc} })
	return docs.EmitRules(rules)
}

// sizes measures definitions by the bytes that are sent.
func sizes() lint.Sizes {
	return lint.Sizes{Paid: schema.PaidBytes, Slim: func(t *model.Tool) int { return len(schema.SlimDefinition(t)) }, Skill: metadata.SkillBytes}
}

// proof says how large a list is: as it is sent with every tier revealed, the most a client can
// ever be shown.
func proof(set *model.Toolset) prove.Options {
	return prove.Options{
		Sizes:     func(t *model.Tool) int { return len(schema.Definition(t)) },
		CoreSizes: func(t *model.Tool) int { return len(schema.StaticDefinition(t)) },
		ListBytes: set.ListBytes, DefaultListBytes: set.DefaultListBytes,
	}
}

// Rules describes everything the compiler can report, by stage.
func Rules() []diag.Description {
	return slices.Concat(
		diag.Describe(spec.Rules()), diag.Describe(model.Rules()), diag.Describe(forward.Rules()), diag.Describe(lint.Rules()), diag.Describe(proverRules()),
		diag.Describe(scope.Rules()), diag.Describe(deferral.Rules()), diag.Describe(codeuse.Rules()), diag.Describe(promote.Rules()), diag.Describe(breaking.Rules()), diag.Describe(breaking.CodeRules()), diag.Describe(breaking.ListRules()),
		diag.Describe(breaking.PromptRules()), diag.Describe(breaking.ResourceRules()), compat.OwnRules(),
		diag.Describe(breaking.AllowanceRules()), diag.Describe(docref.Rules()), diag.Describe(claim.Rules()), diag.Describe(outputRules()), diag.Describe(settings.Rules()))
}

// proverRules are the prover's rules but the one that model reports before the prover runs.
func proverRules() []prove.Rule {
	return slices.DeleteFunc(prove.Rules(), func(r prove.Rule) bool { return r.ID == model.RuleTooManyFacts })
}

// outputRules is the table about generated files. A defect of the compiler has no Check.
func outputRules() []diag.Rule[found] {
	return []diag.Rule[found]{
		{ID: ruleStale, Severity: diag.Error, Doc: "A file under generated/ is not what the manifest compiles to: it is stale, missing or " +
			"left over. \"go generate ./...\" mends all three; what differs in the first of them is shown. Generated files are committed, so that builds need no generator.", Check: stale},
		{ID: ruleForwardedCode, Severity: diag.Error, Doc: "A manifest with forwarded tools, or outside of a module of Go, was to be compiled to Go. A forwarded tool has no handler: \"toolgen proxy\" " +
			"serves it from the manifest. Check such a manifest with \"toolgen lint\"."},
		{ID: RuleInternal, Severity: diag.Error, Doc: "The compiler itself failed on a correct manifest. Nothing is written. Please report it, " +
			"with the manifest."},
	}
}

// Stale turns the differences between a plan and the disk into diagnostics, so that they print as
// everything else does. The directory is that of the generated files, relative to the module.
func Stale(dir string, changes []output.Change) diag.List {
	return diag.Check(outputRules(), found{dir, changes})
}

// found is the differences between a directory of generated files and the compiler's output.
type found struct {
	dir     string
	changes []output.Change
}

// The most lines and columns of a diff that are shown with a stale file.
const (
	diffLines = 12
	diffWidth = 100
)

// stale reports what differs as one problem, for one command mends it. It is shown at a list that
// clients are sent, where one differs: that says most.
func stale(in found, report diag.Report) {
	if len(in.changes) == 0 {
		return
	}
	changes := slices.Clone(in.changes)
	slices.SortStableFunc(changes, func(a, b output.Change) int { return cmp.Compare(staleRank(a), staleRank(b)) })
	at := func(c output.Change) diag.Pos {
		p := diag.Pos{File: in.dir + "/" + c.Path}
		if c.Kind == output.Stale {
			p.Line, p.Col = c.Line, 1
		}
		return p
	}
	first := changes[0]
	message := map[output.Kind]string{output.Missing: "is missing", output.Extra: "is not generated any more", output.Stale: "is not what the manifest compiles to"}[first.Kind]
	d := report(at(first), "%s", message)
	d.Hint = "run: go generate ./..."
	if first.Kind == output.Stale {
		d.Detail = textdiff.Excerpt(string(first.Have), string(first.Want), diffLines, diffWidth)
	}
	for _, c := range changes[1:] {
		d.Also = append(d.Also, at(c))
	}
}

// staleRank orders changes by what they say: lists that clients are sent, documents, and all else.
func staleRank(c output.Change) int {
	switch {
	case c.Kind == output.Stale && strings.HasPrefix(c.Path, "snapshot/tools_list."):
		return 0
	case c.Kind == output.Stale && strings.HasPrefix(c.Path, "docs/"):
		return 1
	}
	return 2
}

const (
	ruleStale         = "stale-output"
	ruleForwardedCode = "forwarded-code"
)

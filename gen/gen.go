// Package gen compiles a manifest: Load reads it, Run turns it into a plan of files and a list of what is wrong.
//
// It joins the stages and decides which problems stop which; each stage lives in a package of its own and knows nothing
// of the next. It imports nothing that it generates, nor anything that imports that, so that a missing or broken
// generated/ never keeps the compiler from running.
package gen

import (
	"bytes"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/docs"
	"github.com/callsheet/callsheet/gen/emit/golang"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/emit/snapshot"
	"github.com/callsheet/callsheet/gen/lint"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

// Where things are in a module, slash-separated and relative to its root.
const (
	RootFile  = "manifest/tools.yaml"
	LockFile  = "manifest/scope.lock.yaml"
	Generated = "generated"
)

// RuleInternal marks a defect of the compiler itself, as opposed to a mistake in its input.
const RuleInternal = "internal"

// Source is everything a run depends on. Load makes one from a directory.
type Source struct {
	Module string      // import path of the module
	Files  []spec.File // the root file and its neighbours, named relative to the module root
	Lock   *spec.File  // the lock of frozen scopes; nil when there is none
}

// Line is one line of a source file, counted from 1; it serves the text form of diagnostics.
func (s Source) Line(file string, line int) (string, bool) {
	files := s.Files
	if s.Lock != nil {
		files = append(files[:len(files):len(files)], *s.Lock)
	}
	for _, f := range files {
		if f.Name != file {
			continue
		}
		lines := bytes.Split(f.Data, []byte("\n"))
		if line < 1 || line > len(lines) {
			return "", false
		}
		return string(lines[line-1]), true
	}
	return "", false
}

// An emitter makes files out of a tool set. Its error is a defect of the compiler: a resolved set can always be emitted.
type emitter func(*model.Toolset) ([]output.File, error)

// emitters lists what a run generates.
func emitters() []emitter {
	return []emitter{golang.Emit, schema.Emit, snapshot.Emit, docs.Emit, rulesDoc}
}

// rulesDoc documents every rule; it depends on the compiler and not on the set.
func rulesDoc(*model.Toolset) ([]output.File, error) {
	var rules []docs.Rule
	for _, r := range Rules() {
		rules = append(rules, docs.Rule{ID: r.ID, Doc: r.Doc})
	}
	return docs.EmitRules(rules)
}

// sizes measures definitions by the bytes that are sent.
func sizes() lint.Sizes {
	return lint.Sizes{Paid: schema.PaidBytes, Slim: func(t *model.Tool) int { return len(schema.SlimDefinition(t)) }}
}

// listBytes is the most that a tools/list of any state may take, with every tier in it: some four thousand tokens, which
// a client pays in every conversation.
const listBytes = 17_500

// proof says how large a list is: as it is sent with every tier revealed, the most a client can ever be shown.
func proof() prove.Options {
	return prove.Options{Sizes: func(t *model.Tool) int { return len(schema.Definition(t)) }, ListBytes: listBytes}
}

// Run compiles a manifest. It is pure: the caller decides what to do with the plan. The list comes sorted; the plan is
// nil when it holds errors.
func Run(src Source) (*output.Plan, diag.List) {
	set, diags := Check(src)
	if diags.HasErrors() {
		return nil, diags
	}
	var files []output.File
	for _, emit := range emitters() {
		more, err := emit(set)
		if err != nil {
			diags.Errorf(diag.Pos{File: RootFile}, RuleInternal, "%v", err)
			return nil, diags
		}
		files = append(files, more...)
	}
	return output.New(files), diags
}

// Check is Run without its output: the tool set with everything that is wrong with it, frozen scopes included. The set
// is nil when there are errors.
func Check(src Source) (*model.Toolset, diag.List) {
	set, diags := Lint(src)
	if diags.HasErrors() {
		return nil, diags
	}
	lock, more := readLock(src)
	diags = append(diags, more...)
	if !more.HasErrors() {
		diags = append(diags, scope.Check(set, lock)...)
	}
	if diags = diags.Sorted(); diags.HasErrors() {
		return nil, diags
	}
	return set, diags
}

// Lint is Check without the lock: what is wrong with the manifest alone. A syntax error stops early; otherwise the tree
// is resolved even when it has problems, because a typo must not hide the next one. The rules about style run on a
// correct set only, and so does the proof of its visibility. The set is nil when there are errors.
func Lint(src Source) (*model.Toolset, diag.List) {
	tree, diags := spec.Parse(RootFile, src.Files)
	if tree == nil {
		return nil, diags.Sorted()
	}
	set, more := model.Resolve(src.Module, tree)
	if diags = append(diags, more...); !diags.HasErrors() {
		diags = append(diags, lint.Check(set, sizes())...)
		diags = append(diags, prove.Check(set, proof())...)
	}
	if diags = diags.Sorted(); diags.HasErrors() {
		return nil, diags
	}
	return set, diags
}

// Freeze is the text of a lock that promises what the manifest says now.
func Freeze(src Source, entry scope.Entry) ([]byte, diag.List, error) {
	set, diags := Lint(src)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	lock, more := readLock(src)
	if diags = append(diags, more...); diags.HasErrors() {
		return nil, diags.Sorted(), nil
	}
	text, err := scope.Freeze(set, lock, entry)
	if err != nil {
		return nil, diags, err
	}
	return text, diags, nil
}

func readLock(src Source) (*spec.Lock, diag.List) {
	if src.Lock == nil {
		return nil, nil
	}
	return spec.ParseLock(*src.Lock)
}

// Rules is the table of everything the compiler can report, by stage.
func Rules() []diag.Rule {
	rules := append(spec.Rules(), model.Rules()...)
	for _, r := range lint.Rules() {
		rules = append(rules, r.Rule)
	}
	for _, r := range prove.Rules() {
		if r.ID != model.RuleTooManyFacts { // model reports it before the prover is asked
			rules = append(rules, diag.Rule{ID: r.ID, Severity: diag.Error, Doc: r.Doc})
		}
	}
	rules = append(rules, scope.Rules()...)
	return append(rules,
		diag.Rule{ID: ruleStale, Severity: diag.Error, Doc: "A file under generated/ is not what the manifest compiles to: it is stale, missing or " +
			"left over. \"go generate ./...\" mends all three. Generated files are committed, so that builds need no generator."},
		diag.Rule{ID: RuleInternal, Severity: diag.Error, Doc: "The compiler itself failed on a correct manifest. Nothing is written. Please report it, " +
			"with the manifest."})
}

// Stale turns the differences between a plan and the disk into diagnostics, so that they print as everything else does.
func Stale(changes []output.Change) diag.List {
	var diags diag.List
	for _, c := range changes {
		at := diag.Pos{File: Generated + "/" + c.Path}
		message := "is not what the manifest compiles to"
		switch c.Kind {
		case output.Missing:
			message = "is missing"
		case output.Extra:
			message = "is not generated any more"
		case output.Stale:
			at.Line, at.Col = c.Line, 1
		}
		diags.Errorf(at, ruleStale, "%s", message).Hint = "run: go generate ./..."
	}
	return diags
}

const ruleStale = "stale-output"

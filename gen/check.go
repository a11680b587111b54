package gen

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/claim"
	"github.com/callsheet/callsheet/gen/codeuse"
	"github.com/callsheet/callsheet/gen/deferral"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/docref"
	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/evidence"
	"github.com/callsheet/callsheet/gen/forward"
	"github.com/callsheet/callsheet/gen/join"
	"github.com/callsheet/callsheet/gen/lint"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/settings"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// Run compiles a manifest. It is pure: the caller decides what to do with the plan. The list comes
// sorted; the plan is nil when it holds errors.
func Run(src Source) (*output.Plan, diag.List) { return run(src, diag.Error) }

// Generate is Run for an author who is at work: what is wrong in a document is a warning.
func Generate(src Source) (*output.Plan, diag.List) { return run(src, diag.Warning) }

// run is Run with a severity for what is wrong in documents.
func run(src Source, documents diag.Severity) (*output.Plan, diag.List) {
	b, diags := inspect(src, true)
	for i, d := range diags {
		if d.Severity == diag.Error && slices.ContainsFunc(src.Docs, func(f spec.File) bool { return f.Name == d.Pos.File }) {
			diags[i].Severity = documents
		}
	}
	if diags = diags.Sorted(); diags.HasErrors() {
		return nil, diags
	}
	for _, t := range b.set.Tools {
		if t.Forward != nil {
			diags.Errorf(t.Forward.Pos, ruleForwardedCode, "tool %q is forwarded, and Go code has no handler to call", t.Name).Hint = "serve it: toolgen proxy"
			return nil, diags
		}
	}
	if src.Module == "" {
		diags.Errorf(diag.Pos{File: src.RootFile()}, ruleForwardedCode, "there is no go.mod, and Go code needs a module").Hint = "begin one: go mod init"
		return nil, diags
	}
	var files []output.File
	for _, emit := range b.emitters(src) {
		more, err := emit(b.set)
		if err != nil {
			diags.Errorf(diag.Pos{File: src.layout().Manifest}, RuleInternal, "%v", err)
			return nil, diags
		}
		files = append(files, more...)
	}
	if b.set.Layout.Joined {
		joined, err := join.Files(files)
		if err != nil {
			diags.Errorf(diag.Pos{File: src.layout().Manifest}, RuleInternal, "%v", err)
			return nil, diags
		}
		files = joined
	}
	return output.New(files), diags
}

// Check is Run without its output: the tool set with everything that is wrong with it and with what
// speaks of it. The set is nil when there are errors.
func Check(src Source) (*model.Toolset, diag.List) {
	b, diags := inspect(src, true)
	if diags = diags.Sorted(); diags.HasErrors() {
		return nil, diags
	}
	return b.set, diags
}

// Lint is Check of the manifest alone. A syntax error stops early; otherwise the tree is resolved
// even when it has problems, because a typo must not hide the next one. The rules about style run
// on a correct set only, and so does the proof of its visibility. The set is nil when there are
// errors.
func Lint(src Source) (*model.Toolset, diag.List) {
	tree, diags := src.tree()
	if tree == nil {
		return nil, diags.Sorted()
	}
	set, more := model.Resolve(src.Module, tree)
	set.Layout = src.layout()
	if diags = append(diags, more...); !diags.HasErrors() {
		diags = append(diags, forward.Attach(set, src.Upstream)...)
		diags = append(diags, lint.Check(set, sizes())...)
		diags = append(diags, prove.Check(set, proof(set))...)
	}
	if diags = diags.Sorted(); diags.HasErrors() {
		set = nil
		// What refers to a type may be what cannot be read.
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Rule == paramspec.RuleUnusedType })
	}
	return set, diags
}

// inputs is a set with what it is held against.
type inputs struct {
	set      *model.Toolset
	lock     *spec.Lock // nil when there is none
	code     evidence.Code
	others   []evidence.Test // outside of the packages of handlers
	products []spec.Product
}

// inspect is every check; a release judges itself, and is then not held against its predecessor.
func inspect(src Source, released bool) (inputs, diag.List) {
	set, diags := Lint(src)
	_, more := settings.Read(src.Settings)
	if diags = append(diags, more...); set == nil {
		return inputs{}, diags
	}
	b := inputs{set: set, code: src.evidence(), others: src.evidenceIn(src.Tests).Tests}
	add := func(more diag.List) { diags = append(diags, more...) }
	var changes []breaking.Change
	if released {
		changes, more = compareReleased(src, set)
		add(more)
	}
	add(b.checkLock(src, changes))
	b.products, more = readProducts(src)
	add(more)
	add(deferral.Check(set, deferral.Facts{Today: time.Now(), Parse: parser(set), Products: b.products, Handlers: b.code.Handlers, Rows: b.code.Rows}))
	promoted, _ := scope.Promoted(set, b.lock)
	add(b.promotion(src, promoted, false))
	add(codeuse.Check(set, codeuse.Facts{Literals: b.code.Codes, Constants: src.Constants, Handlers: b.code.Handlers, Serving: evidence.ReadServing(src.Serves)}))
	add(b.claims(src))
	add(docref.Check(set, docref.Facts{Docs: src.Docs, Words: append(schema.Keys(), src.Others...), Parse: parser(set)}))
	return b, diags
}

// checkLock reads the lock, and holds the set and the record of the last release against it.
func (b *inputs) checkLock(src Source, changes []breaking.Change) diag.List {
	isFrozen := func(s *model.Scope) bool { return s.Frozen }
	if src.Lock == nil && src.Released != nil && slices.ContainsFunc(b.set.Scopes, isFrozen) {
		if lost := breaking.LostLock(*src.Released, src.layout().Beside(lockName)); len(lost) > 0 {
			return lost
		}
	}
	lock, diags := readLock(src)
	b.lock = lock
	if diags.HasErrors() {
		return diags
	}
	diags = append(diags, withoutConsequences(scope.Check(b.set, lock), changes)...)
	return append(diags, checkRecord(src, lock)...)
}

// claims holds what the project writes about itself against its list of claims.
func (b *inputs) claims(src Source) diag.List {
	facts := claim.Facts{Docs: src.Docs, Tests: b.code.Tests}
	var diags diag.List
	if src.Claims != nil {
		facts.Claims, diags = spec.ParseClaims(*src.Claims)
	}
	facts.Texts = slices.Concat(src.Docs, src.Heads)
	if b.set.Upstream == nil && src.Parsed == nil { // what another server or a site says of itself is no claim of the project
		facts.Texts = append(facts.Texts, src.Files...)
	}
	for _, f := range src.Code {
		if !strings.HasSuffix(f.Name, "_test.go") {
			facts.Texts = append(facts.Texts, spec.File{Name: f.Name, Data: head(f.Data)})
		}
	}
	return append(diags, claim.Check(facts)...)
}

// parser reads commands of the set's own command line; nil when it has none.
func parser(set *model.Toolset) func([]string) error {
	if set.CLI == nil {
		return nil
	}
	verbs := set.Commands()
	return func(argv []string) error {
		_, _, err := command.Parse(verbs, argv)
		return err
	}
}

// Breaking compares the set with the last release and weighs the changes against the allowances.
// Without a release nothing is promised, and an allowance is idle.
func Breaking(src Source, set *model.Toolset) ([]breaking.Change, diag.List) {
	changes, diags := compareReleased(src, set)
	lock, _ := readLock(src) // its own mistakes are reported by every other run
	return changes, append(diags, checkRecord(src, lock)...)
}

// compareReleased is Breaking without a look at whether the record is that of the lock.
func compareReleased(src Source, set *model.Toolset) ([]breaking.Change, diag.List) {
	var was breaking.Surface
	if src.Released != nil {
		var err error
		if was, err = breaking.Decode(src.Released.Data); err != nil {
			return nil, breaking.BadRelease(src.Released.Name, err)
		}
	}
	return CompareRelease(src, set, was)
}

// CompareRelease is Breaking with another surface than the last release.
func CompareRelease(src Source, set *model.Toolset, was breaking.Surface) ([]breaking.Change, diag.List) {
	var allowances []spec.Allowance
	var diags diag.List
	if src.Allowances != nil {
		allowances, diags = spec.ParseAllowances(*src.Allowances)
	}
	deferred := slicesx.List(set.Deferrals, func(d *model.Deferral) string { return d.Name })
	changes := breaking.Compare(was, breaking.Record(set, ""), deferred, implies(set))
	changes, more := breaking.Judge(changes, allowances, func(c breaking.Change) (diag.Pos, *diag.Fix) {
		at := positionOf(set, c)
		return at, renameFix(src, at, c)
	})
	return changes, append(diags, more...)
}

// implies decides over the legal states, which are only listed when a predicate has changed.
func implies(set *model.Toolset) breaking.Narrows {
	var decide breaking.Narrows
	return func(was, now string) (bool, error) {
		if decide == nil {
			legal := slicesx.Map(prove.Walk(set).Legal(), func(s prove.State) uint64 { return uint64(s) })
			decide = breaking.Implies(set.Facts, legal)
		}
		return decide(was, now)
	}
}

// positionOf is where the manifest says what a change is about, or its root file when it does not.
func positionOf(set *model.Toolset, c breaking.Change) diag.Pos {
	name := cmp.Or(c.Successor, c.Tool)
	for _, t := range set.Tools {
		if t.Name == name || slices.Contains(t.Was, name) {
			return c.Position(t)
		}
	}
	for _, d := range set.Deferrals {
		if d.Name == name {
			return d.Pos
		}
	}
	for _, x := range set.Entries() {
		if e := model.EntryOf(x); e.Name == c.Prompt && x.Kind() == "prompt" || e.Name == c.Resource && x.Kind() == "resource" {
			return e.Pos
		}
	}
	for _, k := range set.Codes {
		if string(k.Code) == c.Code && !k.Pos.IsZero() {
			return k.Pos
		}
	}
	if c.List != "" && !set.ListPos.IsZero() {
		return set.ListPos
	}
	if len(set.Scopes) > 0 { // one of them has promised it
		return set.Scopes[0].Pos
	}
	return diag.Pos{File: set.Layout.Manifest}
}

func readLock(src Source) (*spec.Lock, diag.List) {
	if src.Lock == nil {
		return nil, nil
	}
	return spec.ParseLock(*src.Lock)
}

func readProducts(src Source) ([]spec.Product, diag.List) {
	if src.Competitors == nil {
		return nil, nil
	}
	return spec.ParseCompetitors(*src.Competitors)
}

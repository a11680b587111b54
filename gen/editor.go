package gen

import (
	"maps"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/forward"
	"github.com/callsheet/callsheet/gen/lint"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/spec"
)

// Linter is Lint for editors, which ask after every key: it parses only the files that have changed.
// The zero Linter is ready to use. It is not safe for concurrent use.
type Linter struct{ parser spec.Parser }

// Linted is what a Linter finds.
type Linted struct {
	Tree  *spec.Tree     // nil when the root file cannot be read; incomplete when a file cannot
	Set   *model.Toolset // nil when there are errors
	Diags diag.List      // sorted
}

// Lint is the function Lint; it returns the tree too.
func (l *Linter) Lint(src Source) Linted {
	tree, diags := l.parser.Parse(src.layout().Manifest, src.Files)
	return lintTree(src, tree, diags)
}

// lintTree resolves a tree and holds a correct set against the rules about style and visibility.
func lintTree(src Source, tree *spec.Tree, diags diag.List) Linted {
	if tree == nil {
		return Linted{Diags: diags.Sorted()}
	}
	set, more := model.Resolve(src.Module, tree)
	set.Layout = src.layout()
	if diags = append(diags, more...); !diags.HasErrors() {
		diags = append(diags, forward.Attach(set, src.Upstream)...)
		diags = append(diags, lint.Check(set, sizes())...)
		diags = append(diags, client.Check(set)...)
		diags = append(diags, prove.Check(set, proof(set))...)
	}
	if diags = diags.Sorted(); diags.HasErrors() {
		set = nil
		// What refers to a type may be what cannot be read.
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Rule == model.RuleUnusedType })
	}
	return Linted{Tree: tree, Set: set, Diags: diags}
}

// Overlay returns the source with the given texts in place of those of the files, by name. A file that
// the source does not have yet is added; one that no run depends on is left out.
func (s Source) Overlay(texts map[string][]byte) Source {
	out := s
	out.Files = slices.Clone(s.Files)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f := spec.File{Name: name, Data: texts[name]}
		if i := slices.IndexFunc(out.Files, func(f spec.File) bool { return f.Name == name }); i >= 0 {
			out.Files[i] = f
			continue
		}
		out.Add(f)
	}
	return out
}

package gen

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/fix"
	"github.com/callsheet/callsheet/gen/spec"
)

// maxRounds bounds how often fixes are looked for again: an edit can let the compiler see the next
// mistake, and overlapping edits wait for each other.
const maxRounds = 20

// Edited is a file that fixes have changed.
type Edited struct {
	Name     string
	Was, Now []byte
}

// Fixed is a source to which the fixes of its diagnostics were applied.
type Fixed struct {
	Source Source    // with the edits made
	Files  []Edited  // in the order of the first edits
	Made   diag.List // the diagnostics whose fixes were made
	Left   diag.List // what is wrong with the source afterwards
}

// Fix makes the fixes of all diagnostics, and of those that come up then. A fix after which its
// diagnostic is still there, or a file cannot be read any more, is not made. The lock is never
// edited: its text is signed.
func Fix(src Source) (Fixed, error) {
	out := Fixed{Source: src}
	_, out.Left = Check(src)
	refused := map[string]bool{}
	for range maxRounds {
		kept := slices.DeleteFunc(slices.Clone(out.Left), func(d diag.Diagnostic) bool { return refused[identity(d)] })
		plan := fix.Plan(kept, out.Source.editable)
		if len(plan) == 0 {
			break
		}
		next, err := out.Source.edited(plan)
		if err != nil {
			return Fixed{}, err
		}
		_, left := Check(next)
		if stuck := unmended(plan, out.Left, left); len(stuck) > 0 {
			for _, d := range stuck {
				refused[identity(d)] = true
			}
			continue
		}
		out.Source, out.Left = next, left
		out.Made = append(out.Made, plan...)
	}
	for _, f := range src.All() {
		if now, ok := out.Source.file(f.Name); ok && string(now.Data) != string(f.Data) {
			out.Files = append(out.Files, Edited{f.Name, f.Data, now.Data})
		}
	}
	return out, nil
}

// identity tells diagnostics apart across edits that move them.
func identity(d diag.Diagnostic) string { return d.Rule + " " + d.Pos.File + " " + d.Message }

// unmended lists the fixes that mend nothing: their diagnostics are as many as before. When a file
// can no longer be read, no fix is trusted.
func unmended(plan, before, after diag.List) diag.List {
	count := func(l diag.List, same func(diag.Diagnostic) bool) int {
		n := 0
		for _, d := range l {
			if same(d) {
				n++
			}
		}
		return n
	}
	unread := func(d diag.Diagnostic) bool { return d.Rule == spec.RuleSyntax }
	if count(after, unread) > count(before, unread) {
		return plan
	}
	return slices.DeleteFunc(slices.Clone(plan), func(p diag.Diagnostic) bool {
		same := func(d diag.Diagnostic) bool { return identity(d) == identity(p) }
		return count(after, same) < count(before, same)
	})
}

// editable reports whether fixes may edit a file: those that people write.
func (s Source) editable(name string) bool {
	same := func(f spec.File) bool { return f.Name == name }
	for _, f := range []*spec.File{s.Allowances, s.Competitors, s.Claims} {
		if f != nil && same(*f) {
			return true
		}
	}
	return slices.ContainsFunc(s.Files, same)
}

// edited is the source with the fixes made.
func (s Source) edited(plan diag.List) (Source, error) {
	s.Files = slices.Clone(s.Files)
	change := func(f *spec.File) (*spec.File, error) {
		if f == nil {
			return nil, nil
		}
		edits := fix.Edits(plan, f.Name)
		if len(edits) == 0 {
			return f, nil
		}
		data, err := fix.Apply(f.Data, edits)
		if err != nil {
			return nil, fmt.Errorf("fix %s: %w", f.Name, err)
		}
		return &spec.File{Name: f.Name, Data: data}, nil
	}
	for i := range s.Files {
		f, err := change(&s.Files[i])
		if err != nil {
			return Source{}, err
		}
		s.Files[i] = *f
	}
	for _, slot := range []**spec.File{&s.Allowances, &s.Competitors, &s.Claims} {
		var err error
		if *slot, err = change(*slot); err != nil {
			return Source{}, err
		}
	}
	return s, nil
}

// file finds a file of the source by its name.
func (s Source) file(name string) (spec.File, bool) {
	all := s.All()
	i := slices.IndexFunc(all, func(f spec.File) bool { return f.Name == name })
	if i < 0 {
		return spec.File{}, false
	}
	return all[i], true
}

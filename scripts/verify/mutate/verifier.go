package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

// ruleStale is the ID of the compiler's rule about files under generated/ that differ from its output.
const ruleStale = "stale-output"

// mutation is one edit of a good tree that breaks a promise.
type mutation struct {
	family, name string
	edits        []edit
	rule         string   // that must refuse the edit, or what Go's compiler must say
	promoted     bool     // on the tree in which browser_reload is promoted
	removed      string   // a tool whose entry the author removes in a freeze before the edit
	freeze       bool     // the author freezes the edit, for any reason
	build        []string // packages that Go's compiler must refuse; nil: toolgen refuses the edit
}

// verifier holds the good trees that edits begin from.
type verifier struct {
	module          string
	plain, promoted tree
	scratch         string // for overlays of Go's compiler
}

// newVerifier reads the repository at root, which must be good.
func newVerifier(root string) (*verifier, error) {
	plain, module, err := readTree(root)
	if err != nil {
		return nil, err
	}
	v := &verifier{module: module, plain: plain}
	if v.promoted, err = v.promote(plain); err != nil {
		return nil, fmt.Errorf("promote a tool as one should: %w", err)
	}
	for _, t := range []tree{v.plain, v.promoted} {
		if _, said := v.check(t); len(said) > 0 {
			return nil, fmt.Errorf("a tree has a problem before any edit: %s", said[0])
		}
	}
	v.scratch, err = os.MkdirTemp("", "mutate")
	return v, err
}

func (v *verifier) close() { _ = os.RemoveAll(v.scratch) }

// refusedBy makes the edit, does what an author would do to get it through, and returns what
// refused it. A mutation that passes, or that another rule refuses, is an error.
func (v *verifier) refusedBy(m mutation) (string, error) {
	base := v.plain
	if m.promoted {
		base = v.promoted
	}
	if m.removed != "" {
		var err error
		if base, err = v.removeTool(base, m.removed); err != nil {
			return "", err
		}
	}
	t, err := base.with(m.edits)
	if err != nil {
		return "", err
	}
	if m.freeze {
		locked, said := v.freeze(t)
		if len(said) > 0 {
			return m.expected("freeze", said)
		}
		t = locked
	}
	plan, said := v.check(t)
	switch {
	case plan == nil:
		return m.expected("generate", said)
	case names(said, ruleStale) && len(t.generated(plan).differs(base)) == 0:
		return m.expected("check, and generate undoes it", said)
	}
	t = t.generated(plan)
	if m.build == nil {
		if _, said := v.check(t); len(said) > 0 {
			return m.expected("check", said)
		}
		return "", errors.New("toolgen passes it")
	}
	if said, err = v.compile(t, m.build); err != nil {
		return "", err
	}
	return m.expected("go build -tags release", said)
}

// expected wants the rule among what was said.
func (m mutation) expected(by string, said []string) (string, error) {
	if !names(said, m.rule) {
		return "", fmt.Errorf("%s refuses it, but not as %s:\n\t%s", by, m.rule, strings.Join(said, "\n\t"))
	}
	return by + ": " + m.rule, nil
}

// removeTool takes the entry of a tool out of the manifest and freezes that.
func (v *verifier) removeTool(t tree, tool string) (tree, error) {
	without, err := t.with([]edit{removeEntry(tool)})
	if err != nil {
		return nil, err
	}
	locked, said := v.freeze(without)
	if len(said) > 0 {
		return nil, fmt.Errorf("remove %s: %s", tool, said[0])
	}
	plan, said := v.check(locked)
	if plan == nil {
		return nil, fmt.Errorf("remove %s: %s", tool, said[0])
	}
	return locked.generated(plan), nil
}

// freeze is the tree with a lock that promises what its manifest says, or why there is none.
func (v *verifier) freeze(t tree) (tree, []string) {
	return v.freezeWith(t, nil)
}

// freezeWith is freeze with a log of tests.
func (v *verifier) freezeWith(t tree, log *spec.File) (tree, []string) {
	entry := scope.Entry{Who: "somebody", Why: "because", When: time.Unix(0, 0)}
	src := t.source(v.module)
	src.Results = log
	lock, diags, err := gen.Freeze(src, entry)
	if err != nil {
		return nil, []string{err.Error()}
	}
	if diags.HasErrors() {
		return nil, texts(diags)
	}
	out, err := t.with([]edit{replace(gen.LockFile, string(lock))})
	if err != nil {
		return nil, []string{err.Error()}
	}
	return out, nil
}

// check returns the diagnostics of "toolgen check" for a tree, and the plan that "toolgen generate" would write.
func (v *verifier) check(t tree) (*output.Plan, []string) {
	plan, diags := gen.Run(t.source(v.module))
	said := texts(diags)
	if plan != nil {
		for _, name := range t.generated(plan).differs(t) {
			said = append(said, fmt.Sprintf("%s is not what the manifest compiles to [%s]", name, ruleStale))
		}
	}
	return plan, said
}

// texts lists what "toolgen check" takes for errors.
func texts(diags diag.List) []string {
	var out []string
	for _, d := range diags {
		if d.Severity == diag.Error || d.Rule == model.RuleUntaggedTool {
			out = append(out, fmt.Sprintf("%s: %s [%s]", d.Pos, d.Message, d.Rule))
		}
	}
	return out
}

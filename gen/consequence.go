package gen

import (
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/breaking"
	"github.com/callsheet/callsheet/gen/diag"
)

// withoutConsequences drops what the lock says of a change that breaks clients and that has no
// allowance: the change is the root, and the lock is written once it is allowed. Diagnostics of the lock
// have as their cause what they are about.
func withoutConsequences(diags diag.List, changes []breaking.Change) diag.List {
	roots := map[string]bool{}
	for _, c := range changes {
		if c.Allowed != "" {
			continue
		}
		roots[c.Subject()] = true
		if c.Successor != "" {
			roots["tool: "+c.Successor] = true
		}
	}
	return slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return roots[d.Cause] })
}

// nameKey is a line that begins a tool with its name.
var nameKey = regexp.MustCompile(`^(\s*(?:- )?)name: [a-z0-9_]+\s*$`)

// renameFix writes the old name of a renamed tool under was, in the line after its name; nil where the
// entry is not written in lines.
func renameFix(src Source, at diag.Pos, c breaking.Change) *diag.Fix {
	line, ok := src.Line(at.File, at.Line)
	key := nameKey.FindStringSubmatch(line)
	if c.Successor == "" || !ok || key == nil {
		return nil
	}
	was := "was: [" + c.Tool + "]"
	next := diag.Pos{File: at.File, Line: at.Line + 1, Col: 1}
	return diag.FixBy("write "+was, diag.Insert(next, strings.Repeat(" ", len(key[1]))+was+"\n"))
}

package golang_test

import (
	_ "embed" // toolkit_bugs.txtar
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed testdata/toolkit_bugs.txtar
var toolkitArchive []byte

// toolkitBug is a bug in a file of package toolkit.
type toolkitBug struct{ file, kind, what, old, new string }

// toolkitBugs lists the bugs of toolkit_bugs.txtar: in the reading of each kind of value.
func toolkitBugs() (out []toolkitBug) {
	for _, f := range txtar.Parse(toolkitArchive).Files {
		head := strings.SplitN(f.Name, " | ", 3)
		before, after, _ := strings.Cut(string(f.Data), "\n=>\n")
		out = append(out, toolkitBug{head[0], head[1], head[2], before, strings.TrimSuffix(after, "\n")})
	}
	return out
}

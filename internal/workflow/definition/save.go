package definition

import (
	"path/filepath"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// IsOutputPath reports whether a path names a file below a directory. Absolute paths do not, and
// neither do those that lead out of it. Backslashes are refused, since they separate on some
// systems only.
func IsOutputPath(path string) bool {
	return filepath.IsLocal(path) && !strings.ContainsAny(path, "\\\x00") && filepath.Clean(path) != "." && !strings.HasSuffix(path, "/")
}

// saveTo reads the file that keeps the result of a step. A path without templates is checked before
// the run.
func (r *reader) saveTo(s *Step) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.StringLiteral {
			r.Wrong(key, n, "a path")
			return
		}
		v := r.readValue(n)
		if v.Template == nil {
			return // reported
		}
		if v.Template.IsLiteral() && !IsOutputPath(n.Text.Value) {
			r.Errorf(n.Pos, ruleStep, "saveTo is %q, which is no file below the output directory", n.Text.Value).Hint =
				"write a relative path such as reports/page.txt"
			return
		}
		s.SaveTo = v
	}
}

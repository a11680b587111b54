package model

import (
	"go/token"
	"strings"
	"unicode"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// goName is GoName with the initialisms of the manifest.
func (r *resolver) goName(name string) string { return GoName(name, r.set.Initialisms...) }

// initialisms resolves the words that Go names write as they stand there.
func (r vocabulary) initialisms(in []spec.Text) {
	for _, t := range r.unique(in) {
		if strings.ContainsFunc(t.Value, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) || !token.IsExported(t.Value) {
			r.errorf(t.Pos, paramspec.RuleBadName, "%q is no word of a name in Go", t.Value).Hint = "letters and digits, the first a capital letter: SQL"
			continue
		}
		r.set.Initialisms = append(r.set.Initialisms, t.Value)
	}
}

// GoName returns the exported Go name of a name of the manifest; see param.GoName.
func GoName(name string, more ...string) string { return param.GoName(name, more...) }

// Unexported returns an exported Go name as one that is not; see param.Unexported.
func Unexported(goName string) string { return param.Unexported(goName) }

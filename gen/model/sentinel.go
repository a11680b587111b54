package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Sentinel is a variable with an error that stands for a code. The generated registry refers to it, so that one which does not
// exist does not compile.
type Sentinel struct {
	Path, Name string // import path, and ErrNotFound
}

// sentinelName matches a package and an exported name in it.
var sentinelName = regexp.MustCompile(`^([a-z0-9][A-Za-z0-9._~/-]*)\.([A-Z][A-Za-z0-9_]*)$`)

// standard are the first elements of import paths of the standard library.
var standard = strings.Fields("archive bufio bytes compress container context crypto database debug embed encoding errors expvar flag fmt go hash html image " +
	"io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe")

// sentinels resolves the errors that stand for codes, of which each has one code.
func (r refusalResolver) sentinels(in []spec.Refusal) {
	first := map[Sentinel]diag.Pos{}
	for _, c := range in {
		i := slices.IndexFunc(r.set.Codes, func(item *Code) bool { return string(item.Code) == c.Code.Value })
		if i < 0 {
			if len(c.From) > 0 {
				r.errorf(c.From[0].Pos, ruleBadSentinel, "no error can stand for %q", c.Code.Value)
			}
			continue
		}
		item := r.set.Codes[i]
		for _, t := range r.unique(c.From) {
			m := sentinelName.FindStringSubmatch(t.Value)
			if m == nil {
				r.errorf(t.Pos, ruleBadSentinel, "%q is no package and exported variable", t.Value).Hint = "write internal/store.ErrNotFound, or io/fs.ErrNotExist"
				continue
			}
			s := Sentinel{r.importPath(m[1]), m[2]}
			if at, taken := first[s]; taken {
				r.errorf(t.Pos, ruleBadSentinel, "%q stands for another code", t.Value).Related = &diag.Related{Pos: at, Message: "first here"}
				continue
			}
			first[s] = t.Pos
			item.From = append(item.From, s)
		}
		r.advice(item, c)
	}
}

// advice resolves what the client does instead, where an error stands for the code.
func (r refusalResolver) advice(item *Code, c spec.Refusal) {
	r.notEmpty(c.Advice, "the advice")
	item.Advice = c.Advice.Value
	switch {
	case len(c.From) > 0 && !c.Advice.Set():
		r.errorf(c.From[0].Pos, ruleBadSentinel, "the code %s has no advice, and a client is told nothing else than its description", item.Code).Hint =
			"write advice: what a client does instead, in one sentence"
	case len(c.From) == 0 && c.Advice.Set():
		r.errorf(c.Advice.Pos, ruleBadSentinel, "nothing sends the advice of %s", item.Code).Hint = "write from: the error that stands for the code; a handler that calls toolkit.Refuse writes its own message"
	}
}

// importPath is the path of a package that the manifest names: of the standard library, by its whole path, or below the module.
func (r refusalResolver) importPath(name string) string {
	first, _, _ := strings.Cut(name, "/")
	if strings.Contains(first, ".") || slices.Contains(standard, first) {
		return name
	}
	return r.set.Module + "/" + name
}

// Message is the text that clients get where an error stands for the code.
func (c *Code) Message() string { return strings.TrimSpace(c.Description + " " + c.Advice) }

// String is the expression of the variable with the whole path.
func (s Sentinel) String() string { return strconv.Quote(s.Path) + "." + s.Name }

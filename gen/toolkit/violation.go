package toolkit

import (
	"fmt"
	"strings"
)

// Violation is one way in which arguments break their schema. Path is a JSON pointer to the
// offending place.
type Violation struct {
	Path    string `json:"path"`
	Problem string `json:"problem"`
	Hint    string `json:"hint,omitzero"`
}

// Violations are all of them, found in one pass, so that a caller can mend its call at once.
type Violations []Violation

// Error lists the violations on one line.
func (v Violations) Error() string {
	lines := make([]string, len(v))
	for i, x := range v {
		where := x.Path
		if where == "" {
			where = "arguments"
		}
		lines[i] = where + ": " + x.Problem
		if x.Hint != "" {
			lines[i] += " (" + x.Hint + ")"
		}
	}
	return strings.Join(lines, "; ")
}

// refusal is the envelope of the violations.
func (v Violations) refusal() *Refusal {
	r := Refuse(InvalidArguments, v.Error())
	r.Fields = []Field{{Name: "violations", Value: []Violation(v)}}
	return r
}

// quoted lists values for a hint: "a", "b" or "c".
func quoted(values []string) string {
	var b strings.Builder
	for i, v := range values {
		switch {
		case i == 0:
		case i == len(values)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", v)
	}
	return b.String()
}

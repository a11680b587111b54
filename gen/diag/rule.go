package diag

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Rule is one rule of a compiler stage. Input is the type of the data that the stage checks.
type Rule[Input any] struct {
	ID       string   // in brackets at the end of a diagnostic
	Severity Severity // of the rule's diagnostics
	Doc      string   // the paragraph that "toolgen explain" and RULES.md print

	// Check reports each place that breaks the rule. It is nil for a rule that its stage can only
	// check while it makes its own output, as a parser does: the stage reports such a rule by its
	// ID.
	Check func(in Input, report Report)
}

// Report adds a problem to the diagnostics of the rule under check; the caller may add a hint and a
// related place.
type Report func(at Pos, format string, args ...any) *Diagnostic

// Check holds the input against the rules, in their order.
func Check[Input any](rules []Rule[Input], in Input) List {
	var list List
	for _, r := range rules {
		if r.Check == nil {
			continue
		}
		r.Check(in, func(at Pos, format string, args ...any) *Diagnostic {
			list = append(list, Diagnostic{Pos: at, Severity: r.Severity, Rule: r.ID, Message: fmt.Sprintf(format, args...)})
			return &list[len(list)-1]
		})
	}
	return list
}

// Description is a rule without its check.
type Description struct {
	ID       string
	Severity Severity
	Doc      string
}

// Describe lists the rules of a stage without their checks.
func Describe[Input any](rules []Rule[Input]) []Description {
	return slicesx.List(rules, func(r Rule[Input]) Description { return Description{r.ID, r.Severity, r.Doc} })
}

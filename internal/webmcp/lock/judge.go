package lock

import (
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/compat"
	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

// Verdict is the comparison of a page's tool with the lock.
type Verdict string

// The verdicts, from the harmless one.
const (
	Unchanged  Verdict = "unchanged"  // callers notice no difference from what was allowed
	Compatible Verdict = "compatible" // calls by the allowed contract still work; Offer keeps that contract
	FirstSeen  Verdict = "first_seen" // no person has allowed the tool for this origin
	Breaking   Verdict = "breaking"   // a call that follows the allowed contract could fail or do something else
	Invalid    Verdict = "invalid"    // the tool cannot be judged; Err says why
)

// order is the verdicts in the order of Worst.
func order() []Verdict { return []Verdict{Unchanged, Compatible, FirstSeen, Breaking, Invalid} }

// Callable reports whether a tool of the verdict may be called without asking a person about the tool.
func (v Verdict) Callable() bool { return v == Unchanged || v == Compatible }

// Judgement is the verdict about one tool.
type Judgement struct {
	Origin  string
	Verdict Verdict
	Present Tool   // as the page offers it
	Locked  *Entry // as it was allowed; nil where no person has allowed it
	// Findings are the changes, worst first. Their texts hold page content.
	Findings []compat.Finding
	Err      error // an *InvalidError or *OriginError where the verdict is Invalid
}

// Offer is the tool that callers are shown and arguments are validated against: the allowed one where a
// person has allowed one, so that words which came later reach no model.
func (j Judgement) Offer() Tool {
	if j.Locked != nil {
		return j.Locked.Tool
	}
	return j.Present
}

// Judge compares tools of documents of an origin with what was allowed for the origin, one judgement for each
// tool in their order. Tools that are allowed and absent are no change: a document offers what it needs.
func (l *Lock) Judge(origin string, tools []Tool) []Judgement {
	out := make([]Judgement, len(tools))
	originErr := CheckOrigin(origin)
	for i, t := range tools {
		out[i] = Judgement{Origin: origin, Present: t, Verdict: FirstSeen}
		j := &out[i]
		if j.Err = originErr; j.Err == nil {
			j.Err = t.Check()
		}
		if j.Err != nil {
			j.Verdict = Invalid
			continue
		}
		entry, ok := l.Entry(origin, t.Name)
		if !ok {
			continue
		}
		j.Locked = &entry
		j.Findings = compare(entry.Tool, t)
		j.Verdict = verdict(j.Findings)
	}
	return out
}

// Worst returns the verdict of the least harmless judgement; Unchanged without one.
func Worst(list []Judgement) Verdict {
	worst := 0
	for _, j := range list {
		worst = max(worst, slices.Index(order(), j.Verdict))
	}
	return order()[worst]
}

// verdict weighs findings: what the rules warn of breaks a lock, because no person has looked at it.
func verdict(findings []compat.Finding) Verdict {
	switch {
	case len(findings) == 0:
		return Unchanged
	case compat.Fails(findings, string(diag.Warning)):
		return Breaking
	}
	return Compatible
}

// compare lists the changes of a tool by the rules about lists and those of this package, worst first.
func compare(was, now Tool) []compat.Finding {
	if was.equal(now) {
		return nil
	}
	findings := compat.Compare(server(was), server(now))
	for _, r := range Rules() {
		if message := r.Check(was, now); message != "" {
			findings = append(findings, compat.Finding{Rule: r.ID, Severity: r.Severity, Kind: "tool", Name: now.Name, Message: message})
		}
	}
	return compat.Sorted(findings)
}

// hints are annotations in the words of MCP. What the page calls consequential is destructive there, and
// content of third parties is an open world.
type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// server is a list of one tool.
func server(t Tool) *offered.Server {
	raw, err := json.Marshal(struct {
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
		Annotations  hints           `json:"annotations"`
	}{t.Name, t.Description, t.InputSchema, t.OutputSchema, hints{t.Annotations.ReadOnly, t.Annotations.Consequential, t.Annotations.UntrustedContent}})
	if err != nil { // Check has seen the schemas
		raw = json.RawMessage("{}")
	}
	return &offered.Server{Tools: []offered.Item{{Name: t.Name, Raw: raw}}}
}

// Rule is a row of the table of this package. Check returns what is wrong; "" is nothing.
type Rule struct {
	diag.Description
	Check func(was, now Tool) string
}

// Rules is the table of changes that only tools of pages can have.
func Rules() []Rule {
	return []Rule{
		{diag.Description{ID: "FORM_NO_UNATTENDED", Severity: diag.Error, Doc: "A call of a form waited for a person who submits it, and now runs without one: the form submits itself, or a function " +
			"has taken its place. Who allowed the tool relied on the person."}, checkUnattended},
		{diag.Description{ID: "FORM_CHANGED", Severity: diag.Info, Doc: "A function has become a form, or a form no longer submits itself: a person takes part in a call now."}, checkAttended},
		{diag.Description{ID: "TOOL_FOR_DEBUGGING", Severity: diag.Info, Doc: "A tool says that it is for developers now, or no longer says so."}, checkDebugging},
	}
}

// isAttended reports whether a call waits for a person who submits the form.
func (t Tool) isAttended() bool { return t.Declarative && !t.Annotations.Autosubmit }

func checkUnattended(was, now Tool) string {
	switch {
	case !was.isAttended() || now.isAttended():
		return ""
	case now.Declarative:
		return "a person submitted the form, and now a call submits it"
	}
	return "it was a form that a person submits, and is a function that runs at once"
}

func checkAttended(was, now Tool) string {
	switch {
	case was.isAttended() == now.isAttended() && was.Declarative == now.Declarative, was.isAttended() && !now.isAttended():
		return ""
	case now.isAttended():
		return "a person submits the form now"
	}
	return "it was a function and is a form that a call submits, or the other way round"
}

func checkDebugging(was, now Tool) string {
	switch {
	case was.Annotations.Debugging == now.Annotations.Debugging:
		return ""
	case now.Annotations.Debugging:
		return "it says that it is for developers"
	}
	return "it no longer says that it is for developers"
}

// Finding is one change of a tool.
type Finding = compat.Finding

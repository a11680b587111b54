package lock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit/textdiff"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Bounds of a rendered diff.
const (
	maxFindings  = 20
	maxFinding   = 300 // characters of one text of a finding
	maxDiffLines = 60
	maxDiffWidth = 160
)

// Diff renders a judgement for a person: each change with its rule, then what was and what is. It ends with a
// line break. Its texts are page content, on lines of their own and with invisible characters escaped; whoever
// shows it to a model marks it so.
func (j Judgement) Diff() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n", fence.Line(clip(j.Origin)), fence.Line(clip(j.Present.Name)), j.Verdict.sentence())
	if j.Err != nil {
		fmt.Fprintf(&b, "  %s\n", fence.Line(j.Err.Error()))
		return b.String()
	}
	for _, line := range j.Lines() {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	was := ""
	if j.Locked != nil {
		was = listing(j.Locked.Tool)
	}
	for line := range strings.SplitSeq(textdiff.Excerpt(was, listing(j.Present), maxDiffLines, maxDiffWidth), "\n") {
		if line != "" {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	return b.String()
}

// Lines renders the findings of a judgement, worst first: severity, what has changed, and the rule. They are
// page content.
func (j Judgement) Lines() []string {
	var out []string
	for i, f := range j.Findings {
		if i == maxFindings {
			return append(out, fmt.Sprintf("… and %d more changes", len(j.Findings)-i))
		}
		message := f.Message
		if f.Path != "" {
			message = f.Path + ": " + message
		}
		sides := ""
		if f.Was != "" || f.Now != "" {
			sides = fmt.Sprintf("; it was %q and is %q", clip(f.Was), clip(f.Now))
		}
		out = append(out, fmt.Sprintf("%-8s%s%s [%s]", f.Severity, fence.Line(clip(message)), fence.Line(sides), f.Rule))
	}
	return out
}

// sentence says what a verdict means.
func (v Verdict) sentence() string {
	switch v {
	case Unchanged:
		return "unchanged"
	case Compatible:
		return "changed in a way that no caller notices"
	case FirstSeen:
		return "not allowed yet"
	case Breaking:
		return "changed in a way that breaks callers"
	}
	return "cannot be judged"
}

func clip(s string) string { return text.ClipRunes(s, maxFinding) }

// listing is a tool as lines that a person compares. Each text is on one line, as JSON.
func listing(t Tool) string {
	var b strings.Builder
	kind := "function"
	switch {
	case t.isAttended():
		kind = "form that a person submits"
	case t.Declarative:
		kind = "form that a call submits"
	}
	description, err := json.Marshal(t.Description)
	if err != nil { // texts always marshal
		description = nil
	}
	fmt.Fprintf(&b, "description: %s\nkind: %s\n", escapeHidden(description), kind)
	for _, row := range []struct {
		name string
		set  bool
	}{
		{"read-only", t.Annotations.ReadOnly}, {"consequential", t.Annotations.Consequential},
		{"untrusted content", t.Annotations.UntrustedContent}, {"for developers", t.Annotations.Debugging},
	} {
		if row.set {
			fmt.Fprintf(&b, "says that it is: %s\n", row.name)
		}
	}
	for _, row := range []struct {
		name   string
		schema json.RawMessage
	}{{"input", t.InputSchema}, {"output", t.OutputSchema}} {
		if len(row.schema) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", row.name, indented(row.schema))
		}
	}
	return b.String()
}

// indented is a schema on several lines, without invisible characters. Line breaks of its texts are escaped
// in JSON.
func indented(schema json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, schema, "", "  ") != nil {
		return fence.Line(string(schema))
	}
	return string(escapeHidden(b.Bytes()))
}

package promote

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/deferral"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/scope"
	"github.com/callsheet/callsheet/gen/spec"
)

func checkModelExists(in *Input, report diag.Report) {
	if !in.found {
		report(in.tool.Pos, "%q has no threat model", in.tool.Name).Hint = "write " + Path(in.facts.Dir, in.tool.Name)
	}
}

func checkForm(in *Input, report diag.Report) {
	for _, d := range in.unread {
		report(d.Pos, "%s", d.Message).Hint = d.Hint
	}
	m := in.model
	if m == nil {
		return
	}
	for _, f := range []struct {
		key  string
		text spec.Text
	}{{"tool", m.Tool}, {"date", m.Date}, {"author", m.Author}, {"reviewer", m.Reviewer}, {"reviewed_schema_sha256", m.Hash}} {
		if f.text.Set() && strings.TrimSpace(f.text.Value) == "" {
			report(f.text.Pos, "%s is empty", f.key).Hint = "fill it in"
		}
	}
	if m.Tool.Set() && m.Tool.Value != in.tool.Name {
		report(m.Tool.Pos, "the threat model is about %q, and its file is that of %q", m.Tool.Value, in.tool.Name).Hint = "write tool: " + in.tool.Name
	}
	if _, err := time.Parse(time.DateOnly, m.Date.Value); m.Date.Value != "" && err != nil {
		report(m.Date.Pos, "%q is no date such as 2026-01-31", m.Date.Value)
	}
}

func checkReviewer(in *Input, report diag.Report) {
	if m := in.model; m != nil && m.Reviewer.Set() && person(m.Reviewer.Value) == person(m.Author.Value) {
		report(m.Reviewer.Pos, "%s has reviewed their own threat model of %q", m.Reviewer.Value, in.tool.Name).Hint =
			"let somebody else read it, and write their name"
	}
}

func person(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func checkHash(in *Input, report diag.Report) {
	if m := in.model; m != nil && m.Hash.Set() && m.Hash.Value != scope.Hash(in.tool) {
		d := report(m.Hash.Pos, "%q is now %s, and %s was reviewed", in.tool.Name, scope.Hash(in.tool), m.Hash.Value)
		d.Hint = "review it again, then write the new hash"
		d.Related = &diag.Related{Pos: in.tool.Pos, Message: "the tool as it is now"}
	}
}

func checkVerdicts(in *Input, report diag.Report) {
	m := in.model
	if m == nil {
		return
	}
	for _, surface := range in.facts.Surfaces {
		i := slices.IndexFunc(m.Verdicts, func(v spec.Verdict) bool { return v.Surface.Value == surface })
		if i < 0 {
			report(m.Pos, "the threat model of %q has no verdict on %s", in.tool.Name, surface).Hint =
				fmt.Sprintf("write %s: {applies: …, why: …} under surfaces", surface)
			continue
		}
		v := m.Verdicts[i]
		declared := slices.Contains(in.tool.Surfaces, surface)
		switch {
		case v.Why.Set() && deferral.Placeholder(v.Why.Value):
			report(v.Why.Pos, "the verdict on %s has no reason that says anything: %q", surface, v.Why.Value).Hint = "say why"
		case v.Applies.Set() && v.Applies.Value != declared:
			d := report(v.Applies.Pos, "the verdict on %s is %v, and the manifest says %v", surface, v.Applies.Value, declared)
			d.Hint = "correct the one that is wrong"
			d.Related = &diag.Related{Pos: in.tool.Pos, Message: "the tool's surfaces are declared here"}
		}
	}
	for _, v := range m.Verdicts {
		if !slices.Contains(in.facts.Surfaces, v.Surface.Value) {
			report(v.Surface.Pos, "there is no policy surface %q", v.Surface.Value).Hint = diag.DidYouMean(v.Surface.Value, in.facts.Surfaces)
		}
	}
}

// The sections of a threat model's text.
const (
	sectionRisks    = "What can go wrong"
	sectionMeasures = "What stops it"
	sectionRest     = "What remains"
)

// checkText reports a section that is missing or says nothing, and a surface that applies and that
// the risks do not name.
func checkText(in *Input, report diag.Report) {
	m := in.model
	if m == nil {
		return
	}
	for _, title := range []string{sectionRisks, sectionMeasures, sectionRest} {
		i := slices.IndexFunc(m.Sections, func(s spec.Section) bool { return s.Title.Value == title })
		if i < 0 {
			report(m.Pos, "the threat model of %q has no section %q", in.tool.Name, "## "+title).Hint = "add it"
			continue
		}
		section := m.Sections[i]
		if deferral.Placeholder(section.Text) {
			report(section.Title.Pos, "the section %q says nothing", title).Hint = "answer it"
			continue
		}
		for _, surface := range in.tool.Surfaces {
			if title == sectionRisks && !strings.Contains(strings.ToLower(section.Text), surface) {
				report(section.Title.Pos, "the section %q does not name the policy surface %s, which applies", title, surface).Hint = "say what can go wrong there"
			}
		}
	}
}

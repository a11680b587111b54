package lint

import (
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// The checks below hold prompts and resources against the rules about descriptions.

func checkEntriesDescribed(in Input, report diag.Report) {
	for _, x := range in.Set.Entries() {
		if e := model.EntryOf(x); strings.TrimSpace(e.Description) == "" {
			report(e.Pos, "%s %q has no description", x.Kind(), e.Name)
		}
	}
}

func checkEntryLength(in Input, report diag.Report) {
	for _, x := range in.Set.Entries() {
		e := model.EntryOf(x)
		if n := len(e.Description); n > maxDescription {
			report(e.Pos, "the description of %q has %d bytes; %d are allowed", e.Name, n, maxDescription)
		}
		for _, a := range model.ArgumentsOf(x) {
			if n := len(a.Description); n > maxDescription {
				report(a.Pos, "the description of %q of %q has %d bytes; %d are allowed", a.Name, e.Name, n, maxDescription)
			}
		}
	}
}

// checkEntryRepeats looks for names and titles as headings: the description of a prompt "review" may well
// begin with "Review".
func checkEntryRepeats(in Input, report diag.Report) {
	for _, x := range in.Set.Entries() {
		e := model.EntryOf(x)
		if strings.HasPrefix(e.Description, e.Name+":") || strings.HasPrefix(e.Description, e.Title+":") {
			report(e.Pos, "the description of %q repeats the name", e.Name)
		}
	}
}

package run

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/record/contract"
)

// Kinds of drift besides those of package replay and page.Drift.
const (
	DriftRenamed  = "renamed"  // an element is recognised by its test id and has another name
	DriftLeads    = "leads"    // a link or a form leads to another address than it did
	DriftOrigin   = "origin"   // a link, a form or the page itself leads to an origin outside of the site
	DriftRequired = "required" // a form asks for a field that no step fills
	DriftDialog   = "dialog"   // the page asks something that it did not ask
	DriftFact     = "fact"     // a fact that the tool sets or clears is not observed
	DriftOutput   = "output"   // a value of the output is not on the page
	DriftContract = "verdict"  // the postcondition does not hold
)

// Drift says where a tool of a site no longer fits the site.
type Drift struct {
	Tool string `json:"tool"`
	// Step is the number of the step, from 1; 0 for the start, and one more than the last for what
	// is looked at afterwards.
	Step     int    `json:"step"`
	Pos      string `json:"pos,omitempty"`
	Action   string `json:"action,omitempty"` // the generic tool of the step
	Kind     string `json:"kind"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Reason   string `json:"reason,omitempty"`
	// Near are the most similar elements. None of them was acted on.
	Near []string `json:"near,omitempty"`
	// Acted reports that the step's call was made before the drift was seen.
	Acted bool `json:"acted,omitempty"`
	// Repair is a change of the tool's file that would mend it; nil where none can be proposed.
	Repair *Repair `json:"repair,omitempty"`
}

// Code is the code of a call that the drift refuses.
func (*Drift) Code() codes.Code { return codes.SiteDrift }

// String returns the drift in one or two lines.
func (d *Drift) String() string {
	place := d.Tool
	switch {
	case d.Pos != "":
		place += fmt.Sprintf(", step %d (%s, %s)", d.Step, d.Action, d.Pos)
	case d.Action != "":
		place += fmt.Sprintf(", step %d (%s)", d.Step, d.Action)
	}
	text := fmt.Sprintf("%s: %s: expected %s, found %s", place, d.Kind, d.Expected, d.Found)
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	if len(d.Near) > 0 {
		text += "; near are " + strings.Join(d.Near, ", ")
	}
	if d.Repair != nil {
		text += "\nproposed repair, not applied: " + d.Repair.String()
	}
	return text
}

// Repair is a proposed change of a tool's file. A person or an agent accepts it.
type Repair struct {
	Tool    string   `json:"tool"`
	File    string   `json:"file,omitempty"`
	Pos     string   `json:"pos,omitempty"` // of the step that the changes are about, which may stand elsewhere in its list
	Why     string   `json:"why"`
	Changes []Change `json:"changes"`
}

// Change is one change of a tool's file.
type Change struct {
	Op string `json:"op"` // replace, add (into a list: before the index) or remove
	// Path is the JSON pointer of a value in the tool's file, such as /steps/2/targets/~1ref/name.
	Path string `json:"path"`
	Old  any    `json:"old,omitempty"`
	New  any    `json:"new,omitempty"`
}

// String returns the changes in one line.
func (r *Repair) String() string {
	parts := make([]string, len(r.Changes))
	for i, c := range r.Changes {
		parts[i] = c.Op + " " + c.Path
		if c.Old != nil {
			parts[i] += " " + compact(c.Old)
		}
		if c.New != nil {
			parts[i] += " → " + compact(c.New)
		}
	}
	return strings.Join(parts, "; ") + " (" + r.Why + ")"
}

func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// NotVisibleError is the refusal of a tool whose condition does not hold on the page.
type NotVisibleError struct {
	Tool  string
	Needs string // the condition in words
	Facts Facts  // as observed
	// Path are the tools that lead to a state in which the tool is visible, the nearest first; nil
	// when none is known.
	Path []string
	// Missing are arguments that the tools of Path need, by tool: without them, no path is taken.
	Missing map[string][]string
}

func (e *NotVisibleError) Error() string {
	text := e.Tool + " needs " + e.Needs
	if len(e.Path) > 0 {
		text += "; call " + strings.Join(e.Path, ", then ") + " first"
	}
	return text
}

// Result is the outcome of a run.
type Result struct {
	// Output is the object of the extracted values; nil for a tool without.
	Output json.RawMessage
	// Facts are those observed after the run.
	Facts Facts
	// Via are the tools that were run before, on the way that the caller allowed.
	Via []string
	// Verdict is the judgement of the postcondition; nil without one.
	Verdict *contract.Report
	// Drift ended the run; nil where the tool succeeded.
	Drift *Drift
	// Evidence are artifacts: the picture and the verdict.
	Evidence []Evidence
	// Skipped are the numbers of optional steps that were left out.
	Skipped []int
}

// Evidence is one artifact of a run.
type Evidence struct {
	Name string `json:"name"`
	URI  string `json:"uri"`
	MIME string `json:"mime"`
	Size int64  `json:"size"`
}

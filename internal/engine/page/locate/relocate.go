package locate

import (
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// candidate is an element that one mark of an identity fits.
type candidate struct {
	Ref    string   `json:"ref"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Frame  string   `json:"frame"`
	Label  string   `json:"label"`
	Labels []string `json:"labels"` // from near to far
}

// candidates lists the elements of all documents that fit an identity, by mark.
type candidates struct {
	ByName    []candidate `json:"byName"`
	ByTestID  []candidate `json:"byTestId"`
	ByText    []candidate `json:"byText"`
	OtherRole []candidate `json:"otherRole"` // the same name under another role
	Similar   []candidate `json:"similar"`
}

func (s *candidates) add(o candidates) {
	s.ByName, s.ByTestID = append(s.ByName, o.ByName...), append(s.ByTestID, o.ByTestID...)
	s.ByText, s.OtherRole = append(s.ByText, o.ByText...), append(s.OtherRole, o.OtherRole...)
	s.Similar = append(s.Similar, o.Similar...)
}

// filterFrame keeps candidates in frames with the same path. If there are none, it keeps those in
// any frame, because frame addresses change more often than their content. An element of a frame is
// never relocated to the top document.
func (s *candidates) filterFrame(path string) {
	for _, list := range []*[]candidate{&s.ByName, &s.ByTestID, &s.ByText, &s.OtherRole} {
		same := slices.DeleteFunc(slices.Clone(*list), func(o candidate) bool { return o.Frame != path })
		if len(same) == 0 && path != "" {
			same = slices.DeleteFunc(*list, func(o candidate) bool { return o.Frame == "" })
		}
		*list = same
	}
}

// relocator decides which candidate is the identity's element.
type relocator struct {
	id       Identity
	attempts []string
}

// decide takes the first mark that fits a candidate, and fails if it fits several: a later mark
// would pick one for another reason than the recorded one.
func (j *relocator) decide(s candidates) (Relocation, error) {
	if j.id.Name != "" || len(s.ByName) > 0 {
		if len(s.ByName) > 0 {
			return j.decideByName(s)
		}
		j.try("role and name: no %s is called %q", j.id.Role, j.id.Name)
	}
	if j.id.TestID != "" {
		differs := func(o candidate) bool { return o.Role != j.id.Role || j.id.Kind != "" && o.Kind != j.id.Kind }
		same := slices.DeleteFunc(slices.Clone(s.ByTestID), differs)
		if len(same) == 1 && len(s.ByTestID) == 1 {
			return relocation(same[0], ByTestID), nil
		}
		total := len(s.ByTestID)
		j.try("test id %q: %d elements, %d of them of role %s", j.id.TestID, total, len(same), j.id.Role)
		if len(same) > 0 {
			return j.fail(DriftAmbiguous, s.ByTestID, fmt.Sprintf("%d elements have the test id %q", total, j.id.TestID))
		}
	}
	if j.id.Name == "" && j.id.Text != "" {
		same := slices.DeleteFunc(slices.Clone(s.ByText), func(o candidate) bool { return o.Role != j.id.Role })
		if len(same) == 0 {
			same = s.ByText
		}
		if len(same) == 1 {
			return relocation(same[0], ByText), nil
		}
		j.try("text %q: %d elements", j.id.Text, len(s.ByText))
		if len(same) > 1 {
			return j.fail(DriftAmbiguous, same, fmt.Sprintf("%d elements read %q", len(same), j.id.Text))
		}
	}
	return j.notFound(s)
}

// notFound explains why no candidate fits.
func (j *relocator) notFound(s candidates) (Relocation, error) {
	switch {
	case len(s.ByTestID) > 0:
		o := s.ByTestID[0]
		reason := fmt.Sprintf("the element with test id %q is a %s %q now", j.id.TestID, o.Role, o.Name)
		return j.fail(DriftRole, s.ByTestID, reason)
	case len(s.OtherRole) > 0:
		reason := fmt.Sprintf("what is called %q is a %s now", j.id.Name, s.OtherRole[0].Role)
		return j.fail(DriftRole, s.OtherRole, reason)
	case j.id.Name == "" && j.id.TestID == "" && j.id.Text == "":
		reason := "it had neither a name nor a test id nor a text, and it is not the only one of its kind"
		return j.fail(DriftNameless, s.Similar, reason)
	case j.id.Name == "" && j.id.Text != "":
		return j.fail(DriftGone, s.Similar, fmt.Sprintf("nothing reads %q", j.id.Text))
	}
	return j.fail(DriftGone, s.Similar, fmt.Sprintf("no %s is called %q", j.id.Role, j.id.Name))
}

// decideByName decides between candidates of the same role and name. An element with a recorded
// label must still have it, also when it is the only one left: it may belong to another row.
func (j *relocator) decideByName(s candidates) (Relocation, error) {
	by := ByName
	switch {
	case j.id.Name != "":
	case j.id.Text != "":
		by = ByText
	default:
		by = ByRole
	}
	fit := s.ByName
	if j.id.Label != "" {
		fit = slices.DeleteFunc(slices.Clone(fit), func(o candidate) bool {
			return o.Label != j.id.Label && (len(s.ByName) > 1 || !slices.Contains(o.Labels, j.id.Label))
		})
		if len(fit) == 0 {
			j.try("role and name: %d, none beside %q", len(s.ByName), j.id.Label)
			reason := fmt.Sprintf("of %d elements called so none is beside %q", len(s.ByName), j.id.Label)
			return j.fail(DriftLabel, s.ByName, reason)
		}
	}
	switch {
	case j.id.AlikeCount > 1 && len(fit) == j.id.AlikeCount:
		return relocation(fit[j.id.Ordinal-1], by), nil
	case j.id.AlikeCount > 1:
		j.try("role and name: %d", len(fit))
		reason := fmt.Sprintf("it was number %d of %d alike, and there are %d now", j.id.Ordinal, j.id.AlikeCount, len(fit))
		return j.fail(DriftCount, fit, reason)
	case len(fit) == 1:
		return relocation(fit[0], by), nil
	}
	j.try("role and name: %d", len(fit))
	return j.fail(DriftAmbiguous, fit, fmt.Sprintf("%d elements fit where there was one", len(fit)))
}

// try records an attempt for the error.
func (j *relocator) try(format string, values ...any) {
	j.attempts = append(j.attempts, fmt.Sprintf(format, values...))
}

func relocation(o candidate, by LocatorStrategy) Relocation {
	return Relocation{Ref: o.Ref, Strategy: by, Role: o.Role, Name: o.Name}
}

// fail builds the error; it lists at most five similar elements.
func (j *relocator) fail(how Drift, near []candidate, reason string) (Relocation, error) {
	e := &NotRelocatedError{Identity: j.id, Drift: how, Reason: reason, Attempts: j.attempts}
	for _, o := range near[:min(len(near), 5)] {
		e.Similar = append(e.Similar, document.Element{Ref: o.Ref, Role: o.Role, Name: o.Name})
	}
	return Relocation{}, e
}

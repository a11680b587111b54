package page

import (
	"fmt"
	"slices"
)

// candidate is an element that some mark of an identity fits.
type candidate struct {
	Ref    string   `json:"ref"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Frame  string   `json:"frame"`
	Label  string   `json:"label"`
	Labels []string `json:"labels"` // from near to far
}

// candidates is who fits which mark, in all documents of a page.
type candidates struct {
	ByName    []candidate `json:"byName"`
	ByTestID  []candidate `json:"byTestId"`
	ByText    []candidate `json:"byText"`
	OtherRole []candidate `json:"otherRole"` // the same name under another role
	Similar   []candidate `json:"similar"`
}

func (s *candidates) add(o candidates) {
	s.ByName, s.ByTestID = append(s.ByName, o.ByName...), append(s.ByTestID, o.ByTestID...)
	s.ByText, s.OtherRole, s.Similar = append(s.ByText, o.ByText...), append(s.OtherRole, o.OtherRole...), append(s.Similar, o.Similar...)
}

// filterFrame leaves those in frames of the same path; where no such frame has any of them, those in any frame, for
// addresses of frames change more easily than what is in them. The top document is never taken for a frame.
func (s *candidates) filterFrame(path string) {
	for _, list := range []*[]candidate{&s.ByName, &s.ByTestID, &s.ByText, &s.OtherRole} {
		same := slices.DeleteFunc(slices.Clone(*list), func(o candidate) bool { return o.Frame != path })
		if len(same) == 0 && path != "" {
			same = slices.DeleteFunc(*list, func(o candidate) bool { return o.Frame == "" })
		}
		*list = same
	}
}

// relocator is the decision about one identity.
type relocator struct {
	id       Identity
	attempts []string
}

// decide takes the first mark that fits somebody, and refuses if it fits several: a later mark would only pick one of
// them for another reason than the one it was recorded for.
func (j *relocator) decide(s candidates) (Relocation, error) {
	if j.id.Name != "" || len(s.ByName) > 0 {
		if len(s.ByName) > 0 {
			return j.decideByName(s)
		}
		j.attempts = append(j.attempts, fmt.Sprintf("role and name: no %s is called %q", j.id.Role, j.id.Name))
	}
	if j.id.TestID != "" {
		same := slices.DeleteFunc(slices.Clone(s.ByTestID), func(o candidate) bool { return o.Role != j.id.Role || o.Kind != j.id.Kind })
		if len(same) == 1 && len(s.ByTestID) == 1 {
			return relocation(same[0], ByTestID), nil
		}
		j.attempts = append(j.attempts, fmt.Sprintf("test id %q: %d elements, %d of them of role %s", j.id.TestID, len(s.ByTestID), len(same), j.id.Role))
		if len(same) > 0 {
			return j.fail(DriftAmbiguous, s.ByTestID, fmt.Sprintf("%d elements have the test id %q", len(s.ByTestID), j.id.TestID))
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
		j.attempts = append(j.attempts, fmt.Sprintf("text %q: %d elements", j.id.Text, len(s.ByText)))
		if len(same) > 1 {
			return j.fail(DriftAmbiguous, same, fmt.Sprintf("%d elements read %q", len(same), j.id.Text))
		}
	}
	return j.notFound(s)
}

// notFound says what became of an element that nothing fits.
func (j *relocator) notFound(s candidates) (Relocation, error) {
	switch {
	case len(s.ByTestID) > 0:
		return j.fail(DriftRole, s.ByTestID, fmt.Sprintf("the element with test id %q is a %s %q now", j.id.TestID, s.ByTestID[0].Role, s.ByTestID[0].Name))
	case len(s.OtherRole) > 0:
		return j.fail(DriftRole, s.OtherRole, fmt.Sprintf("what is called %q is a %s now", j.id.Name, s.OtherRole[0].Role))
	case j.id.Name == "" && j.id.TestID == "" && j.id.Text == "":
		return j.fail(DriftNameless, s.Similar, "it had neither a name nor a test id nor a text, and it is not the only one of its kind")
	case j.id.Name == "" && j.id.Text != "":
		return j.fail(DriftGone, s.Similar, fmt.Sprintf("nothing reads %q", j.id.Text))
	}
	return j.fail(DriftGone, s.Similar, fmt.Sprintf("no %s is called %q", j.id.Role, j.id.Name))
}

// decideByName decides between those of the same role and name. Whoever was recorded beside something must stand beside it
// still, also when there is only one left: it may be another row's.
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
			j.attempts = append(j.attempts, fmt.Sprintf("role and name: %d, none beside %q", len(s.ByName), j.id.Label))
			return j.fail(DriftLabel, s.ByName, fmt.Sprintf("of %d elements called so none is beside %q", len(s.ByName), j.id.Label))
		}
	}
	switch {
	case j.id.AlikeCount > 1 && len(fit) == j.id.AlikeCount:
		return relocation(fit[j.id.Ordinal-1], by), nil
	case j.id.AlikeCount > 1:
		j.attempts = append(j.attempts, fmt.Sprintf("role and name: %d", len(fit)))
		return j.fail(DriftCount, fit, fmt.Sprintf("it was number %d of %d alike, and there are %d now", j.id.Ordinal, j.id.AlikeCount, len(fit)))
	case len(fit) == 1:
		return relocation(fit[0], by), nil
	}
	j.attempts = append(j.attempts, fmt.Sprintf("role and name: %d", len(fit)))
	return j.fail(DriftAmbiguous, fit, fmt.Sprintf("%d elements fit where there was one", len(fit)))
}

func relocation(o candidate, by LocatorStrategy) Relocation {
	return Relocation{Ref: o.Ref, Strategy: by, Role: o.Role, Name: o.Name}
}

// no is the refusal; at most five near ones are told.
func (j *relocator) fail(how Drift, near []candidate, reason string) (Relocation, error) {
	e := &NotRelocatedError{Identity: j.id, Drift: how, Reason: reason, Attempts: j.attempts}
	for _, o := range near[:min(len(near), 5)] {
		e.Similar = append(e.Similar, Element{Ref: o.Ref, Role: o.Role, Name: o.Name})
	}
	return Relocation{}, e
}

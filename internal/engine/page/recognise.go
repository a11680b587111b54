package page

import (
	"fmt"
	"slices"
)

// seen is an element that some mark of an identity fits.
type seen struct {
	Ref    string   `json:"ref"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Frame  string   `json:"frame"`
	Label  string   `json:"label"`
	Labels []string `json:"labels"` // from near to far
}

// sighting is who fits which mark, in all documents of a page.
type sighting struct {
	Named  []seen `json:"named"`
	Marked []seen `json:"marked"`
	Texted []seen `json:"texted"`
	Called []seen `json:"called"` // the same name under another role
	Near   []seen `json:"near"`
}

func (s *sighting) join(o sighting) {
	s.Named, s.Marked = append(s.Named, o.Named...), append(s.Marked, o.Marked...)
	s.Texted, s.Called, s.Near = append(s.Texted, o.Texted...), append(s.Called, o.Called...), append(s.Near, o.Near...)
}

// keepFrame leaves those in frames of the same path; where no such frame has any of them, those in any frame, for
// addresses of frames change more easily than what is in them. The top document is never taken for a frame.
func (s *sighting) keepFrame(path string) {
	for _, list := range []*[]seen{&s.Named, &s.Marked, &s.Texted, &s.Called} {
		same := slices.DeleteFunc(slices.Clone(*list), func(o seen) bool { return o.Frame != path })
		if len(same) == 0 && path != "" {
			same = slices.DeleteFunc(*list, func(o seen) bool { return o.Frame == "" })
		}
		*list = same
	}
}

// judgement is the decision about one identity.
type judgement struct {
	id    Identity
	tried []string
}

// decide takes the first mark that fits somebody, and refuses if it fits several: a later mark would only pick one of
// them for another reason than the one it was recorded for.
func (j *judgement) decide(s sighting) (Recognition, error) {
	if j.id.Name != "" || len(s.Named) > 0 {
		if len(s.Named) > 0 {
			return j.among(s)
		}
		j.tried = append(j.tried, fmt.Sprintf("role and name: no %s is called %q", j.id.Role, j.id.Name))
	}
	if j.id.TestID != "" {
		same := slices.DeleteFunc(slices.Clone(s.Marked), func(o seen) bool { return o.Role != j.id.Role || o.Kind != j.id.Kind })
		if len(same) == 1 && len(s.Marked) == 1 {
			return taken(same[0], ByTestID), nil
		}
		j.tried = append(j.tried, fmt.Sprintf("test id %q: %d elements, %d of them of role %s", j.id.TestID, len(s.Marked), len(same), j.id.Role))
		if len(same) > 0 {
			return j.no(Ambiguous, s.Marked, fmt.Sprintf("%d elements have the test id %q", len(s.Marked), j.id.TestID))
		}
	}
	if j.id.Name == "" && j.id.Text != "" {
		same := slices.DeleteFunc(slices.Clone(s.Texted), func(o seen) bool { return o.Role != j.id.Role })
		if len(same) == 0 {
			same = s.Texted
		}
		if len(same) == 1 {
			return taken(same[0], ByText), nil
		}
		j.tried = append(j.tried, fmt.Sprintf("text %q: %d elements", j.id.Text, len(s.Texted)))
		if len(same) > 1 {
			return j.no(Ambiguous, same, fmt.Sprintf("%d elements read %q", len(same), j.id.Text))
		}
	}
	return j.missing(s)
}

// missing says what became of an element that nothing fits.
func (j *judgement) missing(s sighting) (Recognition, error) {
	switch {
	case len(s.Marked) > 0:
		return j.no(RoleOther, s.Marked, fmt.Sprintf("the element with test id %q is a %s %q now", j.id.TestID, s.Marked[0].Role, s.Marked[0].Name))
	case len(s.Called) > 0:
		return j.no(RoleOther, s.Called, fmt.Sprintf("what is called %q is a %s now", j.id.Name, s.Called[0].Role))
	case j.id.Name == "" && j.id.TestID == "" && j.id.Text == "":
		return j.no(Nameless, s.Near, "it had neither a name nor a test id nor a text, and it is not the only one of its kind")
	case j.id.Name == "" && j.id.Text != "":
		return j.no(Gone, s.Near, fmt.Sprintf("nothing reads %q", j.id.Text))
	}
	return j.no(Gone, s.Near, fmt.Sprintf("no %s is called %q", j.id.Role, j.id.Name))
}

// among decides between those of the same role and name. Whoever was recorded beside something must stand beside it
// still, also when there is only one left: it may be another row's.
func (j *judgement) among(s sighting) (Recognition, error) {
	by := ByName
	switch {
	case j.id.Name != "":
	case j.id.Text != "":
		by = ByText
	default:
		by = ByRole
	}
	fit := s.Named
	if j.id.Label != "" {
		fit = slices.DeleteFunc(slices.Clone(fit), func(o seen) bool {
			return o.Label != j.id.Label && (len(s.Named) > 1 || !slices.Contains(o.Labels, j.id.Label))
		})
		if len(fit) == 0 {
			j.tried = append(j.tried, fmt.Sprintf("role and name: %d, none beside %q", len(s.Named), j.id.Label))
			return j.no(LabelGone, s.Named, fmt.Sprintf("of %d elements called so none is beside %q", len(s.Named), j.id.Label))
		}
	}
	switch {
	case j.id.Of > 1 && len(fit) == j.id.Of:
		return taken(fit[j.id.Nth-1], by), nil
	case j.id.Of > 1:
		j.tried = append(j.tried, fmt.Sprintf("role and name: %d", len(fit)))
		return j.no(CountDiff, fit, fmt.Sprintf("it was number %d of %d alike, and there are %d now", j.id.Nth, j.id.Of, len(fit)))
	case len(fit) == 1:
		return taken(fit[0], by), nil
	}
	j.tried = append(j.tried, fmt.Sprintf("role and name: %d", len(fit)))
	return j.no(Ambiguous, fit, fmt.Sprintf("%d elements fit where there was one", len(fit)))
}

func taken(o seen, by By) Recognition {
	return Recognition{Ref: o.Ref, By: by, Role: o.Role, Name: o.Name}
}

// no is the refusal; at most five near ones are told.
func (j *judgement) no(how Drift, near []seen, reason string) (Recognition, error) {
	e := &UnrecognisedError{Identity: j.id, Drift: how, Reason: reason, Tried: j.tried}
	for _, o := range near[:min(len(near), 5)] {
		e.Near = append(e.Near, Element{Ref: o.Ref, Role: o.Role, Name: o.Name})
	}
	return Recognition{}, e
}

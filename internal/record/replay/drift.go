package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// FirstURL returns the address that the first step of a tab opens, with the values of parameters;
// "" when the script starts on an open page.
func (s Script) FirstURL(params map[string]string) string {
	values := map[string]string{}
	for _, p := range s.Parameters {
		if p.Default != nil {
			values[p.Name] = *p.Default
		}
		if given, ok := params[p.Name]; ok {
			values[p.Name] = given
		}
	}
	steps, err := s.fillSteps(s.Steps, values)
	if err != nil {
		return ""
	}
	for i := range steps {
		if steps[i].Tab == "" || skipReason(&steps[i]) != "" {
			continue
		}
		var args struct {
			URL string `json:"url"`
		}
		kind := replayKind(&steps[i])
		if kind != toolset.ReplayNavigate && kind != toolset.ReplayOpenTab || json.Unmarshal(steps[i].Args, &args) != nil {
			return ""
		}
		return args.URL
	}
	return ""
}

// PersistentReason says why an immediate second replay would drift in the same way; "" when it
// might not. A missing element may be the result of a failed load; another element in its place is
// a change of the page.
func (d *Drift) PersistentReason() string {
	switch d.Kind {
	case string(locate.DriftAmbiguous), string(locate.DriftRole), string(locate.DriftCount), string(locate.DriftLabel), string(locate.DriftNameless):
		return fmt.Sprintf("the page has changed (%s): %s", d.Kind, d.Reason)
	case string(locate.DriftGone):
		if now := d.renamedElement(); now != "" {
			return "the page has changed: " + d.Expected + " seems to be " + now + " now"
		}
	case DriftStart:
		return d.Reason
	}
	switch toolkit.Code(d.Code) {
	case toolkit.CapabilityDisabled, toolkit.ToolDisabled, toolkit.UnknownTool, toolkit.UnknownCapability, toolkit.InvalidArguments, toolkit.PolicyDenied:
		return "the step is refused whatever the page: " + d.Code
	}
	return ""
}

// renamedElement returns the similar element that has the role of the missing one and shares a word
// of its name, or "".
func (d *Drift) renamedElement() string {
	var role, name string
	if _, err := fmt.Sscanf(d.Expected, "%s %q", &role, &name); err != nil {
		return ""
	}
	for _, near := range d.Similar {
		var nearRole, nearName string
		if _, err := fmt.Sscanf(near, "%s %q", &nearRole, &nearName); err != nil || nearRole != role || nearName == name {
			continue
		}
		theirs := significantWords(nearName)
		if slices.ContainsFunc(significantWords(name), func(w string) bool { return slices.Contains(theirs, w) }) {
			return near
		}
	}
	return ""
}

// significantWords returns the words of a name that have at least minInnerBytes characters.
func significantWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool { return len([]rune(w)) < minInnerBytes })
}

package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// FirstURL is the address that a script goes to before it does anything else in a tab, with the values of parameters; "" if
// it begins on a page that is open.
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
	steps, err := fillSteps(s.Steps, values)
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

// PersistentReason says why the same script would drift in the same way if it were played again at once; "" if it might not. A
// page that lacks something may have failed to load; one that has something else in its place has changed.
func (d *Drift) PersistentReason() string {
	switch d.Kind {
	case string(page.DriftAmbiguous), string(page.DriftRole), string(page.DriftCount), string(page.DriftLabel), string(page.DriftNameless):
		return fmt.Sprintf("the page has changed (%s): %s", d.Kind, d.Reason)
	case string(page.DriftGone):
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

// renamedElement is the element near the lost one that has its role and another name with a word of its own, or "".
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

// significantWords are the words of a name that mean something by themselves.
func significantWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool { return len([]rune(w)) < minInnerBytes })
}

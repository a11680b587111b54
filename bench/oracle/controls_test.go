package oracle

import (
	"regexp"
	"strconv"
	"strings"
)

// control is a control of a page: a role and a name, as a reading or the accessibility tree gives them.
type control struct {
	Role, Name string
	// Node says which element it is, for a reader: "input#name.class". It is "" in readings.
	Node string
	// Hint is the class that a reading gives a control without a name, ".class".
	Hint string
	// Line is the line of the reading, "" in the tree.
	Line string
	// Traits are those of "clipped", "covered" and "frame" that the probe of the element found.
	Traits []string
	// AriaHidden says that a subtree hidden from assistive technology has a text or a class of this name.
	AriaHidden bool
	// Unseen says that the probe calls the element invisible.
	Unseen bool
}

// String returns the control as a reading writes it.
func (c control) String() string {
	if c.Name == "" {
		return c.Role
	}
	return c.Role + " " + strconv.Quote(c.Name)
}

// roles maps Chromium's internal role names to ARIA's. Roles that are missing here are no controls.
var roles = map[string]string{
	"button": "button", "link": "link", "textbox": "textbox", "searchbox": "searchbox", "checkbox": "checkbox",
	"radio": "radio", "combobox": "combobox", "listbox": "listbox", "menuitem": "menuitem",
	"menuitemcheckbox": "menuitemcheckbox", "menuitemradio": "menuitemradio", "slider": "slider",
	"spinbutton": "spinbutton", "switch": "switch", "tab": "tab", "treeitem": "treeitem",
	"DisclosureTriangle": "button", "DisclosureTriangleGrouped": "button", "ColorWell": "textbox", "Date": "textbox",
	"DateTime": "textbox", "InputTime": "textbox", "PopUpButton": "combobox", "ToggleButton": "button",
	"MenuListPopup": "", "option": "option",
}

// readingRoles are the roles of lines in readings that are controls, beside those of the tree.
var readingRoles = map[string]string{"clickable": "clickable"}

// readControls returns the controls of a reading: each role of a control with a ref, in lines of their own, in runs
// (link "1" [e1] | "2" [e2]) and in cells of rows.
func readControls(reading string) (controls []control) {
	for line := range strings.Lines(reading) {
		text, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "- ")
		if !ok {
			continue
		}
		text = strings.TrimSpace(text)
		controls = append(controls, lineControls(text)...)
	}
	return controls
}

// token matches what a line consists of: a quoted text, a ref, a separator or a word.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\[e\d+(?:/[^\]]*)?\]|\||[^\s"|\[]+|\[`)

// lineControls returns the controls of one line. A quoted text after a separator has the role of the run.
func lineControls(line string) (controls []control) {
	var run, role, name string
	for i, t := range token.FindAllString(line, -1) {
		word := strings.TrimSuffix(t, ":")
		switch {
		case strings.HasPrefix(t, `"`):
			name, _ = strconv.Unquote(t)
		case strings.HasPrefix(t, "(.") && len(controls) > 0 && role == "":
			controls[len(controls)-1].Hint = strings.Trim(t, "()")
		case strings.HasPrefix(t, "[e"):
			if role != "" {
				controls = append(controls, control{Role: role, Name: normal(name), Line: line})
			}
			role, name = "", ""
		case t == "|":
			role, name = run, ""
		case isControlRole(word):
			role, name = word, ""
			if i == 0 {
				run = word
			}
		default:
			role, name = "", ""
		}
	}
	return controls
}

func isControlRole(role string) bool {
	for _, aria := range roles {
		if aria == role && aria != "" {
			return true
		}
	}
	return readingRoles[role] != ""
}

// normal folds the white space of a name.
func normal(name string) string { return strings.Join(strings.Fields(name), " ") }

package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// kind is how a leaf is read. short is the member that a bare value stands for.
type kind struct {
	read   func(*fields) leaf
	short  string
	costly bool
}

// leaves are the kinds of leaf by name.
func leaves() map[string]kind {
	return map[string]kind{
		"url":         {read: readURL, short: contains},
		"dom_text":    {read: readText, short: contains},
		"dom_count":   {read: readCount},
		"element":     {read: readElement, short: "selector"},
		"value":       {read: readValue},
		"network":     {read: readNetwork, short: contains},
		"console":     {read: readConsole, short: contains},
		"performance": {read: readPerformance, costly: true},
		"screenshot":  {read: readScreenshot, short: "class", costly: true},
		"download":    {read: readDownload, short: contains},
		"no_dialog":   {read: readNoDialog, short: "is"},
	}
}

// ---- the address

type urlLeaf struct{ want matcher }

func readURL(f *fields) leaf {
	if !f.open(contains, equals, matches) {
		return nil
	}
	return urlLeaf{f.matcher(true)}
}

func (l urlLeaf) expected() string { return "the address " + l.want.String() }

func (l urlLeaf) judge(s *sight) finding {
	url, err := s.url.get(func() (a address, err error) {
		a.full, a.shown, err = s.evidence.URL(s.ctx)
		return a, err
	})
	if err != nil {
		return missing(err)
	}
	return held(l.want.fits(url.full), url.shown, "")
}

// ---- the text of a page or of elements

type textLeaf struct {
	selector int // -1: the page
	css      string
	want     matcher
}

func readText(f *fields) leaf {
	if !f.open("selector", contains, equals, matches) {
		return nil
	}
	css := f.text("selector")
	if css == "" {
		f.members = withBody(f.members)
	}
	return textLeaf{f.css(false), css, f.matcher(true).tidied()}
}

// withBody asks for the whole page where no selector says less.
func withBody(members map[string]any) map[string]any {
	out := map[string]any{"selector": "body"}
	for name, v := range members {
		if name != "selector" {
			out[name] = v
		}
	}
	return out
}

func (l textLeaf) expected() string {
	if l.css == "" {
		return "the page's text " + l.want.String()
	}
	return "the text of " + l.css + " " + l.want.String()
}

func (l textLeaf) judge(s *sight) finding {
	found, err := s.at(l.selector)
	if err != nil {
		return missing(err)
	}
	if found.Total == 0 {
		if l.css == "" {
			return finding{reason: "the page has no body yet"}
		}
		return held(false, "no element matches", l.css)
	}
	cut := found.Total > len(found.First)
	for _, e := range found.First {
		text := tidy(e.Text)
		if l.want.fits(text) && (!e.Truncated || l.want.fitsAnyhow(text)) {
			return held(true, around(text, l.want), l.css)
		}
		cut = cut || e.Truncated
	}
	if cut {
		return finding{reason: "there is more text than was looked at; give a selector", location: l.css}
	}
	return held(false, strconv.Quote(clip(tidy(found.First[0].Text), textShown)), l.css)
}

// around is the text where it fits.
func around(text string, m matcher) string {
	at := 0
	switch m.how {
	case contains:
		at = strings.Index(text, m.text)
	case matches:
		if where := m.pattern.FindStringIndex(text); where != nil {
			at = where[0]
		}
	}
	if at > textShown/4 {
		return strconv.Quote("…" + clip(strings.ToValidUTF8(text[at-textShown/4:], ""), textShown))
	}
	return strconv.Quote(clip(text, textShown))
}

// ---- how many elements there are

type countLeaf struct {
	selector int
	css      string
	want     bounds
}

func readCount(f *fields) leaf {
	if !f.open("selector", "eq", "min", "max") {
		return nil
	}
	l := countLeaf{f.css(true), f.text("selector"), f.bounds(true)}
	if !l.want.set {
		f.problem(f.path, "give eq, or min and max")
	}
	return l
}

func (l countLeaf) expected() string { return l.css + " matches " + l.want.String() }

func (l countLeaf) judge(s *sight) finding {
	found, err := s.at(l.selector)
	if err != nil {
		return missing(err)
	}
	return held(l.want.holds(float64(found.Total)), strconv.Itoa(found.Total), l.css)
}

// ---- the state of an element

type elementLeaf struct {
	selector int
	css      string
	states   []string
}

// states are what an element can be; the first is what one that is only named must be.
func states() []string {
	return []string{
		"visible", "hidden", "present", "absent", "enabled", "disabled", "checked", "unchecked", "focused", "editable", "readonly", "required",
	}
}

func readElement(f *fields) leaf {
	if !f.open("selector", "state") {
		return nil
	}
	return elementLeaf{f.css(true), f.text("selector"), f.words("state", states())}
}

func (l elementLeaf) expected() string { return l.css + " is " + strings.Join(l.states, " and ") }

// judge passes when one element is all that is asked. Hidden and absent are about all of them: nothing is as hidden as
// what is not there.
func (l elementLeaf) judge(s *sight) finding {
	found, err := s.at(l.selector)
	if err != nil {
		return missing(err)
	}
	if found.Total == 0 {
		ok := true
		for _, state := range l.states {
			ok = ok && (state == "hidden" || state == "absent")
		}
		return held(ok, "no element matches", l.css)
	}
	best, actual := Fail, ""
	for i, e := range found.First {
		v, is := Pass, make([]string, 0, len(l.states))
		for _, state := range l.states {
			one, word := e.state(state)
			v = v.And(one)
			is = append(is, word)
		}
		if i == 0 || v > best {
			best, actual = v, e.Name+" is "+strings.Join(is, " and ")
		}
	}
	for _, state := range l.states {
		for _, e := range found.First {
			if one, _ := e.state(state); (state == "hidden" || state == "absent") && one == Fail {
				return held(false, e.Name+" is "+map[string]string{"hidden": "visible", "absent": "present"}[state], l.css)
			}
		}
	}
	if all := slices.Contains(l.states, "hidden"); found.Total > len(found.First) && (best != Pass || all) {
		return finding{reason: fmt.Sprintf("only %d of %d elements were looked at; give a closer selector", len(found.First), found.Total), location: l.css}
	}
	if best == Inconclusive {
		return finding{reason: actual, location: l.css}
	}
	return held(best == Pass, actual, l.css)
}

// state compares an element with a state, and says what it is instead. What cannot be checked is neither checked nor
// unchecked.
func (e Element) state(want string) (Verdict, string) {
	is := func(b bool, yes, no string) (Verdict, string) {
		word := no
		if b {
			word = yes
		}
		if word == want {
			return Pass, word
		}
		return Fail, word
	}
	switch want {
	case "visible", "hidden":
		return is(e.Visible, "visible", "hidden")
	case "enabled", "disabled":
		return is(!e.Disabled, "enabled", "disabled")
	case "checked", "unchecked":
		if !e.Checkable {
			return Inconclusive, "nothing that can be checked"
		}
		return is(e.Checked, "checked", "unchecked")
	case "focused":
		return is(e.Focused, "focused", "not focused")
	case "editable":
		return is(e.Editable, "editable", "not editable")
	case "readonly":
		return is(e.Readonly, "readonly", "not readonly")
	case "required":
		return is(e.Required, "required", "not required")
	}
	return is(true, "present", "")
}

// ---- the value of a field

type valueLeaf struct {
	selector int
	css      string
	want     matcher
}

func readValue(f *fields) leaf {
	if !f.open("selector", contains, equals, matches) {
		return nil
	}
	return valueLeaf{f.css(true), f.text("selector"), f.matcher(true)}
}

func (l valueLeaf) expected() string { return "the value of " + l.css + " " + l.want.String() }

func (l valueLeaf) judge(s *sight) finding {
	found, err := s.at(l.selector)
	switch {
	case err != nil:
		return missing(err)
	case found.Total == 0:
		return held(false, "no element matches", l.css)
	case found.Total > 1:
		return finding{reason: fmt.Sprintf("%d elements match; one field must be meant", found.Total), location: l.css}
	}
	switch e := found.First[0]; {
	case e.Secret:
		return finding{reason: "the field holds a secret, which is not read", location: l.css}
	case !e.Field:
		return finding{reason: e.Name + " has no value", location: l.css}
	case e.ValueCut && (!l.want.fits(e.Value) || !l.want.fitsAnyhow(e.Value)):
		return finding{reason: "the field holds more text than is looked at", location: l.css}
	default:
		return held(l.want.fits(e.Value), strconv.Quote(clip(e.Value, textShown)), l.css)
	}
}

// ---- a dialog

type noDialogLeaf struct{}

func readNoDialog(f *fields) leaf {
	if v, ok := f.given.(bool); !ok || !v {
		f.problem(f.path, "expected true, got %s; that there is one is {\"not\": {\"no_dialog\": true}}", typeOf(f.given))
	}
	return noDialogLeaf{}
}

func (noDialogLeaf) expected() string { return "no dialog is open" }

func (noDialogLeaf) judge(s *sight) finding {
	dialog, err := s.dialog.get(func() (string, error) { return s.evidence.Dialog(s.ctx) })
	if err != nil {
		return missing(err)
	}
	if dialog == "" {
		return held(true, "none", "")
	}
	return held(false, dialog, "")
}

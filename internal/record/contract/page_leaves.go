package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/internal/text"
)

// leafKind has the reader of a kind of leaf. short is the member that a bare value stands for.
type leafKind struct {
	read        func(*memberReader) leaf
	shortMember string
	isCostly    bool
}

// leafKinds are the kinds of leaf by name.
func leafKinds() map[string]leafKind {
	return map[string]leafKind{
		"url":         {read: readURL, shortMember: contains},
		"dom_text":    {read: readText, shortMember: contains},
		"dom_count":   {read: readCount},
		"element":     {read: readElement, shortMember: "selector"},
		"value":       {read: readValue},
		"network":     {read: readNetwork, shortMember: contains},
		"console":     {read: readConsole, shortMember: contains},
		"performance": {read: readPerformance, isCostly: true},
		"audit":       {read: readAudit, isCostly: true},
		"heap":        {read: readHeap, shortMember: "growth", isCostly: true},
		"screenshot":  {read: readScreenshot, shortMember: "class", isCostly: true},
		"looks_like":  {read: readLooks, shortMember: "baseline", isCostly: true},
		"download":    {read: readDownload, shortMember: contains},
		"no_dialog":   {read: readNoDialog, shortMember: "is"},
	}
}

// ---- the address

type urlLeaf struct{ want matcher }

func readURL(f *memberReader) leaf {
	if !f.open(contains, equals, matches) {
		return nil
	}
	return urlLeaf{f.matcher(true)}
}

func (l urlLeaf) expected() string { return "the address " + l.want.String() }

func (l urlLeaf) judge(s *observation) finding {
	url, err := s.url.get(func() (a address, err error) {
		a.full, a.shown, err = s.evidence.URL(s.ctx)
		return a, err
	})
	if err != nil {
		return inconclusive(err)
	}
	return compared(l.want.accepts(url.full), url.shown, "")
}

// ---- the text of a page or of elements

type textLeaf struct {
	selector int // -1: the page
	css      string
	want     matcher
}

func readText(f *memberReader) leaf {
	if !f.open("selector", contains, equals, matches) {
		return nil
	}
	css := f.text("selector")
	if css == "" {
		f.members = addBodySelector(f.members)
	}
	return textLeaf{f.selectorIndex(false), css, f.matcher(true).withCollapsedSpace()}
}

// addBodySelector asks for the whole page where no selector says less.
func addBodySelector(members map[string]any) map[string]any {
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

func (l textLeaf) judge(s *observation) finding {
	found, err := s.elementsOf(l.selector)
	if err != nil {
		return inconclusive(err)
	}
	if found.Total == 0 {
		if l.css == "" {
			return finding{reason: "the page has no body yet"}
		}
		return compared(false, "no element matches", l.css)
	}
	cut := found.Total > len(found.Elements)
	for _, e := range found.Elements {
		text := collapseSpace(e.Text)
		if l.want.accepts(text) && (!e.TextTruncated || l.want.acceptsPrefix(text)) {
			return compared(true, excerpt(text, l.want), l.css)
		}
		cut = cut || e.TextTruncated
	}
	if cut {
		return finding{reason: "there is more text than was looked at; give a selector", location: l.css}
	}
	return compared(false, strconv.Quote(text.ClipRunes(collapseSpace(found.Elements[0].Text), maxShownRunes)), l.css)
}

// excerpt is the text where it fits.
func excerpt(s string, m matcher) string {
	at := 0
	switch m.operator {
	case contains:
		at = strings.Index(s, m.text)
	case matches:
		if where := m.pattern.FindStringIndex(s); where != nil {
			at = where[0]
		}
	}
	if at > maxShownRunes/4 {
		return strconv.Quote("…" + text.ClipRunes(strings.ToValidUTF8(s[at-maxShownRunes/4:], ""), maxShownRunes))
	}
	return strconv.Quote(text.ClipRunes(s, maxShownRunes))
}

// ---- how many elements there are

type countLeaf struct {
	selector int
	css      string
	want     bounds
}

func readCount(f *memberReader) leaf {
	if !f.open("selector", "eq", "min", "max") {
		return nil
	}
	l := countLeaf{f.selectorIndex(true), f.text("selector"), f.bounds(true)}
	if !l.want.isSet {
		f.problem(f.path, "give eq, or min and max")
	}
	return l
}

func (l countLeaf) expected() string { return l.css + " matches " + l.want.String() }

func (l countLeaf) judge(s *observation) finding {
	found, err := s.elementsOf(l.selector)
	if err != nil {
		return inconclusive(err)
	}
	return compared(l.want.contains(float64(found.Total)), strconv.Itoa(found.Total), l.css)
}

// ---- the state of an element

type elementLeaf struct {
	selector int
	css      string
	states   []string
}

// elementStates are the states of an element; the first is the default.
func elementStates() []string {
	return []string{
		"visible", "hidden", "present", "absent", "enabled", "disabled", "checked", "unchecked", "focused", "editable", "readonly", "required",
	}
}

func readElement(f *memberReader) leaf {
	if !f.open("selector", "state") {
		return nil
	}
	return elementLeaf{f.selectorIndex(true), f.text("selector"), f.choices("state", elementStates())}
}

func (l elementLeaf) expected() string { return l.css + " is " + strings.Join(l.states, " and ") }

// judge passes when one element is all that is asked. Hidden and absent are about all of them:
// nothing is as hidden as what is not there.
func (l elementLeaf) judge(s *observation) finding {
	found, err := s.elementsOf(l.selector)
	if err != nil {
		return inconclusive(err)
	}
	if found.Total == 0 {
		ok := true
		for _, state := range l.states {
			ok = ok && (state == "hidden" || state == "absent")
		}
		return compared(ok, "no element matches", l.css)
	}
	best, actual := Fail, ""
	for i, e := range found.Elements {
		v, is := Pass, make([]string, 0, len(l.states))
		for _, state := range l.states {
			one, word := e.checkState(state)
			v = v.And(one)
			is = append(is, word)
		}
		if i == 0 || v > best {
			best, actual = v, e.Name+" is "+strings.Join(is, " and ")
		}
	}
	for _, state := range l.states {
		for _, e := range found.Elements {
			if one, _ := e.checkState(state); (state == "hidden" || state == "absent") && one == Fail {
				return compared(false, e.Name+" is "+map[string]string{"hidden": "visible", "absent": "present"}[state], l.css)
			}
		}
	}
	if all := slices.Contains(l.states, "hidden"); found.Total > len(found.Elements) && (best != Pass || all) {
		return finding{reason: fmt.Sprintf("only %d of %d elements were looked at; give a closer selector", len(found.Elements), found.Total), location: l.css}
	}
	if best == Inconclusive {
		return finding{reason: actual, location: l.css}
	}
	return compared(best == Pass, actual, l.css)
}

// checkState compares an element with a state, and says what it is instead. What cannot be checked
// is neither checked nor unchecked.
func (e Element) checkState(want string) (Verdict, string) {
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

func readValue(f *memberReader) leaf {
	if !f.open("selector", contains, equals, matches) {
		return nil
	}
	return valueLeaf{f.selectorIndex(true), f.text("selector"), f.matcher(true)}
}

func (l valueLeaf) expected() string { return "the value of " + l.css + " " + l.want.String() }

func (l valueLeaf) judge(s *observation) finding {
	found, err := s.elementsOf(l.selector)
	switch {
	case err != nil:
		return inconclusive(err)
	case found.Total == 0:
		return compared(false, "no element matches", l.css)
	case found.Total > 1:
		return finding{reason: fmt.Sprintf("%d elements match; one field must be meant", found.Total), location: l.css}
	}
	switch e := found.Elements[0]; {
	case e.IsSecret:
		return finding{reason: "the field holds a secret, which is not read", location: l.css}
	case !e.IsField:
		return finding{reason: e.Name + " has no value", location: l.css}
	case e.ValueTruncated && (!l.want.accepts(e.Value) || !l.want.acceptsPrefix(e.Value)):
		return finding{reason: "the field holds more text than is looked at", location: l.css}
	default:
		return compared(l.want.accepts(e.Value), strconv.Quote(text.ClipRunes(e.Value, maxShownRunes)), l.css)
	}
}

// ---- a dialog

type noDialogLeaf struct{}

func readNoDialog(f *memberReader) leaf {
	if v, ok := f.value.(bool); !ok || !v {
		f.problem(f.path, "expected true, got %s; that there is one is {\"not\": {\"no_dialog\": true}}", typeOf(f.value))
	}
	return noDialogLeaf{}
}

func (noDialogLeaf) expected() string { return "no dialog is open" }

func (noDialogLeaf) judge(s *observation) finding {
	dialog, err := s.dialog.get(func() (string, error) { return s.evidence.Dialog(s.ctx) })
	if err != nil {
		return inconclusive(err)
	}
	if dialog == "" {
		return compared(true, "none", "")
	}
	return compared(false, dialog, "")
}

package recorder

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/instruction"
)

// text is a text that is typed somewhere.
type text struct {
	pointer, value       string
	queryPointer         string // of query, when an argument of its own holds it
	ref, query, selector string // where; all "": wherever the focus is
	keys                 bool   // names of keys, of which only characters are text
	set                  bool   // at once, not key by key
	blind                bool   // where the focus is follows from what the same call did before
	later                bool   // what it is for was looked for when the same call had acted
}

// typedTexts lists the texts that a call types, by the roles of the tool's parameters. A typed parameter stands beside
// those that name its element and, where a step can do other things too, its action; without an action it is set.
func typedTexts(traits toolkit.Traits, args map[string]any) []text {
	var seq sequence
	for _, p := range traits.Roles {
		switch p.Role {
		case toolset.RoleTyped:
			eachPlace(args, "", p.Path, func(pointer string) { seq.readTyped(traits, args, p.Path, pointer) })
		case toolset.RoleInstruction:
			value, _ := valueAt(args, p.Path).(string)
			steps, _ := instruction.Parse(value) // the tool refuses what cannot be parsed
			for _, s := range steps {
				seq.add(string(s.Action), text{pointer: p.Path, value: s.Value, query: s.Query})
			}
		}
	}
	return seq.texts
}

// eachPlace visits the JSON pointers of a path in arguments, in order. The value at the end of one may be missing.
func eachPlace(args map[string]any, pointer, path string, visit func(pointer string)) {
	before, after, many := strings.Cut(path, "/*")
	pointer += before
	if !many {
		visit(pointer)
		return
	}
	items, _ := valueAt(args, pointer).([]any)
	for i := range items {
		eachPlace(args, pointer+"/"+strconv.Itoa(i), after, visit)
	}
}

// readTyped reads a typed argument with the arguments that stand beside it.
func (q *sequence) readTyped(traits toolkit.Traits, args map[string]any, path, pointer string) {
	t := text{pointer: pointer}
	t.value, _ = valueAt(args, pointer).(string)
	pattern, object := path[:strings.LastIndexByte(path, '/')], pointer[:strings.LastIndexByte(pointer, '/')]
	action, hasAction := "", false
	for _, p := range traits.Roles {
		name, inside := strings.CutPrefix(p.Path, pattern+"/")
		if !inside || strings.Contains(name, "/") {
			continue
		}
		at := object + "/" + name
		value, _ := valueAt(args, at).(string)
		switch p.Role {
		case toolset.RoleAction:
			action, hasAction = value, true
		case toolset.RoleRef:
			t.ref = value
		case toolset.RoleQuery:
			if t.query = value; value != "" {
				t.queryPointer = at
			}
		case toolset.RoleSelector:
			t.selector = value
		}
	}
	if traits.Replay == toolset.ReplayInput { // keys go to the focus, whatever element a click is for
		t.ref, t.query, t.selector, t.queryPointer = "", "", "", ""
	}
	if !hasAction {
		t.set = true
		q.texts = append(q.texts, t)
		return
	}
	q.add(action, t)
}

// sequence follows the focus through the steps of one call.
type sequence struct {
	texts []text
	last  text // of the step that put the focus where it is; none: nobody knows where that is
	acted bool // the page may be another since the call began
	steps int
}

// add notes what a step types. Without an element that is where the steps before have put the focus.
func (q *sequence) add(action string, t text) {
	t.later = q.acted
	named, types := t.ref != "" || t.query != "", slices.Contains([]string{"set", "type", "key"}, action)
	if types {
		t.keys, t.set = action == "key", action == "set"
		if !named && q.steps > 0 {
			t.ref, t.query = q.last.ref, q.last.query
			t.blind = t.ref == "" && t.query == ""
		}
		q.texts = append(q.texts, t)
	}
	switch {
	case action == "key", action == "navigate", action == "type" && t.walks(): // the focus may go anywhere
		q.last, q.acted = text{}, true
	case action == "hover", action == "scroll", action == "wait": // it stays
	case named:
		q.last, q.acted = t, q.acted || !types
	}
	q.steps++
}

// walks tells whether typing the text moves the focus on, so that the rest of it goes elsewhere.
func (t text) walks() bool {
	if t.keys {
		return strings.Contains(strings.ToLower(t.value), "tab")
	}
	return strings.Contains(t.value, "\t")
}

// secret tells whether a text goes where secrets go, or may: a field that could not be looked at is taken for one, and so is what
// was not there yet, or is no field.
func (t text) secret(b Before) bool {
	if t.keys && !characters(t.value) {
		return false
	}
	if !t.set && t.walks() {
		return true
	}
	for _, where := range []string{t.ref, t.query, t.selector} {
		if where != "" {
			found, ok := b.Found[where]
			return !ok || !found.Field || found.Secret || found.Kind == "password" || t.later && where == t.query && secretName().MatchString(where)
		}
	}
	return t.blind || b.Focus
}

// characters: the keys are letters or digits, as of somebody who types a password key by key.
func characters(keys string) bool {
	return slices.ContainsFunc(strings.Fields(keys), func(k string) bool { return len([]rune(k)) == 1 })
}

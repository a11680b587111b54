package recorder

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// typedText is a text that a call types into the page.
type typedText struct {
	pointer, value       string
	queryPointer         string // of query, when an argument of its own holds it
	ref, query, selector string // where; all "": wherever the focus is
	areKeys              bool   // names of keys, of which only characters are text
	replacesValue        bool   // at once, not key by key
	focusUnknown         bool   // where the focus is follows from what the same call did before
	afterAction          bool   // what it is for was looked for when the same call had acted
}

// typedTexts lists the texts that a call types, by the roles of the tool's parameters. A typed
// parameter stands beside those that name its element and, where a step can do other things too,
// its action; without an action it is set.
func typedTexts(traits toolkit.Traits, args map[string]any) []typedText {
	var seq focusTracker
	for _, p := range traits.Roles {
		if p.Role == toolset.RoleTyped {
			visitPointers(args, "", p.Path, func(pointer string) { seq.readTyped(traits, args, p.Path, pointer) })
		}
	}
	return seq.typed
}

// visitPointers visits the JSON pointers of a path in arguments, in order. The value at the end of
// one may be missing.
func visitPointers(args map[string]any, pointer, path string, visit func(pointer string)) {
	before, after, many := strings.Cut(path, "/*")
	pointer += before
	if !many {
		visit(pointer)
		return
	}
	items, _ := argument.ValueAt(args, pointer).([]any)
	for i := range items {
		visitPointers(args, pointer+"/"+strconv.Itoa(i), after, visit)
	}
}

// readTyped reads a typed argument with the arguments that stand beside it.
func (f *focusTracker) readTyped(traits toolkit.Traits, args map[string]any, path, pointer string) {
	t := typedText{pointer: pointer}
	t.value, _ = argument.ValueAt(args, pointer).(string)
	pattern, object := path[:strings.LastIndexByte(path, '/')], pointer[:strings.LastIndexByte(pointer, '/')]
	action, hasAction := "", false
	for _, p := range traits.Roles {
		name, inside := strings.CutPrefix(p.Path, pattern+"/")
		if !inside || strings.Contains(name, "/") {
			continue
		}
		at := object + "/" + name
		value, _ := argument.ValueAt(args, at).(string)
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
	t.focusUnknown = argument.ValueAt(args, object+"/coordinate") != nil
	if traits.Replay == toolset.ReplayInput { // keys go to the focus, whatever element a click is for
		t.ref, t.query, t.selector, t.queryPointer = "", "", "", ""
	}
	if !hasAction {
		t.replacesValue = true
		f.typed = append(f.typed, t)
		return
	}
	f.addStep(action, t)
}

// focusTracker tracks the focus through the steps of one call.
type focusTracker struct {
	typed     []typedText
	focused   typedText // of the step that put the focus where it is; zero when the focus is unknown
	hasActed  bool      // the page may be another since the call began
	stepCount int
}

// addStep adds the text that a step types. A step without an element types where the earlier steps
// put the focus.
func (f *focusTracker) addStep(action string, t typedText) {
	t.afterAction = f.hasActed
	named, types := t.ref != "" || t.query != "" || t.selector != "", slices.Contains([]string{"set", "type", "key", "hold"}, action)
	moves := action == "type" && (t.movesFocus() || t.focusUnknown)
	if types {
		t.areKeys, t.replacesValue = action == "key" || action == "hold", action == "set"
		if !named && f.stepCount > 0 && !t.focusUnknown {
			t.ref, t.query, t.selector = f.focused.ref, f.focused.query, f.focused.selector
			t.focusUnknown = t.ref == "" && t.query == "" && t.selector == ""
		}
		f.typed = append(f.typed, t)
	}
	switch {
	case slices.Contains([]string{"hover", "scroll", "wait", "read", "find", "expect", "screenshot"}, action): // it stays
	case named && slices.Contains([]string{"click", "double_click", "right_click", "set", "type"}, action) && !moves:
		f.focused, f.hasActed = t, f.hasActed || !types
	case action != "type" || moves: // the focus may go anywhere
		f.focused, f.hasActed = typedText{}, true
	}
	f.stepCount++
}

// movesFocus reports whether typing the text moves the focus, so that the rest of it goes
// elsewhere.
func (t typedText) movesFocus() bool {
	if t.areKeys {
		return strings.Contains(strings.ToLower(t.value), "tab")
	}
	return strings.Contains(t.value, "\t")
}

// mayBeSecret reports whether a text may go into a field for secrets. An element that could not be
// read counts as one, and so does an element that appeared during the call or takes no value.
func (t typedText) mayBeSecret(b Baseline) bool {
	if t.areKeys && !hasCharacterKey(t.value) {
		return false
	}
	if !t.replacesValue && t.movesFocus() {
		return true
	}
	for _, where := range []string{t.ref, t.query, t.selector} {
		if where != "" {
			found, ok := b.Matches[where]
			return !ok || !found.IsField || found.IsSecret || found.Kind == "password" || t.afterAction && where == t.query && secretName().MatchString(where)
		}
	}
	return t.focusUnknown || b.SecretFocused
}

// hasCharacterKey reports whether one of the keys types a character, as in a password that is typed
// key by key.
func hasCharacterKey(keys string) bool {
	return slices.ContainsFunc(strings.Fields(keys), func(k string) bool { return len([]rune(k)) == 1 })
}

package recorder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/record/instruction"
)

// call is what a recorder understands of a call's arguments.
type call struct {
	tool  *toolkit.Tool
	args  any               // decoded; numbers are json.Number
	refs  map[string]string // JSON pointer → ref
	texts []text
}

// text is a text that is typed somewhere.
type text struct {
	pointer, value       string
	ref, query, selector string // where; all "": wherever the focus is
	keys                 bool   // names of keys, of which only characters are text
	set                  bool   // at once, not key by key
	blind                bool   // where the focus is follows from what the same call did before
	later                bool   // what it is for was looked for when the same call had acted
}

// readCall takes the arguments apart. What is no JSON object is a call without arguments: it was refused.
func readCall(t *toolkit.Tool, raw []byte) *call {
	c := &call{tool: t, args: map[string]any{}, refs: map[string]string{}}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var args map[string]any
	if dec.Decode(&args) == nil && args != nil {
		c.args = args
		c.findRefs("", "", args)
		c.texts = texts(t.Name, args)
	}
	return c
}

// findRefs notes the members that name elements.
func (c *call) findRefs(pointer, name string, v any) {
	switch v := v.(type) {
	case string:
		names := slices.Contains([]string{"ref", "ref_id", "target_ref", "refs", "submit"}, name) ||
			name == "value" && c.tool.Name == toolset.ToolWaitFor
		if names && page.IsRef(v) {
			c.refs[pointer] = v
		}
	case []any:
		for i, e := range v {
			c.findRefs(pointer+"/"+strconv.Itoa(i), name, e)
		}
	case map[string]any:
		for n, e := range v {
			c.findRefs(pointer+"/"+escape(n), n, e)
		}
	}
}

// elements are the arguments that name an element which was looked at: JSON pointer → ref or query.
func (c *call) elements() map[string]string {
	out := maps.Clone(c.refs)
	for _, t := range c.texts {
		if at, ok := strings.CutSuffix(t.pointer, "/value"); ok && !t.later && t.query != "" && member(valueAt(c.args, at), "query") == t.query {
			out[at+"/query"] = t.query
		}
	}
	return out
}

// valueAt finds a value by its JSON pointer; nil when there is none.
func valueAt(v any, pointer string) any {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch in := v.(type) {
		case map[string]any:
			v = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// escape writes a member's name as a part of a JSON pointer (RFC 6901).
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// question is what has to be known before the call.
func (c *call) question() Question {
	q := Question{Connection: member(c.args, "connection_id"), Tab: member(c.args, "tabId")}
	for _, ref := range c.refs {
		q.Refs = append(q.Refs, ref)
	}
	for _, t := range c.texts {
		switch {
		case t.ref != "":
		case t.query != "":
			q.Queries = append(q.Queries, t.query)
		case t.selector != "":
			q.Selectors = append(q.Selectors, t.selector)
		default:
			q.Typing = true
		}
	}
	return q
}

// member is a member's text, or "".
func member(v any, name string) string {
	object, _ := v.(map[string]any)
	s, _ := object[name].(string)
	return s
}

// texts lists what a call types. A tool that is not here types nothing, or nothing of its arguments.
func texts(tool string, args map[string]any) (out []text) {
	switch tool {
	case toolset.ToolFormInput:
		out = append(out, text{pointer: "/value", value: member(args, "value"), ref: member(args, "ref"), set: true})
	case toolset.ToolFillElement:
		out = append(out, text{pointer: "/text", value: member(args, "text"), selector: member(args, "selector"), set: true})
	case toolset.ToolComputer:
		if a := member(args, "action"); a == "type" || a == "key" {
			out = append(out, text{pointer: "/text", value: member(args, "text"), keys: a == "key"})
		}
	case toolset.ToolFillForm:
		fields, _ := args["fields"].([]any)
		for i, f := range fields {
			out = append(out, text{pointer: fmt.Sprintf("/fields/%d/value", i), value: member(f, "value"), ref: member(f, "ref"), query: member(f, "query"), set: true})
		}
	case toolset.ToolAct:
		steps, _ := args["steps"].([]any)
		var in sequence
		for i, s := range steps {
			in.add(member(s, "action"), text{
				pointer: fmt.Sprintf("/steps/%d/value", i), value: member(s, "value"), ref: member(s, "ref"), query: member(s, "query"),
			})
		}
		ordered, _ := instruction.Parse(member(args, "instruction")) // what cannot be read is refused
		for _, s := range ordered {
			in.add(string(s.Action), text{pointer: "/instruction", value: s.Value, query: s.Query})
		}
		out = in.texts
	}
	return out
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

// masks lists the texts of the call that must not be kept.
func (c *call) masks(b Before) (out []text) {
	for _, t := range c.texts {
		if t.value != "" && !named(t.value) && t.secret(b) {
			out = append(out, t)
		}
	}
	return out
}

// reference is a text that names secrets of the vault and holds nothing else.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\{secret:[A-Za-z_][A-Za-z0-9_]*\})+$`)
})

// named: the text says which secret it is, and no more.
func named(value string) bool { return reference().MatchString(value) }

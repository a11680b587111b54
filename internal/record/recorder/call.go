package recorder

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// recordedCall holds the arguments of a call, decoded and by role.
type recordedCall struct {
	tool  *toolkit.Tool
	args  map[string]any          // decoded; numbers are json.Number
	roles map[string]toolkit.Role // by JSON pointer
	refs  map[string]string       // JSON pointer → ref
	typed []typedText
}

// readCall decodes the arguments of a call. It reads text that is no JSON object as a call without
// arguments: the call was refused.
func readCall(t *toolkit.Tool, raw []byte) *recordedCall {
	c := &recordedCall{tool: t, args: map[string]any{}, refs: map[string]string{}}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var args map[string]any
	if dec.Decode(&args) == nil && args != nil {
		c.args = args
	}
	c.roles = argument.Roles(t.Name, c.args)
	for pointer, role := range c.roles {
		if ref, ok := argument.ValueAt(c.args, pointer).(string); ok && role == toolset.RoleRef && document.IsRef(ref) {
			c.refs[pointer] = ref
		}
	}
	c.typed = typedTexts(t.Traits, c.args)
	return c
}

// elements returns the arguments that name an element which was inspected before the call: JSON
// pointer → ref or query.
func (c *recordedCall) elements() map[string]string {
	out := maps.Clone(c.refs)
	for _, t := range c.typed {
		if t.query != "" && t.queryPointer != "" && !t.afterAction {
			out[t.queryPointer] = t.query
		}
	}
	return out
}

// byRole returns the value of the parameter with a role, or "". Parameters inside of lists and
// objects are left out.
func (c *recordedCall) byRole(role toolkit.Role) string {
	for pointer, r := range c.roles {
		if r == role && strings.Count(pointer, "/") == 1 {
			value, _ := argument.ValueAt(c.args, pointer).(string)
			return value
		}
	}
	return ""
}

// baselineOptions returns what to read before the call.
func (c *recordedCall) baselineOptions() BaselineOptions {
	q := BaselineOptions{Connection: c.byRole(toolset.RoleConnection), Tab: c.byRole(toolset.RoleTab)}
	for _, ref := range c.refs {
		q.Refs = append(q.Refs, ref)
	}
	for _, t := range c.typed {
		switch {
		case t.ref != "":
		case t.query != "":
			q.Queries = append(q.Queries, t.query)
		case t.selector != "":
			q.Selectors = append(q.Selectors, t.selector)
		default:
			q.TypesAtFocus = true
		}
	}
	return q
}

// secretTexts returns the typed texts of the call that the recording must not hold.
func (c *recordedCall) secretTexts(b Baseline) (out []typedText) {
	for _, t := range c.typed {
		if t.value != "" && !isSecretReference(t.value) && t.mayBeSecret(b) {
			out = append(out, t)
		}
	}
	return out
}

// secretReference matches texts that consist of references to vault secrets.
var secretReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\{secret:[A-Za-z_][A-Za-z0-9_]*\})+$`)
})

// isSecretReference reports whether a value names vault secrets and holds nothing else.
func isSecretReference(value string) bool { return secretReference().MatchString(value) }

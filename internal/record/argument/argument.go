// Package argument knows what the arguments of a call are for: it finds the role of each text, and
// brings texts and refs into their normal form before anything reads them. It also reads JSON pointers
// of arguments, and makes names of parameters.
//
// The manifest states the role of each parameter. Tools that are not in it, such as workflows, have
// the roles that claim the names of their parameters. The package must not know recordings,
// browsers or what any single tool does.
package argument

import (
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// Roles returns the role of every text in the arguments of a call, by its JSON pointer; texts
// without a role are left out. The arguments of a call inside the call have the roles of that
// call's tool.
func Roles(tool string, args map[string]any) map[string]toolkit.Role {
	out := make(map[string]toolkit.Role)
	finder{traits: toolset.TraitsOf(tool), roles: out}.object("", args)
	return out
}

// finder collects the roles in the arguments of one call, or of one call inside it.
type finder struct {
	traits toolkit.Traits
	prefix string // pointer to the arguments of this call
	roles  map[string]toolkit.Role
}

func (f finder) value(pointer, name string, v any) {
	switch v := v.(type) {
	case string:
		if role := f.role(pointer, name); role != "" {
			f.roles[pointer] = role
		}
	case []any:
		for i, item := range v {
			f.value(pointer+"/"+strconv.Itoa(i), name, item)
		}
	case map[string]any:
		f.object(pointer, v)
	}
}

func (f finder) object(pointer string, members map[string]any) {
	inner := f.innerTool(pointer, members)
	for member, v := range members {
		at := pointer + "/" + Escape(member)
		if args, ok := v.(map[string]any); ok && f.role(at, member) == toolset.RoleArguments {
			finder{traits: toolset.TraitsOf(inner), prefix: at, roles: f.roles}.object(at, args)
			continue
		}
		f.value(at, member, v)
	}
}

// innerTool returns the tool of the call inside the call, or "".
func (f finder) innerTool(pointer string, members map[string]any) string {
	for member, v := range members {
		if text, ok := v.(string); ok && f.role(pointer+"/"+Escape(member), member) == toolset.RoleTool {
			return text
		}
	}
	return ""
}

func (f finder) role(pointer, name string) toolkit.Role {
	if f.traits.Record == "" { // the manifest has no such tool
		return toolset.RoleNamed(name)
	}
	return f.traits.Role(strings.TrimPrefix(pointer, f.prefix))
}

// Tokens returns the tokens of a JSON pointer (RFC 6901): names of members, and indexes of lists. The pointer
// "" to the whole value has none.
func Tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range tokens {
		tokens[i] = unescape.Replace(tokens[i])
	}
	return tokens
}

// Escape writes the name of a member as a token of a JSON pointer.
func Escape(name string) string { return escape.Replace(name) }

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// ValueAt returns the value at a JSON pointer; nil for a pointer to nothing.
func ValueAt(v any, pointer string) any {
	for _, token := range Tokens(pointer) {
		switch in := v.(type) {
		case map[string]any:
			v = in[token]
		case []any:
			i, err := strconv.Atoi(token)
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

// ReplaceTexts returns a copy of a JSON value with each of its texts replaced. pointer is the JSON
// pointer of a text.
func ReplaceTexts(v any, replace func(pointer, text string) string) any {
	return replaceTexts(v, "", replace)
}

func replaceTexts(v any, pointer string, replace func(pointer, text string) string) any {
	switch v := v.(type) {
	case string:
		return replace(pointer, v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = replaceTexts(e, pointer+"/"+strconv.Itoa(i), replace)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = replaceTexts(e, pointer+"/"+Escape(name), replace)
		}
		return out
	}
	return v
}

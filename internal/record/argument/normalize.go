package argument

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
)

// Middleware accepts what callers write for texts and refs: a number, a boolean or a list where
// text is typed, and a ref in the brackets in which readings show it. It stands outside of the
// layers that record and mask, which see only the normal form.
func Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, v *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		req.Args = Normalize(req.Tool, req.Args)
		return next(ctx, v, req)
	}
}

// Normalize returns the arguments of a call in their normal form. Arguments that are in it already,
// or are no object, are returned as they are.
func Normalize(tool string, raw []byte) []byte {
	traits := toolset.TraitsOf(tool)
	if !traits.Has(toolset.RoleRef) && !traits.Has(toolset.RoleTyped) && !traits.Has(toolset.RoleArguments) {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var args map[string]any
	if dec.Decode(&args) != nil || dec.More() || args == nil {
		return raw
	}
	n := normalizer{finder: finder{traits: traits}}
	n.object("", args)
	if !n.changed {
		return raw
	}
	out, err := json.Marshal(args)
	if err != nil {
		return raw
	}
	return out
}

// normalizer rewrites the arguments of one call in place.
type normalizer struct {
	finder
	changed bool
}

func (n *normalizer) object(pointer string, members map[string]any) {
	inner := n.innerTool(pointer, members)
	for member, v := range members {
		at := pointer + "/" + Escape(member)
		if args, ok := v.(map[string]any); ok && n.role(at, member) == toolset.RoleArguments {
			if renamed := byNewNames(toolset.TraitsOf(inner), args); renamed != nil {
				args, members[member], n.changed = renamed, renamed, true
			}
			nested := normalizer{finder: finder{traits: toolset.TraitsOf(inner), prefix: at}}
			nested.object(at, args)
			n.changed = n.changed || nested.changed
			continue
		}
		members[member] = n.value(at, member, v)
	}
}

// value returns the normal form of a value.
func (n *normalizer) value(pointer, name string, v any) any {
	role := n.role(pointer, name)
	switch v := v.(type) {
	case string:
		if m := shownRef().FindStringSubmatch(v); m != nil && role == toolset.RoleRef {
			n.changed = true
			return m[1]
		}
	case json.Number:
		if role == toolset.RoleTyped || role == toolset.RoleRef {
			n.changed = true
			return v.String()
		}
	case bool:
		if role == toolset.RoleTyped {
			n.changed = true
			return strconv.FormatBool(v)
		}
	case []any:
		if role == toolset.RoleTyped {
			return n.list(v)
		}
		for i, item := range v {
			v[i] = n.value(pointer+"/"+strconv.Itoa(i), name, item)
		}
	case map[string]any:
		n.object(pointer, v)
	}
	return v
}

// list writes a list of values as JSON text: several options of one field.
func (n *normalizer) list(items []any) any {
	text, err := json.Marshal(items)
	if err != nil {
		return items
	}
	n.changed = true
	return strings.TrimSpace(string(text))
}

// shownRef matches a ref in brackets, as readings show it.
var shownRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[(?:ref=)?(e[0-9]+)\]$`) })

// byNewNames returns the arguments of a call inside the call by the names and types of its tool's schema;
// nil when they have these already.
func byNewNames(traits toolkit.Traits, args map[string]any) map[string]any {
	if len(traits.Forms) == 0 {
		return nil
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	normal := traits.Normalize(raw)
	if bytes.Equal(normal, raw) {
		return nil
	}
	var out map[string]any
	dec := json.NewDecoder(bytes.NewReader(normal))
	dec.UseNumber()
	if dec.Decode(&out) != nil {
		return nil
	}
	return out
}

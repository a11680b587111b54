package recorder

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// secretName matches names of arguments that hold secrets, whatever the tool.
// It is compiled when it is first needed.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)pass(word|wd|phrase|code)|^(pwd|pin|otp|auth)$|token|secret|authorization|cookie|credential|api[-_]?key`)
})

// redactor takes secrets out of a step.
type redactor struct {
	roles map[string]toolkit.Role // of the arguments, by JSON pointer
	masks map[string][]string     // JSON pointer → texts at it that were typed into fields for secrets
	text  func(string) string     // takes values out
	alias func(tab string) string

	masked []string // pointers of what was changed
}

// args redacts arguments and notes where.
func (r *redactor) args(args any) json.RawMessage {
	out, err := encode(r.value("", "", args))
	if err != nil { // what was decoded can be encoded
		return json.RawMessage("{}")
	}
	slices.Sort(r.masked)
	return out
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func (r *redactor) value(pointer, name string, v any) any {
	switch v := v.(type) {
	case string:
		return r.string(pointer, name, v)
	case json.Number:
		if secretName().MatchString(name) || r.text(v.String()) != v.String() {
			r.masked = append(r.masked, pointer)
			return Mask
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.value(pointer+"/"+strconv.Itoa(i), name, e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for n, e := range v {
			out[r.text(n)] = r.value(pointer+"/"+argument.Escape(n), n, e)
		}
		return out
	}
	return v
}

func (r *redactor) string(pointer, name, s string) string {
	role := r.roles[pointer]
	if role == toolset.RoleTab {
		return r.alias(s)
	}
	out := s
	switch typed, ok := r.masks[pointer]; {
	case named(s) || s == "":
		return s
	case ok && role == toolset.RoleInstruction:
		for _, t := range typed {
			out = strings.ReplaceAll(out, t, Mask)
		}
	case ok, role == toolset.RoleSecret, role == toolset.RoleStored, secretName().MatchString(name):
		out = Mask
	case role == toolset.RoleHeader, strings.EqualFold(name, "headers"):
		out = redactHeader(s)
	case role == toolset.RoleURL, strings.Contains(strings.ToLower(name), "url"):
		if !strings.HasPrefix(s, "data:") {
			out = network.RedactURL(s)
		}
	}
	if out = r.text(out); out != s {
		r.masked = append(r.masked, pointer)
	}
	return out
}

// redactHeader masks the value of "Name: value" when the name says that it is secret.
func redactHeader(line string) string {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return line
	}
	if plain := strings.TrimSpace(value); secretName().MatchString(name) || network.RedactHeader(name, plain) == network.Redacted {
		return name + ": " + Mask
	}
	return line
}

// tree redacts every text of a JSON value, names of members too.
func tree(v any, text func(string) string) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case json.Number:
		if text(v.String()) != v.String() {
			return Mask
		}
	case []any:
		for i := range v {
			v[i] = tree(v[i], text)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for n, e := range v {
			out[text(n)] = tree(e, text)
		}
		return out
	}
	return v
}

// redactJSON redacts a JSON text; what is none is left out.
func redactJSON(raw []byte, text func(string) string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	out, err := encode(tree(v, text))
	if err != nil {
		return nil
	}
	return out
}

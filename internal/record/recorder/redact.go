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

// secretName matches the names of arguments that hold secrets, whatever the tool.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)pass(word|wd|phrase|code)|^(pwd|pin|otp|auth)$|token|secret|authorization|cookie|credential|api[-_]?key`)
})

// redactor removes secrets from the arguments of a step.
type redactor struct {
	roles      map[string]toolkit.Role // of the arguments, by JSON pointer
	secrets    map[string]bool         // pointers of arguments that hold secrets
	redactText func(string) string     // takes values out
	tabAlias   func(tab string) string

	maskedPointers []string // pointers of what was changed
}

// redactArguments returns the redacted arguments and collects the pointers of what it changed.
func (r *redactor) redactArguments(args any) json.RawMessage {
	out, err := encodeJSON(r.redactValue("", "", args))
	if err != nil { // what was decoded can be encoded
		return json.RawMessage("{}")
	}
	slices.Sort(r.maskedPointers)
	return out
}

func encodeJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func (r *redactor) redactValue(pointer, name string, v any) any {
	switch v := v.(type) {
	case string:
		return r.redactString(pointer, name, v)
	case json.Number:
		if secretName().MatchString(name) || r.redactText(v.String()) != v.String() {
			r.maskedPointers = append(r.maskedPointers, pointer)
			return Mask
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.redactValue(pointer+"/"+strconv.Itoa(i), name, e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for n, e := range v {
			out[r.redactText(n)] = r.redactValue(pointer+"/"+argument.Escape(n), n, e)
		}
		return out
	}
	return v
}

func (r *redactor) redactString(pointer, name, s string) string {
	role := r.roles[pointer]
	if role == toolset.RoleTab {
		return r.tabAlias(s)
	}
	out := s
	switch {
	case isSecretReference(s) || s == "":
		return s
	case r.secrets[pointer], role == toolset.RoleSecret, role == toolset.RoleStored, secretName().MatchString(name):
		out = Mask
	case role == toolset.RoleHeader, strings.EqualFold(name, "headers"):
		out = redactHeader(s)
	case role == toolset.RoleURL, strings.Contains(strings.ToLower(name), "url"):
		if !strings.HasPrefix(s, "data:") {
			out = network.RedactURL(s)
		}
	}
	if out = r.redactText(out); out != s {
		r.maskedPointers = append(r.maskedPointers, pointer)
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

// redactTree redacts every string of a JSON value, names of members too.
func redactTree(v any, text func(string) string) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case json.Number:
		if text(v.String()) != v.String() {
			return Mask
		}
	case []any:
		for i := range v {
			v[i] = redactTree(v[i], text)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for n, e := range v {
			out[text(n)] = redactTree(e, text)
		}
		return out
	}
	return v
}

// redactJSON redacts a JSON text; nil when raw is no JSON.
func redactJSON(raw []byte, text func(string) string) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	out, err := encodeJSON(redactTree(v, text))
	if err != nil {
		return nil
	}
	return out
}

package argument

import (
	"strconv"
	"strings"
)

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

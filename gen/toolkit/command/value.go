package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// value is a parameter's value while a command line is read; it implements pflag.Value.
type value struct {
	param   *Param
	lenient bool
	raw     []byte            // JSON; nil when not given
	items   []json.RawMessage // of an array
}

func (v *value) isSet() bool { return v.raw != nil || v.items != nil }

// json is the value as the tool takes it.
func (v *value) json() json.RawMessage {
	if v.items == nil {
		return v.raw
	}
	return slices.Concat([]byte("["), bytes.Join(asBytes(v.items), []byte(",")), []byte("]"))
}

func asBytes(items []json.RawMessage) [][]byte {
	return slicesx.List(items, func(x json.RawMessage) []byte { return x })
}

// Set reads one occurrence. Arrays gather what repeated flags give; of anything else the last
// occurrence counts.
func (v *value) Set(text string) error {
	if v.lenient && isPlaceholder(text) {
		v.raw, v.items = quote(text), nil
		return nil
	}
	p := v.param
	if p.Value != "" {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("it is a switch and takes no value")
		}
		if v.raw = nil; on {
			v.raw = []byte(p.Value)
		}
		return nil
	}
	if p.Kind == Array {
		return v.append(text)
	}
	raw, err := scalar(p.Kind, text)
	if err != nil {
		return err
	}
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
		return fmt.Errorf("%q is not one of %s%s", text, strings.Join(p.Enum, ", "), didYouMean(text, p.Enum, ""))
	}
	v.raw = raw
	return nil
}

// append adds to an array: a JSON array as it is, several numbers between commas, else one item.
func (v *value) append(text string) error {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			return fmt.Errorf("%q is no JSON array", text)
		}
		v.items = append(slices.Grow(v.items, 1), items...)
		return nil
	}
	parts := []string{text}
	if v.param.Items == Integer || v.param.Items == Number {
		parts = strings.Split(text, ",")
	}
	for _, part := range parts {
		item, err := scalar(v.param.Items, part)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	return nil
}

// scalar reads one value of a kind as JSON; objects and arrays inside arrays are written as JSON.
func scalar(kind Kind, text string) (json.RawMessage, error) {
	switch kind {
	case Integer:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		return strconv.AppendInt(nil, n, 10), nil
	case Number:
		f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return json.Marshal(f)
	case Boolean:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return strconv.AppendBool(nil, on), nil
	case Object, Array:
		begin := map[Kind]string{Object: "{", Array: "["}[kind]
		if !json.Valid([]byte(text)) || !strings.HasPrefix(strings.TrimSpace(text), begin) {
			return nil, fmt.Errorf("%q is no JSON %s", text, kind)
		}
		return json.RawMessage(text), nil
	default:
		return quote(text), nil
	}
}

// quote is text as a JSON string; bytes that are no UTF-8 become U+FFFD.
func quote(text string) json.RawMessage {
	raw, err := marshal(text)
	if err != nil { // strings always encode
		return json.RawMessage(`""`)
	}
	return raw
}

// String is the value for pflag, which takes "" for a default not worth showing.
func (v *value) String() string {
	if v == nil || v.param == nil || !v.isSet() {
		return ""
	}
	return string(v.json())
}

// Type returns the word behind the flag in help, such as n for an integer.
func (v *value) Type() string {
	switch {
	case v.param.Kind == Boolean || v.param.Value != "":
		return "bool" // pflag shows no type for it
	case v.param.Kind == Array && v.param.Items != "":
		return string(v.param.Items) + "…"
	case v.param.Kind == Object || v.param.Kind == Array:
		return "json"
	case v.param.Kind == Integer:
		return "n"
	}
	return string(v.param.Kind)
}

func isPlaceholder(word string) bool {
	return len(word) > 2 && word[0] == '<' && word[len(word)-1] == '>'
}

// help is a flag's line in help.
func help(p *Param) string {
	var parts []string
	if p.Usage != "" {
		parts = append(parts, strings.ReplaceAll(p.Usage, "`", "'")) // pflag reads back quotes as a name
	}
	if len(p.Enum) > 0 {
		parts = append(parts, "one of "+strings.Join(p.Enum, ", "))
	}
	text := strings.Join(parts, "; ")
	switch {
	case p.Required:
		text += " (required)"
	case p.Default != "":
		text += " (default " + p.Default + ")"
	}
	return strings.TrimSpace(text)
}

// Split divides a line into words as a shell does: white space separates, quotes and backslashes keep it. A backslash
// before another character than these stays, as in a path of Windows. Nothing is expanded.
func Split(line string) ([]string, error) {
	var words []string
	var word []byte
	open, quoted := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted != 0 && c == quoted:
			quoted = 0
		case c == '\\' && quoted != '\'' && i+1 < len(line) && strings.IndexByte("\\\"' \t\n", line[i+1]) >= 0:
			i++
			word, open = append(word, line[i]), true
		case quoted != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			quoted, open = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				words = append(words, string(word))
			}
			word, open = nil, false
		default:
			word, open = append(word, c), true
		}
	}
	if quoted != 0 {
		return nil, usagef("a quote is not closed in %q", line)
	}
	if open {
		words = append(words, string(word))
	}
	return words, nil
}

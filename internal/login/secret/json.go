package secret

import (
	"bytes"
	"encoding/json"
)

// JSON gives a JSON text as redact leaves it, and still as JSON: where a value stands in a number, or across the marks of
// the text, the number becomes a text. redact is Vault.Redact, or the like.
func JSON(redact func(string) string, text []byte) []byte {
	plain := redact(string(text))
	if plain == string(text) || json.Valid([]byte(plain)) || !json.Valid(text) {
		return []byte(plain)
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // numbers stay as they were written
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if dec.Decode(&value) != nil || enc.Encode(redactJSONValue(redact, value)) != nil { // what is valid does both
		return []byte("null")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// redactJSONValue redacts the texts and numbers of a JSON value, and the names of its properties.
func redactJSONValue(redact func(string) string, value any) any {
	switch value := value.(type) {
	case string:
		return redact(value)
	case json.Number:
		if text := redact(value.String()); text != value.String() {
			return text
		}
	case []any:
		for i := range value {
			value[i] = redactJSONValue(redact, value[i])
		}
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, v := range value {
			out[redact(name)] = redactJSONValue(redact, v)
		}
		return out
	}
	return value
}

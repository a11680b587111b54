package secret

import (
	"bytes"
	"encoding/json"
)

// JSON redacts a JSON text and keeps it valid. A number that contains a value becomes a string.
// redact is Vault.Redact or a similar function.
func JSON(redact func(string) string, text []byte) []byte {
	plain := redact(string(text))
	if plain == string(text) || json.Valid([]byte(plain)) || !json.Valid(text) {
		return []byte(plain)
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // keeps the text of numbers
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if dec.Decode(&value) != nil || enc.Encode(redactJSONValue(redact, value)) != nil { // valid JSON always does both
		return []byte("null")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// redactJSONValue redacts strings, numbers and property names of a JSON value.
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

package mcpserver

import (
	"bytes"
	"crypto/rand"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// idMapping preserves the exact value of request ids that the SDK would round: it holds ids as texts and
// 64-bit integers only. Such an id becomes a text on its way in, and the number again on its way
// out. The text begins with a random prefix, so that no text of a client equals one.
type idMapping struct{ prefix []byte }

func newIDMapping() idMapping { return idMapping{[]byte("number-" + rand.Text() + "-")} }

// isExactID reports whether the SDK keeps an id as it is: a text, or an integer that a float64 holds. No pattern,
// which would be compiled before the first answer.
func isExactID(raw json.RawMessage) bool {
	digits := bytes.TrimPrefix(raw, []byte{'-'})
	return bytes.HasPrefix(raw, []byte{'"'}) || len(digits) > 0 && len(digits) <= 15 && len(bytes.Trim(digits, "0123456789")) == 0
}

// wrap returns the id that the SDK gets for raw, which is a JSON text or number.
func (k idMapping) wrap(raw json.RawMessage) json.RawMessage {
	if isExactID(raw) {
		return raw
	}
	return append(append(append([]byte{'"'}, k.prefix...), raw...), '"') // a number needs no escapes
}

// unwrap puts the number back into the first message of the SDK in text.
func (k idMapping) unwrap(text []byte) []byte {
	mark := append([]byte(`"id":"`), k.prefix...)
	before, rest, found := bytes.Cut(text, mark)
	if !found {
		return text
	}
	number, after, found := bytes.Cut(rest, []byte{'"'})
	if !found {
		return text
	}
	return bytes.Join([][]byte{before, []byte(`"id":`), number, after}, nil)
}

// unwrapID returns the JSON of an id that the SDK has.
func (k idMapping) unwrapID(id jsonrpc.ID) (json.RawMessage, error) {
	if text, ok := id.Raw().(string); ok && bytes.HasPrefix([]byte(text), k.prefix) {
		return json.RawMessage(text[len(k.prefix):]), nil
	}
	return json.Marshal(id.Raw())
}

// clientMessage is a message of a client that is valid JSON-RPC.
type clientMessage struct {
	jsonrpc.Message

	text   []byte          // with ids that the SDK keeps exactly
	id     json.RawMessage // as the client wrote it; nil for notifications
	method string          // "" for responses
}

// read reads one message, which is valid JSON. The error has the code for the client; the id is
// that of the message, or null.
func (k idMapping) read(text []byte) (m clientMessage, id json.RawMessage, failure *jsonrpc.Error) {
	id = json.RawMessage("null")
	invalid := func(message string) (clientMessage, json.RawMessage, *jsonrpc.Error) {
		return m, id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
	}
	if bytes.TrimSpace(text)[0] == '[' {
		return invalid("batches are not supported; send one message at a time")
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return invalid("not a JSON-RPC 2.0 message")
	}
	m.text = text
	if raw, ok := members["id"]; ok {
		if !isID(raw) {
			return invalid("the id of a request is a string or a number")
		}
		id, m.id = raw, raw
	}
	_ = json.Unmarshal(members["method"], &m.method) // "" is a response, or refused below
	if members["method"] == nil && members["result"] == nil && members["error"] == nil {
		return invalid("not a JSON-RPC 2.0 message: it has no method")
	}
	if m.method != "" && !k.wrapMembers(&m, members) {
		return invalid("not a JSON-RPC 2.0 message")
	}
	var err error
	if m.Message, err = jsonrpc.DecodeMessage(m.text); err != nil {
		return invalid("not a JSON-RPC 2.0 message")
	}
	return m, id, nil
}

// wrapMembers replaces the ids of a request, and that of the request which it cancels.
func (k idMapping) wrapMembers(m *clientMessage, members map[string]json.RawMessage) bool {
	changed := false
	if m.id != nil && !isExactID(m.id) {
		members["id"], changed = k.wrap(m.id), true
	}
	if m.method == "notifications/cancelled" {
		var params map[string]json.RawMessage
		_ = json.Unmarshal(members["params"], &params) // the SDK refuses what is no object
		if raw := params["requestId"]; isID(raw) && !isExactID(raw) {
			params["requestId"], changed = k.wrap(raw), true
			encoded, err := json.Marshal(params)
			if err != nil {
				return false
			}
			members["params"] = encoded
		}
	}
	if !changed {
		return true
	}
	text, err := json.Marshal(members)
	m.text = text
	return err == nil
}

// isID reports whether raw, which is JSON, is a string or a number.
func isID(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit/offered"
)

// listsOf returns the lists of a server: the member that holds one in a result, the method that returns it,
// the capability that announces it, and the member that names an entry.
func listsOf(s *Server) []list {
	return []list{
		{&s.Tools, "tools", "tools/list", "tools", "name"},
		{&s.Prompts, "prompts", "prompts/list", "prompts", "name"},
		{&s.Resources, "resources", "resources/list", "resources", "uri"},
		{&s.Templates, "resourceTemplates", "resources/templates/list", "resources", "uriTemplate"},
	}
}

type list struct {
	items                          *[]Item
	member, method, capability, id string
}

// Decode reads a list from JSON of one of these shapes: what Encode returns; the result of a request
// such as tools/list; a JSON-RPC response or a line of a log that holds one; an array of tools. At least
// one list must be there.
func Decode(data []byte) (*Server, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if !json.Valid(data) {
		var v any
		return nil, fmt.Errorf("it is not JSON: %w", json.Unmarshal(data, &v))
	}
	if data[0] == '[' {
		s := &Server{}
		return s, listsOf(s)[0].add(data)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, errors.New("it is neither an object nor an array")
	}
	if text, ok := members["error"]; ok && members["result"] == nil {
		return nil, fmt.Errorf("it is an error of JSON-RPC and no list: %.300s", text)
	}
	if result, ok := members["result"]; ok {
		return Decode(result)
	}
	about, err := offered.Describe(data)
	if err != nil {
		return nil, err
	}
	s := &about
	found := false
	for _, l := range listsOf(s) {
		if raw, ok := members[l.member]; ok {
			found = true
			if err := l.add(raw); err != nil {
				return nil, err
			}
		}
	}
	if !found {
		return nil, errors.New(`it has none of the lists "tools", "prompts", "resources" and "resourceTemplates"; the result of tools/list has the first`)
	}
	return s, nil
}

// add appends the entries of a JSON array to the list, which is known afterwards.
func (l list) add(raw json.RawMessage) error {
	var rows []json.RawMessage
	if err := json.Unmarshal(raw, &rows); err != nil {
		return fmt.Errorf("%q is no array", l.member)
	}
	return l.append(rows)
}

// append appends entries to the list.
func (l list) append(rows []json.RawMessage) error {
	if *l.items == nil {
		*l.items = []Item{}
	}
	for i, row := range rows {
		var entry map[string]json.RawMessage
		var name string
		if json.Unmarshal(row, &entry) != nil || json.Unmarshal(entry[l.id], &name) != nil || name == "" {
			return fmt.Errorf("entry %d of %q has no %q: %.120s", i+1, l.member, l.id, row)
		}
		*l.items = append(*l.items, Item{Name: name, Raw: bytes.Clone(row)})
	}
	return nil
}

type member struct {
	name  string
	value json.RawMessage
}

// objectMembers returns the members of a JSON object in their order.
func objectMembers(data []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: fmt.Sprint(name)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// Encode returns a file that Decode reads: one entry a line, so that a diff of two files names what
// changed.
func Encode(s *Server) ([]byte, error) {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encode the server: %w", err)
	}
	members, err := objectMembers(plain.Bytes())
	if err != nil {
		return nil, fmt.Errorf("encode the server: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("{")
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n  %q: ", m.name)
		writeRows(&b, m.value)
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// writeRows writes an array with one entry a line, and any other value as it is.
func writeRows(b *bytes.Buffer, value json.RawMessage) {
	var rows []json.RawMessage
	if value[0] != '[' || json.Unmarshal(value, &rows) != nil || len(rows) == 0 {
		b.Write(value)
		return
	}
	b.WriteByte('[')
	for i, row := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(row)
	}
	b.WriteString("\n  ]")
}

package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Object shows a JSON object: its scalars as lines, its lists of objects as tables. It reports
// false, and shows nothing, for what would not be readable so.
func (s *Screen) Object(raw []byte) (bool, error) {
	members, ok := decodeMembers(raw)
	if !ok {
		return false, nil
	}
	var lines []string
	type table struct {
		head []string
		rows [][]string
	}
	var tables []table
	for _, m := range members {
		if text, ok := formatScalar(m.value); ok {
			lines = append(lines, m.key+": "+text)
			continue
		}
		head, rows, ok := decodeTable(m.value)
		if !ok {
			return false, nil
		}
		if len(rows) > 0 {
			tables = append(tables, table{head, rows})
		}
	}
	for _, l := range lines {
		if err := s.Line(l); err != nil {
			return true, err
		}
	}
	for _, t := range tables {
		if err := s.Table(t.head, t.rows); err != nil {
			return true, err
		}
	}
	return true, nil
}

type member struct {
	key   string
	value json.RawMessage
}

// decodeMembers lists an object's members in the order they are written.
func decodeMembers(raw []byte) ([]member, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var out []member
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, false
		}
		out = append(out, member{key, value})
	}
	return out, true
}

// formatScalar is a JSON scalar as text for a cell.
func formatScalar(raw json.RawMessage) (string, bool) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return "", false
	}
	switch v := v.(type) {
	case string:
		return strings.Join(strings.Fields(Plain(v)), " "), true
	case nil:
		return "", true
	case map[string]any, []any:
		return "", false
	}
	return string(raw), true
}

// decodeTable reads a list of flat objects.
func decodeTable(raw json.RawMessage) (head []string, rows [][]string, ok bool) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, nil, false
	}
	at := make(map[string]int)
	parsed := make([][]member, len(items))
	for i, item := range items {
		if parsed[i], ok = decodeMembers(item); !ok {
			return nil, nil, false
		}
		for _, m := range parsed[i] {
			if _, known := at[m.key]; !known {
				at[m.key] = len(head)
				head = append(head, m.key)
			}
		}
	}
	for _, members := range parsed {
		row := make([]string, len(head))
		for _, m := range members {
			text, ok := formatScalar(m.value)
			if !ok {
				return nil, nil, false
			}
			row[at[m.key]] = text
		}
		rows = append(rows, row)
	}
	return head, rows, true
}

// Package place finds out what a position of a YAML text is: a key of which mapping, or the value under
// which keys.
//
// The text may be wrong in any way, as it is while it is typed, so this is no parser: it follows indents
// and brackets up to the position. It must not know what a manifest is.
package place

import (
	"slices"
	"strings"
)

// Step is one step from the root of a document: a key of a mapping, or an entry of a list.
type Step struct {
	Key   string // "" for an entry of a list
	Entry bool
}

// Role says what stands at a position.
type Role int

// The roles.
const (
	Nothing Role = iota // a comment, or a line of a block scalar
	Key                 // a key of the mapping at the path
	Value               // the value at the path
	Either              // the value at the path, or the first key of a mapping there
)

// Place is what a position is.
type Place struct {
	Path []Step
	Role Role
	Keys []string // keys that the mapping of a Key has already
	// Word is the name at the position; it stands at the bytes Start to End of the line.
	Word       string
	Start, End int
	IsKey      bool // a colon follows the word
}

// At finds the place of a byte of a line; both count from 0. A position outside the text is Nothing.
func At(lines []string, line, column int) Place {
	if line < 0 || line >= len(lines) || column < 0 || column > len(lines[line]) {
		return Place{}
	}
	s := scanner{block: -1}
	for _, text := range lines[:line] {
		s.line(strings.TrimRight(text, "\r"), false)
	}
	out := Place{}
	out.Start, out.End = word(lines[line], column)
	out.Word = lines[line][out.Start:out.End]
	after := strings.TrimLeft(lines[line][out.End:], `"'`)
	out.IsKey = out.Word != "" && (after == ":" || strings.HasPrefix(after, ": ") || strings.HasPrefix(after, ":\r"))
	out.Role = s.line(lines[line][:column], true)
	if out.Role == Either && out.IsKey {
		out.Role = Key
	}
	out.Path = s.path()
	if top := s.top(); out.Role == Key && top != nil && !top.list {
		out.Keys = slices.Clone(top.keys)
		if !top.flow {
			out.Keys = append(out.Keys, following(lines[line+1:], top.indent)...)
		}
	}
	return out
}

// word returns where the name around a column begins and ends.
func word(text string, column int) (start, end int) {
	start, end = column, column
	for start > 0 && isNameByte(text[start-1]) {
		start--
	}
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	for start < column && text[start] == '-' {
		start++
	}
	return start, end
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// following lists the keys that the rest of a block mapping has.
func following(lines []string, indent int) []string {
	var out []string
	for _, text := range lines {
		body := strings.TrimLeft(text, " ")
		if body == "" || body[0] == '#' {
			continue
		}
		at := len(text) - len(body)
		if at < indent || at == indent && strings.HasPrefix(body, "- ") {
			break
		}
		if key, _, ok := cutKey(body); ok && at == indent {
			out = append(out, key)
		}
	}
	return out
}

// cutKey cuts a line's key from what follows its colon.
func cutKey(body string) (key, rest string, ok bool) {
	if body != "" && (body[0] == '"' || body[0] == '\'') {
		end := strings.IndexByte(body[1:], body[0])
		if end < 0 {
			return "", "", false
		}
		key, rest = body[1:end+1], strings.TrimLeft(body[end+2:], " ")
		if !strings.HasPrefix(rest, ":") {
			return "", "", false
		}
		return key, rest[1:], true
	}
	if body != "" && strings.IndexByte("{[#", body[0]) >= 0 {
		return "", "", false
	}
	if trimmed := strings.TrimRight(body, " \r"); strings.HasSuffix(trimmed, ":") && !strings.Contains(trimmed, ": ") {
		return strings.TrimSuffix(trimmed, ":"), "", true
	}
	key, rest, ok = strings.Cut(body, ": ")
	if strings.Contains(key, " #") {
		return "", "", false
	}
	return key, rest, ok
}

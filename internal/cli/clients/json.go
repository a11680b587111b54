package clients

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tailscale/hujson"
)

// setJSON puts a value under a name into the object of a key, by textual insertion: comments, other
// members and the format stay.
func setJSON(text []byte, key, name string, value any) ([]byte, error) {
	bom, body := cutMark(text)
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	root, err := parseJSON(body)
	if err != nil {
		return nil, err
	}
	s := styleOf(body, root)
	servers := member(root, key)
	if servers == nil {
		return join(bom, s.insert(body, root, 1, key, map[string]any{name: value})), nil
	}
	if !isObject(servers) {
		return nil, syntaxError(body, servers.StartOffset, "%q is not an object", key)
	}
	entry := member(servers, name)
	switch {
	case entry == nil:
		return join(bom, s.insert(body, servers, 2, name, value)), nil
	case isEqualJSON(body[entry.StartOffset:entry.EndOffset], value):
		return text, nil
	}
	return join(bom, splice(body, entry.StartOffset, entry.EndOffset, s.render(value, 2))), nil
}

// removeJSON takes the member of a name out of the object of a key.
func removeJSON(text []byte, key, name string) ([]byte, error) {
	bom, body := cutMark(text)
	if len(bytes.TrimSpace(body)) == 0 {
		return text, nil
	}
	root, err := parseJSON(body)
	if err != nil {
		return nil, err
	}
	servers := member(root, key)
	if servers == nil || !isObject(servers) || member(servers, name) == nil {
		return text, nil
	}
	members := servers.Value.(*hujson.Object).Members
	for i := range members {
		if m := &members[i]; nameOf(m) == name {
			begin, end := lineStart(body, m.Name.StartOffset), m.Value.EndOffset
			if open, closing := servers.StartOffset+1, servers.EndOffset-1; len(members) == 1 && isBlank(body[open:m.Name.StartOffset]) && isBlank(body[end:closing]) {
				return join(bom, splice(body, open, closing, "")), nil
			}
			if comma := skipExtra(body, end); body[comma] == ',' {
				end = comma + 1
			} else if i > 0 { // the last: the comma before it goes
				comma := skipExtra(body, members[i-1].Value.EndOffset)
				return join(bom, splice(splice(body, begin, end, ""), comma, comma+1, "")), nil
			}
			return join(bom, splice(body, begin, end, "")), nil
		}
	}
	return text, nil
}

// isBlank reports whether there is nothing but white space and a comma.
func isBlank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n,")) == 0 }

// cutMark divides a text into its byte order mark and the rest.
func cutMark(text []byte) (mark, body []byte) {
	const bom = "\xef\xbb\xbf"
	body, _ = bytes.CutPrefix(text, []byte(bom))
	return text[:len(text)-len(body)], body
}

func join(a, b []byte) []byte { return append(bytes.Clone(a), b...) }

var hujsonPosition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)$`) })

// parseJSON reads an object.
func parseJSON(body []byte) (*hujson.Value, error) {
	root, err := hujson.Parse(bytes.Clone(body))
	if err != nil {
		if m := hujsonPosition().FindStringSubmatch(err.Error()); m != nil {
			line, _ := strconv.Atoi(m[1]) // digits
			column, _ := strconv.Atoi(m[2])
			return nil, &SyntaxError{line, column, m[3]}
		}
		return nil, &SyntaxError{1, 1, err.Error()}
	}
	root.UpdateOffsets()
	if !isObject(&root) {
		return nil, syntaxError(body, root.StartOffset, "the file is not an object")
	}
	return &root, nil
}

func isObject(v *hujson.Value) bool {
	_, ok := v.Value.(*hujson.Object)
	return ok
}

// member returns the value of a member; of several, the last, as clients read it.
func member(v *hujson.Value, name string) *hujson.Value {
	members := v.Value.(*hujson.Object).Members
	for i := len(members) - 1; i >= 0; i-- {
		if nameOf(&members[i]) == name {
			return &members[i].Value
		}
	}
	return nil
}

func nameOf(m *hujson.ObjectMember) string {
	literal, _ := m.Name.Value.(hujson.Literal) // names are literals
	return literal.String()
}

func isEqualJSON(text []byte, value any) bool {
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return false
	}
	want, err := json.Marshal(value)
	if err != nil {
		return false
	}
	var a, b any
	return json.Unmarshal(plain, &a) == nil && json.Unmarshal(want, &b) == nil && reflect.DeepEqual(a, b)
}

// style is the indentation and the line ending of a file.
type style struct{ unit, newline string }

// styleOf reads the style off the first member of a file.
func styleOf(body []byte, root *hujson.Value) style {
	s := style{"  ", newline(body)}
	if members := root.Value.(*hujson.Object).Members; len(members) > 0 {
		begin := members[0].Name.StartOffset
		line := bytes.LastIndexByte(body[:begin], '\n') + 1
		if lead := string(body[line:begin]); lead != "" && strings.Trim(lead, " \t") == "" {
			s.unit = lead
		}
	}
	return s
}

// render is a value as text, whose further lines stand at a depth.
func (s style) render(value any, depth int) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.Repeat(s.unit, depth), s.unit)
	if err := enc.Encode(value); err != nil { // texts and lists of them always encode
		return "{}"
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", s.newline)
}

// insert adds a member to the end of an object whose members stand at a depth.
func (s style) insert(body []byte, object *hujson.Value, depth int, name string, value any) []byte {
	closing := object.EndOffset - 1
	at := len(bytes.TrimRight(body[:closing], " \t\r\n"))
	text := s.newline + strings.Repeat(s.unit, depth) + s.render(name, 0) + ": " + s.render(value, depth)
	if !bytes.Contains(body[at:closing], []byte("\n")) {
		text += s.newline + strings.Repeat(s.unit, depth-1)
		body = splice(body, at, closing, "") // blanks before the brace
	}
	out := splice(body, at, at, text)
	if members := object.Value.(*hujson.Object).Members; len(members) > 0 {
		end := members[len(members)-1].Value.EndOffset
		if body[skipExtra(body, end)] != ',' {
			out = splice(out, end, end, ",")
		}
	}
	return out
}

// skipExtra returns the offset of the next byte that is neither white space nor part of a comment. There is
// one: a brace closes every object.
func skipExtra(body []byte, i int) int {
	for {
		switch {
		case bytes.HasPrefix(body[i:], []byte("//")):
			i += bytes.IndexByte(body[i:], '\n')
		case bytes.HasPrefix(body[i:], []byte("/*")):
			i += bytes.Index(body[i:], []byte("*/")) + 1
		case strings.IndexByte(" \t\r\n", body[i]) < 0:
			return i
		}
		i++
	}
}

// lineStart returns where the white space before an offset begins, with the end of the line before it.
func lineStart(body []byte, i int) int {
	j := len(bytes.TrimRight(body[:i], " \t"))
	if j > 0 && body[j-1] == '\n' {
		j--
		if j > 0 && body[j-1] == '\r' {
			j--
		}
		return j
	}
	return i
}

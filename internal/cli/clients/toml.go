package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// setTOML puts the table [key.name] into a file: at its end, or in place of the one that is there.
func setTOML(text []byte, key, name string, e Entry) ([]byte, error) {
	entry, exists, err := readTOML(text, key, name)
	if err != nil {
		return nil, err
	}
	if exists && isEntry(entry, e) {
		return text, nil
	}
	end := newline(text)
	table := strings.ReplaceAll(renderTOML(key, name, e), "\n", end)
	var out []byte
	switch begin, stop, at := tableRange(text, key, name); {
	case exists && at < 0:
		return nil, syntaxError(text, 0, "%s.%s is not a table of its own; change it by hand", key, name)
	case exists:
		out = splice(text, begin, stop, table)
	default:
		out = bytes.TrimRight(text, " \t\r\n")
		if len(out) > 0 {
			table = end + end + table
		}
		out = append(bytes.Clone(out), table...)
	}
	if _, _, err := readTOML(out, key, name); err != nil { // such as after an inline table of servers
		return nil, syntaxError(text, 0, "%s is not a table that can be added to; change it by hand", key)
	}
	return out, nil
}

// removeTOML takes the table [key.name] out, with the tables below it.
func removeTOML(text []byte, key, name string) ([]byte, error) {
	_, exists, err := readTOML(text, key, name)
	if err != nil || !exists {
		return text, err
	}
	begin, stop, at := tableRange(text, key, name)
	if at < 0 {
		return nil, syntaxError(text, 0, "%s.%s is not a table of its own; change it by hand", key, name)
	}
	for at >= 0 {
		rest := bytes.TrimLeft(text[stop:], "\r\n")
		before := bytes.TrimRight(text[:begin], "\r\n")
		end := newline(text)
		switch {
		case len(before) == 0:
			text = bytes.Clone(rest)
		case len(rest) == 0:
			text = append(bytes.Clone(before), end...)
		default:
			text = append(append(bytes.Clone(before), end+end...), rest...)
		}
		begin, stop, at = tableRange(text, key, name)
	}
	return text, nil
}

// readTOML returns the table of a server.
func readTOML(text []byte, key, name string) (entry map[string]any, exists bool, err error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, false, &SyntaxError{line, column, strings.TrimPrefix(at.Error(), "toml: ")}
		}
		return nil, false, &SyntaxError{1, 1, err.Error()}
	}
	servers, ok := all[key].(map[string]any)
	if !ok && all[key] != nil {
		return nil, false, syntaxError(text, 0, "%q is not a table", key)
	}
	value, exists := servers[name]
	entry, _ = value.(map[string]any) // anything else is no entry, and differs
	return entry, exists, nil
}

// isEntry reports whether a table starts the server as an entry does; other keys are the person's.
func isEntry(table map[string]any, e Entry) bool {
	var args []string
	list, _ := table["args"].([]any)
	for _, x := range list {
		args = append(args, fmt.Sprint(x))
	}
	env := map[string]string{}
	values, _ := table["env"].(map[string]any)
	for k, v := range values {
		env[k] = fmt.Sprint(v)
	}
	return table["command"] == e.Command && slices.Equal(args, e.Args) && (len(e.Env) == 0 || reflect.DeepEqual(env, e.Env))
}

func renderTOML(key, name string, e Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s.%s]\ncommand = %s\n", key, name, quoteTOML(e.Command))
	quoted := slicesx.List(e.Args, quoteTOML)
	fmt.Fprintf(&b, "args = [%s]\n", strings.Join(quoted, ", "))
	return b.String()
}

// quoteTOML is text as a basic string.
func quoteTOML(text string) string {
	encoded, err := toml.Marshal(map[string]string{"v": text})
	if err != nil { // text always encodes
		return `""`
	}
	return strings.TrimSpace(strings.TrimPrefix(string(encoded), "v = "))
}

// tableRange returns the bytes from the header [key.name], or of a table below it, to the end of its last
// line, and the offset of the header; -1 without one.
func tableRange(text []byte, key, name string) (begin, stop, at int) {
	p := unstable.Parser{}
	p.Reset(text)
	at = -1
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		var path []string
		first := -1
		for keys := e.Key(); keys.Next(); {
			if n := keys.Node(); first < 0 {
				first = int(n.Raw.Offset)
				path = append(path, string(n.Data))
			} else {
				path = append(path, string(n.Data))
			}
		}
		line := bytes.LastIndexByte(text[:max(first, 0)], '\n') + 1
		if at >= 0 {
			return begin, trimEnd(text, begin, line), at
		}
		if len(path) >= 2 && path[0] == key && path[1] == name {
			begin, at = line, first
		}
	}
	return begin, trimEnd(text, begin, len(text)), at
}

// trimEnd moves an end back over blank lines and comments, which belong to what follows.
func trimEnd(text []byte, begin, end int) int {
	for end > begin {
		line := bytes.LastIndexByte(text[begin:end-1], '\n') + 1 + begin
		content := bytes.TrimSpace(text[line:end])
		if len(content) > 0 && content[0] != '#' || line == begin {
			return end
		}
		end = line
	}
	return end
}

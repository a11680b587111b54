package yamltree

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spelling"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree/yamlslip"
)

// What the readers want, as messages say it.
const (
	wantText   = "text"
	wantBool   = "true or false"
	wantNumber = "a number"
	wantInt    = "a whole number"
	wantList   = "a list"
)

// assigned splits a key that is written with an equals sign; value is "" for any other.
func assigned(key string) (name, value string) {
	name, value, _ = strings.Cut(key, "=")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

// commaForColon reports a key without a value, in braces, that is followed by another one which is not
// known: a comma stands where the colon belongs.
func (r *Reader) commaForColon(members []Entry, unknown bool) bool {
	if len(members) < 2 || unknown {
		return false
	}
	key, value := members[0].Key, members[1].Key
	for _, m := range members[:2] {
		if n, ok := m.Value.(*ast.NullNode); !ok || r.source(r.Pos(n)) == "null" {
			return false
		}
	}
	between := key.Pos
	between.Col += key.Pos.Len
	between.Len = value.Pos.Col - between.Col
	if key.Pos.Line != value.Pos.Line || strings.TrimSpace(r.source(between)) != "," {
		return false
	}
	d := r.Errorf(between, RuleWrongKind, "a comma stands between %q and its value", key.Value)
	d.Hint, d.Fix = "write a colon", diag.FixBy("write a colon", diag.Replace(between, ": "))
	return true
}

// isForeign reports whether a key is neither valid nor a slip of a valid one.
func (r *Reader) isForeign(key Text, fields []Field) bool {
	names := slicesx.List(fields, func(f Field) string { return f.Name })
	return indexOf(fields, key.Value) < 0 && !spelling.Certain(key.Value, names)
}

// ChildrenBeside counts the members after the first, which has no value, that stand beside it and
// belong into it: those that isChild accepts. It reports the first of them.
func (r *Reader) ChildrenBeside(members []Entry, isChild func(Entry) bool) int {
	parent := members[0].Key
	if _, ok := members[0].Value.(*ast.NullNode); !ok || !r.endsLine(parent) {
		return 0
	}
	n := 0
	for n+1 < len(members) && isChild(members[n+1]) && members[n+1].Key.Pos.Col == parent.Pos.Col {
		n++
	}
	if n > 0 {
		child := members[1].Key
		d := r.Errorf(child.Pos, RuleWrongKind, "%q stands beside %q, which has no value", child.Value, parent.Value)
		d.Hint = fmt.Sprintf("indent it by two more spaces, so that it is part of %q", parent.Value)
		d.Fix = r.indented(members[1:n+1], parent.Pos.Line)
	}
	return n
}

// indented is the fix that moves members of a block, with all of their lines, two columns to the right;
// nil when it would not be readable then.
func (r *Reader) indented(members []Entry, above int) *diag.Fix {
	column := members[0].Key.Pos.Col - 1
	last := above
	for left := len(members) + 1; last < len(r.lines); last++ {
		line := r.lines[last]
		if indent := yamlslip.IndentOf(line); indent >= 0 && indent < column {
			break
		} else if indent == column && !strings.HasPrefix(line[indent:], "- ") {
			if left--; left == 0 {
				break
			}
		}
	}
	for last > above && yamlslip.IndentOf(r.lines[last-1]) < 0 {
		last--
	}
	if last == above {
		return nil
	}
	text := r.slips()
	return text.Certain("indent by two more spaces", text.Shifted(above+1, last, 2))
}

// endsLine reports whether nothing but a comment follows a key in its line.
func (r *Reader) endsLine(key Text) bool {
	at := key.Pos
	at.Col, at.Len = at.Col+at.Len, len(r.lines[at.Line-1])
	after, _, _ := strings.Cut(r.source(at), "#")
	return strings.TrimSpace(after) == ":"
}

// mistyped says how a scalar is written that YAML takes for something else than what its key takes.
func (r *Reader) mistyped(d *diag.Diagnostic, n ast.Node, want string) {
	at := r.Pos(n)
	written := r.source(at)
	switch s := n.(type) {
	case *ast.StringNode:
		value, plain := s.Value, s.Value == written
		if write := "[" + written + "]"; want == wantList && written != "" && !strings.ContainsAny(value, ",[]{}") {
			if value == "" {
				write = "[]"
			}
			d.Hint, d.Fix = "write "+write, diag.FixBy("write "+write, diag.Replace(at, write))
		}
		if write, ok := map[string]string{"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}[strings.ToLower(value)]; ok && want == wantBool {
			d.Hint, d.Fix = "write "+write, diag.FixBy("write "+write, diag.Replace(at, write))
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil && !plain && (want == wantNumber || want == wantInt && v == float64(int(v))) {
			d.Hint, d.Fix = "leave out the quotes", diag.FixBy("leave out the quotes", diag.Replace(at, value))
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		if want == wantText {
			d.Hint = "quote it"
			if written != "" && !strings.ContainsAny(written, `"\`) {
				d.Fix = diag.FixBy("quote it", diag.Replace(at, `"`+written+`"`))
			}
		}
	}
}

// source returns the text at a place; "" outside of the file.
func (r *Reader) source(at diag.Pos) string {
	if at.Line < 1 || at.Line > len(r.lines) {
		return ""
	}
	runes := []rune(r.lines[at.Line-1])
	from := min(max(at.Col-1, 0), len(runes))
	return string(runes[from:min(from+at.Len, len(runes))])
}

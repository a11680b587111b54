package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec/yamlslip"
	"github.com/callsheet/callsheet/gen/spelling"
)

// What the readers want, as messages say it.
const (
	wantText   = "text"
	wantBool   = "true or false"
	wantNumber = "a number"
	wantInt    = "a whole number"
	wantList   = "a list"
)

// requiredHint mends a list of required parameters, which JSON Schema has.
const requiredHint = "write required: true on each parameter that every call needs"

// standsFor names the keys that are meant by some of homes, so that these are not missing as well.
var standsFor = map[string]string{
	"inputSchema": "input", "parameters": "input", "outputSchema": "output", "annotations": "effects",
	"readOnlyHint": "read_only", "destructiveHint": "destructive", "idempotentHint": "idempotent", "openWorldHint": "open_world",
	"oneOf": "type", "anyOf": "type", "$ref": "type", "$defs": "types",
}

// sample is how a key that a mapping lacks may be written.
func sample(key, in string) string {
	if key == "input" && in == "slim" {
		return "input: []"
	}
	if value, ok := map[string]string{"visible": "always", "input": "{}", "version": "1", "capabilities": "{core: {title: …, description: …}}",
		"scopes": `{default: {status: open, since: "0.1"}}`, "since": `"0.1"`, "scope": "default", "status": "open"}[key]; ok {
		return key + ": " + value
	}
	return key + ": …"
}

// assigned splits a key that is written with an equals sign; value is "" for any other.
func assigned(key string) (name, value string) {
	name, value, _ = strings.Cut(key, "=")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

// commaForColon reports a key without a value, in braces, that is followed by another one which is not
// known: a comma stands where the colon belongs.
func (w *walker) commaForColon(members []member, unknown bool) bool {
	if len(members) < 2 || unknown {
		return false
	}
	key, value := members[0].key, members[1].key
	for _, m := range members[:2] {
		if n, ok := m.value.(*ast.NullNode); !ok || w.source(w.pos(n)) == "null" {
			return false
		}
	}
	between := key.Pos
	between.Col += key.Pos.Len
	between.Len = value.Pos.Col - between.Col
	if key.Pos.Line != value.Pos.Line || strings.TrimSpace(w.source(between)) != "," {
		return false
	}
	d := w.errorf(between, ruleWrongKind, "a comma stands between %q and its value", key.Value)
	d.Hint, d.Fix = "write a colon", diag.FixBy("write a colon", diag.Replace(between, ": "))
	return true
}

// homes says, for keys that authors write in the wrong mapping or know from elsewhere, where they
// belong.
var homes = func() map[string]string {
	out := map[string]string{
		"inputSchema": "the parameters stand under input", "parameters": "the parameters stand under input",
		"outputSchema": "the members of the result stand under output", "annotations": "the effects of a tool stand under effects",
		"readOnlyHint": "write read_only under effects", "destructiveHint": "write destructive under effects",
		"idempotentHint": "write idempotent under effects", "openWorldHint": "write open_world under effects",
		"additional_properties": "write additionalProperties",
		"arguments":             "arguments are of prompts; the parameters of a tool stand under input",
		"oneOf":                 "write union, with a tag and variants", "anyOf": "write union, with a tag and variants",
		"$ref": "a shared type stands under types in the root file; refer to it by type: Name", "$defs": "shared types stand under types",
	}
	for where, keys := range map[string]string{
		"effects":              "read_only destructive idempotent open_world",
		"changes":              "sets clears may_set may_clear",
		"budget":               "result_bytes timeout_ms",
		"traits":               "keeps durable shows record replay",
		"cli":                  "verb args example save hide program",
		"an entry of scopes":   "status",
		"an entry of profiles": "exclude_scopes",
		"deferred":             "cli_equivalent competitor_ref reason",
		"a tool":               "visible listed tier scope effects input output require_when surfaces budget slim builtin",
		"a parameter": "type required default minimum maximum minLength maxLength minItems maxItems pattern items properties additionalProperties from_object " +
			"format nullable union propertyNames minProperties maxProperties",
		"the root file":            "include facts events scenarios scopes profiles invariants capabilities addressed_by list_bytes default_list_bytes list_output_schemas types providers",
		"an entry of capabilities": "opt_in",
		"an entry of resources":    "uri uriTemplate mimeType subscribe variables",
		"an argument":              "complete",
	} {
		for _, key := range strings.Fields(keys) {
			out[key] = "it is a key of " + where
		}
	}
	out["uri_template"], out["mime_type"] = "write uriTemplate", "write mimeType"
	return out
}()

// isKey reports whether a word is a key of the grammar.
func isKey(word string) bool {
	return homes[word] != "" || slices.Contains(strings.Fields("version tools name title description capability changes sets clears cli was not "+
		"deferred since role secret enum listed verb flags"), word)
}

// isForeign reports whether a key is neither valid nor a slip of a valid one.
func (w *walker) isForeign(key Text, fields []field) bool {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return indexOf(fields, key.Value) < 0 && !spelling.Certain(key.Value, names)
}

// childrenBeside counts the members after the first, which has no value, that stand beside it and
// belong into it: those that isChild accepts. It reports the first of them.
func (w *walker) childrenBeside(members []member, isChild func(member) bool) int {
	parent := members[0].key
	if _, ok := members[0].value.(*ast.NullNode); !ok || !w.endsLine(parent) {
		return 0
	}
	n := 0
	for n+1 < len(members) && isChild(members[n+1]) && members[n+1].key.Pos.Col == parent.Pos.Col {
		n++
	}
	if n > 0 {
		child := members[1].key
		d := w.errorf(child.Pos, ruleWrongKind, "%q stands beside %q, which has no value", child.Value, parent.Value)
		d.Hint = fmt.Sprintf("indent it by two more spaces, so that it is part of %q", parent.Value)
		d.Fix = w.indented(members[1:n+1], parent.Pos.Line)
	}
	return n
}

// indented is the fix that moves members of a block, with all of their lines, two columns to the right;
// nil when it would not be readable then.
func (w *walker) indented(members []member, above int) *diag.Fix {
	column := members[0].key.Pos.Col - 1
	last := above
	for left := len(members) + 1; last < len(w.lines); last++ {
		line := w.lines[last]
		if indent := yamlslip.IndentOf(line); indent >= 0 && indent < column {
			break
		} else if indent == column && !strings.HasPrefix(line[indent:], "- ") {
			if left--; left == 0 {
				break
			}
		}
	}
	for last > above && yamlslip.IndentOf(w.lines[last-1]) < 0 {
		last--
	}
	if last == above {
		return nil
	}
	text := w.slips()
	return text.Certain("indent by two more spaces", text.Shifted(above+1, last, 2))
}

// endsLine reports whether nothing but a comment follows a key in its line.
func (w *walker) endsLine(key Text) bool {
	at := key.Pos
	at.Col, at.Len = at.Col+at.Len, len(w.lines[at.Line-1])
	after, _, _ := strings.Cut(w.source(at), "#")
	return strings.TrimSpace(after) == ":"
}

// mistyped says how a scalar is written that YAML takes for something else than what its key takes.
func (w *walker) mistyped(d *diag.Diagnostic, n ast.Node, want string) {
	at := w.pos(n)
	written := w.source(at)
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

// source is what stands at a place.
func (w *walker) source(at diag.Pos) string {
	if at.Line < 1 || at.Line > len(w.lines) {
		return ""
	}
	runes := []rune(w.lines[at.Line-1])
	from := min(max(at.Col-1, 0), len(runes))
	return string(runes[from:min(from+at.Len, len(runes))])
}

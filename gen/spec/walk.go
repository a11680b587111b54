package spec

import (
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// member is one key of a mapping with its value.
type member struct {
	key   Text
	value ast.Node
}

// field is one key that is valid at a place, and what reads its value.
type field struct {
	name     string
	required bool
	read     func(member)
}

// members lists a mapping's members once each; a repeated key is reported and its later value left
// out.
func (w *walker) members(n ast.Node, what string) ([]member, bool) {
	var values []*ast.MappingValueNode
	switch n := w.plain(n).(type) {
	case nil:
		return nil, false
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		w.errorf(w.pos(n), ruleWrongKind, "%s must be a mapping, not %s", what, kindOf(n))
		return nil, false
	}
	out := make([]member, 0, len(values))
	seen := make(map[string]diag.Pos, len(values))
	written := len(values) // what merge keys stand for comes after it
	for i := 0; i < len(values); i++ {
		v := values[i]
		key, ok := w.key(v.Key)
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			values = append(values, w.merged(v.Value)...) // so that it is not missing
		}
		if !ok {
			continue
		}
		if first, ok := seen[key.Value]; ok {
			if i < written {
				d := w.errorf(key.Pos, ruleDuplicateKey, "key %q is already in %s", key.Value, what)
				d.Hint, d.Related = "delete one of the two, or join them", &diag.Related{Pos: first, Message: "first written here"}
			}
			continue
		}
		seen[key.Value] = key.Pos
		out = append(out, member{key, v.Value})
	}
	return out, true
}

func (w *walker) key(n ast.Node) (Text, bool) {
	switch n := n.(type) {
	case *ast.MergeKeyNode:
		w.errorf(w.pos(n), ruleYAMLFeature, "merge keys are not part of %s; write the keys out", w.what).Cause = "anchors of " + w.file
		return Text{}, false
	case *ast.MappingKeyNode:
		w.errorf(w.pos(n), ruleYAMLFeature, "explicit keys (\"?\") are not part of %s", w.what)
		return Text{}, false
	case ast.ScalarNode:
		return w.text(n), true
	}
	plain := w.plain(n)
	if scalar, ok := plain.(ast.ScalarNode); ok {
		return w.text(scalar), true
	}
	if plain != nil {
		w.errorf(w.pos(plain), ruleWrongKind, "a key must be text, not %s", kindOf(plain))
	}
	return Text{}, false
}

// fields reads a mapping whose keys are known: each member goes to its reader, unknown and missing
// keys are reported. The place of a missing key is at, for the mapping itself has none to offer. It
// returns the valid keys as they stand; a misspelt one counts as what was probably meant, and is read
// as that where nothing else can be meant, so that one slip is not also reported as something missing.
func (w *walker) fields(n ast.Node, what string, at diag.Pos, fields ...field) []Text {
	members, ok := w.members(n, what)
	if !ok {
		return nil
	}
	keys := make([]Text, 0, len(members))
	var have uint64 // bit i: fields[i] is there, or its misspelling is
	for k := 0; k < len(members); k++ {
		m := members[k]
		i := indexOf(fields, m.key.Value)
		if skip := w.commaForColon(members[k:], i < 0); skip {
			k++
		} else if i < 0 {
			m, i = w.unknownKey(m, what, fields)
		} else if outside := w.childrenBeside(members[k:], func(m member) bool { return w.isForeign(m.key, fields) }); outside > 0 {
			k += outside
		} else {
			fields[i].read(m)
		}
		if i >= 0 {
			have |= 1 << i
			keys = append(keys, m.key)
		}
	}
	var missing, samples []string
	for i, f := range fields {
		if f.required && have&(1<<i) == 0 {
			missing = append(missing, strconv.Quote(f.name))
			samples = append(samples, sample(f.name, what))
		}
	}
	if len(missing) > 0 {
		d := w.errorf(at, ruleMissingKey, "%s has no %s", what, strings.Join(missing, ", "))
		d.Hint = "add " + strings.Join(samples, ", ")
	}
	return keys
}

func indexOf(fields []field, name string) int {
	for i := range fields {
		if fields[i].name == name {
			return i
		}
	}
	return -1
}

// unknownKey reports a key that is not valid here and returns the member as what was probably meant,
// with its field; -1 when nothing is near. A key of another mapping is no slip of the pen.
func (w *walker) unknownKey(m member, what string, fields []field) (member, int) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	key := m.key
	d := w.errorf(key.Pos, ruleUnknownKey, "unknown key %q in %s", key.Value, what)
	d.Cause = key.Value + " in " + names[0]
	if name, value := assigned(key.Value); value != "" && indexOf(fields, name) >= 0 {
		d.Hint = "write " + name + ": " + value
		d.Fix = diag.FixBy(d.Hint, diag.Replace(key.Pos, name+": "+value))
		m.key.Value = name
		return m, indexOf(fields, name)
	}
	switch home := homes[key.Value]; {
	case home != "":
		d.Hint = home
		if i := indexOf(fields, standsFor[key.Value]); i >= 0 {
			m.key.Value = fields[i].name // so that it is not also missing
			return m, i
		}
		return m, -1
	case !d.Misspelt(key.Pos, key.Value, names):
		d.Hint = "valid here: " + strings.Join(names, ", ")
		return m, -1
	}
	m.key.Value = diag.Nearest(key.Value, names)
	i := indexOf(fields, m.key.Value)
	if d.Fix != nil {
		fields[i].read(m)
	}
	return m, i
}

// wrongKind reports a value of another kind than its key takes. A key without a value is the
// commonest case, and its value has no place, so the key is shown.
func (w *walker) wrongKind(m member, n ast.Node, want string) {
	if _, ok := n.(*ast.NullNode); ok {
		w.errorf(m.key.Pos, ruleWrongKind, "%s has no value; it must be %s", m.key.Value, want)
		return
	}
	d := w.errorf(w.pos(n), ruleWrongKind, "%s must be %s, not %s", m.key.Value, want, kindOf(n))
	if _, ok := n.(ast.ScalarNode); ok {
		w.mistyped(d, n, want)
	} else if m.key.Value == "required" {
		d.Hint = requiredHint
	}
}

// The readers below bind a key to its place in the tree.

func (w *walker) intoText(dst *Text) func(member) {
	return func(m member) {
		switch n := w.plain(m.value).(type) {
		case nil:
		case *ast.StringNode, *ast.LiteralNode:
			*dst = w.text(n)
		default:
			w.wrongKind(m, n, wantText)
		}
	}
}

func (w *walker) intoBool(dst *Scalar[bool]) func(member) {
	return func(m member) {
		switch n := w.plain(m.value).(type) {
		case nil:
		case *ast.BoolNode:
			*dst = Scalar[bool]{n.Value, w.pos(n)}
		default:
			w.wrongKind(m, n, wantBool)
		}
	}
}

func (w *walker) intoInt(dst *Scalar[int]) func(member) {
	return func(m member) {
		n := w.plain(m.value)
		if n == nil {
			return
		}
		v, ok := number(n)
		if !ok || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			w.wrongKind(m, n, wantInt)
			return
		}
		*dst = Scalar[int]{int(v), w.pos(n)}
	}
}

func (w *walker) intoNumber(dst *Scalar[float64]) func(member) {
	return func(m member) {
		n := w.plain(m.value)
		if n == nil {
			return
		}
		v, ok := number(n)
		if !ok {
			w.wrongKind(m, n, wantNumber)
			return
		}
		*dst = Scalar[float64]{v, w.pos(n)}
	}
}

// number is a numeric node's value; infinities and NaN are no numbers of JSON.
func number(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			return float64(v), true
		case uint64:
			return float64(v), true
		}
	case *ast.FloatNode:
		return n.Value, !math.IsInf(n.Value, 0) && !math.IsNaN(n.Value)
	}
	return 0, false
}

func (w *walker) literal(n ast.Node) Literal {
	switch s := n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return Literal{Kind: StringLiteral, Text: w.text(n)}
	case *ast.BoolNode:
		return Literal{Kind: BoolLiteral, Text: w.text(n), Bool: s.Value}
	case *ast.NullNode:
		return Literal{Kind: NullLiteral, Text: w.text(n)}
	}
	if v, ok := number(n); ok {
		return Literal{Kind: NumberLiteral, Text: w.text(n), Number: v}
	}
	return Literal{Kind: OtherLiteral, Text: w.text(n)}
}

func (w *walker) intoLiteral(dst *Literal) func(member) {
	return func(m member) {
		if n := w.plain(m.value); n != nil {
			*dst = w.literal(n)
		}
	}
}

// items lists a sequence's values.
func (w *walker) items(m member, want string) ([]ast.Node, bool) {
	n := w.plain(m.value)
	if n == nil {
		return nil, false
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		w.wrongKind(m, n, want)
		return nil, false
	}
	return seq.Values, true
}

// intoTexts reads a list of texts.
func (w *walker) intoTexts(dst *[]Text) func(member) {
	return func(m member) {
		items, ok := w.items(m, wantList)
		if ok {
			*dst = w.texts(m, items)
		}
	}
}

// intoTextOrTexts reads one text or a list of them.
func (w *walker) intoTextOrTexts(dst *[]Text) func(member) {
	return func(m member) {
		if _, ok := w.plain(m.value).(*ast.SequenceNode); ok {
			w.intoTexts(dst)(m)
			return
		}
		var one Text
		if w.intoText(&one)(m); one.Set() {
			*dst = []Text{one}
		}
	}
}

func (w *walker) texts(m member, items []ast.Node) []Text {
	out := make([]Text, 0, len(items))
	m.key.Value = "an entry of " + m.key.Value
	for _, item := range items {
		var t Text
		if w.intoText(&t)(member{m.key, item}); t.Set() {
			out = append(out, t)
		}
	}
	return out
}

// literals reads a list of scalars.
func (w *walker) literals(items []ast.Node) []Literal {
	out := make([]Literal, 0, len(items))
	for _, item := range items {
		if n := w.plain(item); n != nil {
			out = append(out, w.literal(n))
		}
	}
	return out
}

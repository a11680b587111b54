package yamltree

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// Entry is one key of a mapping with its value.
type Entry struct {
	Key   Text
	Value ast.Node
}

// Field is one key that is valid at a place, and the function that reads its value.
type Field struct {
	Name     string
	Required bool
	Read     func(Entry)
}

// Required returns the field of a key that a mapping must have.
func Required(name string, read func(Entry)) Field { return Field{name, true, read} }

// Optional returns the field of a key that a mapping may have.
func Optional(name string, read func(Entry)) Field { return Field{name, false, read} }

// Members lists a mapping's entries once each; a repeated key is reported and its later value left
// out.
func (r *Reader) Members(n ast.Node, what string) ([]Entry, bool) {
	var values []*ast.MappingValueNode
	switch n := r.Plain(n).(type) {
	case nil:
		return nil, false
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		r.Errorf(r.Pos(n), RuleWrongKind, "%s must be a mapping, not %s", what, KindOf(n))
		return nil, false
	}
	out := make([]Entry, 0, len(values))
	seen := make(map[string]diag.Pos, len(values))
	written := len(values) // what merge keys stand for comes after it
	for i := 0; i < len(values); i++ {
		v := values[i]
		key, ok := r.key(v.Key)
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			values = append(values, r.merged(v.Value)...) // so that it is not missing
		}
		if !ok {
			continue
		}
		if first, ok := seen[key.Value]; ok {
			if i < written {
				d := r.Errorf(key.Pos, RuleDuplicateKey, "key %q is already in %s", key.Value, what)
				d.Hint, d.Related = "delete one of the two, or join them", &diag.Related{Pos: first, Message: "first written here"}
			}
			continue
		}
		seen[key.Value] = key.Pos
		out = append(out, Entry{key, v.Value})
	}
	return out, true
}

func (r *Reader) key(n ast.Node) (Text, bool) {
	switch n := n.(type) {
	case *ast.MergeKeyNode:
		r.Errorf(r.Pos(n), RuleFeature, "merge keys are not part of %s; write the keys out", r.grammar.What).Cause = "anchors of " + r.File
		return Text{}, false
	case *ast.MappingKeyNode:
		r.Errorf(r.Pos(n), RuleFeature, "explicit keys (\"?\") are not part of %s", r.grammar.What)
		return Text{}, false
	case ast.ScalarNode:
		return r.text(n), true
	}
	plain := r.Plain(n)
	if scalar, ok := plain.(ast.ScalarNode); ok {
		return r.text(scalar), true
	}
	if plain != nil {
		r.Errorf(r.Pos(plain), RuleWrongKind, "a key must be text, not %s", KindOf(plain))
	}
	return Text{}, false
}

// Fields reads a mapping whose keys are known: each entry goes to its reader, unknown and missing
// keys are reported. The place of a missing key is at, for the mapping itself has none to offer. It
// returns the valid keys as they stand; a misspelt one counts as what was probably meant, and is read
// as that where nothing else can be meant, so that one slip is not also reported as something missing.
func (r *Reader) Fields(n ast.Node, what string, at diag.Pos, fields ...Field) []Text {
	members, ok := r.Members(n, what)
	if !ok {
		return nil
	}
	keys := make([]Text, 0, len(members))
	var have uint64 // bit i: fields[i] is there, or its misspelling is
	for k := 0; k < len(members); k++ {
		m := members[k]
		i := indexOf(fields, m.Key.Value)
		if skip := r.commaForColon(members[k:], i < 0); skip {
			k++
		} else if i < 0 {
			m, i = r.unknownKey(m, what, fields)
		} else if outside := r.ChildrenBeside(members[k:], func(m Entry) bool { return r.isForeign(m.Key, fields) }); outside > 0 {
			k += outside
		} else {
			fields[i].Read(m)
		}
		if i >= 0 {
			have |= 1 << i
			keys = append(keys, m.Key)
		}
	}
	var missing, samples []string
	for i, f := range fields {
		if f.Required && have&(1<<i) == 0 {
			missing = append(missing, strconv.Quote(f.Name))
			samples = append(samples, r.grammar.sample(f.Name, what))
		}
	}
	if len(missing) > 0 {
		d := r.Errorf(at, RuleMissingKey, "%s has no %s", what, strings.Join(missing, ", "))
		d.Hint = "add " + strings.Join(samples, ", ")
	}
	return keys
}

// HasKey reports whether a key is among those that Fields returned.
func HasKey(keys []Text, name string) bool {
	return slices.ContainsFunc(keys, func(k Text) bool { return k.Value == name })
}

func indexOf(fields []Field, name string) int {
	for i := range fields {
		if fields[i].Name == name {
			return i
		}
	}
	return -1
}

// unknownKey reports a key that is not valid here and returns the entry as what was probably meant,
// with its field; -1 when nothing is near. A key of another mapping is no slip of the pen.
func (r *Reader) unknownKey(m Entry, what string, fields []Field) (Entry, int) {
	names := slicesx.List(fields, func(f Field) string { return f.Name })
	key := m.Key
	d := r.Errorf(key.Pos, RuleUnknownKey, "unknown key %q in %s", key.Value, what)
	d.Cause = key.Value + " in " + names[0]
	if name, value := assigned(key.Value); value != "" && indexOf(fields, name) >= 0 {
		d.Hint = "write " + name + ": " + value
		d.Fix = diag.FixBy(d.Hint, diag.Replace(key.Pos, name+": "+value))
		m.Key.Value = name
		return m, indexOf(fields, name)
	}
	switch home := r.grammar.Homes[key.Value]; {
	case home != "":
		d.Hint = home
		if i := indexOf(fields, r.grammar.StandsFor[key.Value]); i >= 0 {
			m.Key.Value = fields[i].Name // so that it is not also missing
			return m, i
		}
		return m, -1
	case !d.Misspelt(key.Pos, key.Value, names):
		d.Hint = "valid here: " + strings.Join(names, ", ")
		return m, -1
	}
	m.Key.Value = diag.Nearest(key.Value, names)
	i := indexOf(fields, m.Key.Value)
	if d.Fix != nil {
		fields[i].Read(m)
	}
	return m, i
}

// WrongKind reports a value of another kind than its key takes. A key without a value is the
// commonest case, and its value has no place, so the key is shown.
func (r *Reader) WrongKind(m Entry, n ast.Node, want string) {
	if _, ok := n.(*ast.NullNode); ok {
		r.Errorf(m.Key.Pos, RuleWrongKind, "%s has no value; it must be %s", m.Key.Value, want)
		return
	}
	d := r.Errorf(r.Pos(n), RuleWrongKind, "%s must be %s, not %s", m.Key.Value, want, KindOf(n))
	if _, ok := n.(ast.ScalarNode); ok {
		r.mistyped(d, n, want)
	} else if hint := r.grammar.Scalars[m.Key.Value]; hint != "" {
		d.Hint = hint
	}
}

// IntoText returns the reader of a text.
func (r *Reader) IntoText(dst *Text) func(Entry) {
	return func(m Entry) {
		switch n := r.Plain(m.Value).(type) {
		case nil:
		case *ast.StringNode, *ast.LiteralNode:
			*dst = r.text(n)
		default:
			r.WrongKind(m, n, wantText)
		}
	}
}

// IntoBool returns the reader of a boolean.
func (r *Reader) IntoBool(dst *Scalar[bool]) func(Entry) {
	return func(m Entry) {
		switch n := r.Plain(m.Value).(type) {
		case nil:
		case *ast.BoolNode:
			*dst = Scalar[bool]{n.Value, r.Pos(n)}
		default:
			r.WrongKind(m, n, wantBool)
		}
	}
}

// IntoInt returns the reader of a whole number.
func (r *Reader) IntoInt(dst *Scalar[int]) func(Entry) {
	return func(m Entry) {
		n := r.Plain(m.Value)
		if n == nil {
			return
		}
		v, ok := number(n)
		if !ok || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			r.WrongKind(m, n, wantInt)
			return
		}
		*dst = Scalar[int]{int(v), r.Pos(n)}
	}
}

// IntoNumber returns the reader of a number.
func (r *Reader) IntoNumber(dst *Scalar[float64]) func(Entry) {
	return func(m Entry) {
		n := r.Plain(m.Value)
		if n == nil {
			return
		}
		v, ok := number(n)
		if !ok {
			r.WrongKind(m, n, wantNumber)
			return
		}
		*dst = Scalar[float64]{v, r.Pos(n)}
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

// Literal returns a scalar of any kind.
func (r *Reader) Literal(n ast.Node) Literal {
	switch s := n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return Literal{Kind: StringLiteral, Text: r.text(n)}
	case *ast.BoolNode:
		return Literal{Kind: BoolLiteral, Text: r.text(n), Bool: s.Value}
	case *ast.NullNode:
		return Literal{Kind: NullLiteral, Text: r.text(n)}
	}
	if v, ok := number(n); ok {
		return Literal{Kind: NumberLiteral, Text: r.text(n), Number: v}
	}
	return Literal{Kind: OtherLiteral, Text: r.text(n)}
}

// IntoLiteral returns the reader of a value of any kind.
func (r *Reader) IntoLiteral(dst *Literal) func(Entry) {
	return func(m Entry) {
		if n := r.Plain(m.Value); n != nil {
			*dst = r.Literal(n)
		}
	}
}

// Items lists a sequence's values.
func (r *Reader) Items(m Entry, want string) ([]ast.Node, bool) {
	n := r.Plain(m.Value)
	if n == nil {
		return nil, false
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.WrongKind(m, n, want)
		return nil, false
	}
	return seq.Values, true
}

// Each returns the reader of a mapping of free names, which calls entry for every member.
func (r *Reader) Each(entry func(Entry)) func(Entry) {
	return func(m Entry) {
		if n, ok := m.Value.(*ast.NullNode); ok {
			r.WrongKind(m, n, "a mapping; {} is an empty one")
			return
		}
		members, _ := r.Members(m.Value, m.Key.Value)
		for _, e := range members {
			entry(e)
		}
	}
}

// IntoTexts returns the reader of a list of texts.
func (r *Reader) IntoTexts(dst *[]Text) func(Entry) {
	return func(m Entry) {
		items, ok := r.Items(m, wantList)
		if ok {
			*dst = r.texts(m, items)
		}
	}
}

// IntoTextOrTexts returns the reader of one text or a list of them.
func (r *Reader) IntoTextOrTexts(dst *[]Text) func(Entry) {
	return func(m Entry) {
		if _, ok := r.Plain(m.Value).(*ast.SequenceNode); ok {
			r.IntoTexts(dst)(m)
			return
		}
		var one Text
		if r.IntoText(&one)(m); one.Set() {
			*dst = []Text{one}
		}
	}
}

func (r *Reader) texts(m Entry, items []ast.Node) []Text {
	out := make([]Text, 0, len(items))
	m.Key.Value = "an entry of " + m.Key.Value
	for _, item := range items {
		var t Text
		if r.IntoText(&t)(Entry{m.Key, item}); t.Set() {
			out = append(out, t)
		}
	}
	return out
}

// Literals reads a list of scalars.
func (r *Reader) Literals(items []ast.Node) []Literal {
	out := make([]Literal, 0, len(items))
	for _, item := range items {
		if n := r.Plain(item); n != nil {
			out = append(out, r.Literal(n))
		}
	}
	return out
}

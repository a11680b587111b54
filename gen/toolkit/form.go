package toolkit

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Form is another way to write a parameter, which its schema does not show: an older name, or an object in
// place of its own type.
type Form struct {
	Name   string   // the parameter
	Was    []string // its older names
	Object ObjectForm
	Names  []string // what Object reads by: a separator, or the names of members
}

// ObjectForm is how an object is read that is given in place of a parameter's own type; "" refuses it.
type ObjectForm string

// The forms.
const (
	ObjectText   ObjectForm = "text"   // a text: the object as JSON text
	ObjectJoined ObjectForm = "joined" // a list of texts: name, separator and value of each member
	ObjectPairs  ObjectForm = "pairs"  // a list of objects, of the name and the value of each member
	ObjectValues ObjectForm = "values" // a list of the values of the named members, in their order
)

// Normalize returns the arguments of a call by the names and types of the schema, so that whatever reads
// them knows no others. Arguments that are so already, and those that are no object, are returned as
// they are. A parameter that is given by two names keeps both, which the decoder refuses.
func (t Traits) Normalize(args []byte) []byte {
	if len(t.Forms) == 0 {
		return args
	}
	members, ok := readMembers(args)
	if !ok {
		return args
	}
	changed := false
	for i := range t.Forms {
		changed = t.Forms[i].rewrite(members) || changed
	}
	if !changed {
		return args
	}
	return writeMembers(members)
}

// rewrite gives the parameter its name and the type of the schema, and reports whether that changes
// anything. It changes nothing where the parameter is given by several names.
func (f *Form) rewrite(members []argument) (changed bool) {
	first := ""
	for _, m := range members {
		if m.name != f.Name && !slices.Contains(f.Was, m.name) {
			continue
		}
		if first != "" && m.name != first {
			return false
		}
		first = m.name
	}
	for i := range members {
		m := &members[i]
		if m.name != first || first == "" {
			continue
		}
		if value, ok := f.fromObject(m.value); ok {
			m.value, changed = value, true
		}
		changed = changed || m.name != f.Name
		m.name = f.Name
	}
	return changed
}

// fromObject returns the value that an object stands for; false where it is none or stands for none.
func (f *Form) fromObject(value jsontext.Value) (jsontext.Value, bool) {
	if f.Object == "" || value.Kind() != '{' {
		return nil, false
	}
	if f.Object == ObjectText {
		text := value.Clone()
		if text.Compact() != nil {
			return nil, false
		}
		return quoteJSON(string(text)), true
	}
	members, ok := readMembers(value)
	if !ok {
		return nil, false
	}
	var items []jsontext.Value
	switch f.Object {
	case ObjectJoined:
		for _, m := range members {
			items = append(items, quoteJSON(m.name+f.Names[0]+m.text()))
		}
	case ObjectPairs:
		for _, m := range members {
			items = append(items, writeMembers([]argument{{f.Names[0], quoteJSON(m.name)}, {f.Names[1], m.value}}))
		}
	case ObjectValues:
		for _, name := range f.Names {
			i := slices.IndexFunc(members, func(m argument) bool { return m.name == name })
			if i < 0 {
				return nil, false
			}
			items = append(items, members[i].value)
		}
	}
	return writeItems(items), true
}

// argument is one member of an object, in the order of the text.
type argument struct {
	name  string
	value jsontext.Value
}

// text is the value as a text: a string without its quotes, anything else as JSON.
func (m argument) text() string {
	if m.value.Kind() == '"' {
		return unquoted(m.value)
	}
	return string(m.value)
}

// readMembers reads the members of an object; false where the text is none.
func readMembers(text []byte) ([]argument, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, false
	}
	var out []argument
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		out = append(out, argument{key, value.Clone()})
	}
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '}' {
		return nil, false
	}
	_, err := dec.ReadToken()
	return out, errors.Is(err, io.EOF)
}

func writeMembers(members []argument) jsontext.Value {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoteJSON(m.name)...), ':'), m.value...)
	}
	return append(out, '}')
}

func writeItems(items []jsontext.Value) jsontext.Value {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}

// quoteJSON is text as a JSON string; bytes that are no UTF-8 become U+FFFD.
func quoteJSON(text string) jsontext.Value {
	out, _ := jsontext.AppendQuote(nil, text) // its error only says that bytes were replaced
	return out
}

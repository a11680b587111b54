package toolkit

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// FactSource gives the facts of the connection that an address names; false when there is none by
// that name.
type FactSource func(address string) (Facts, bool)

// SetFactSource sets where the facts of addressed connections come from. Until then, and for calls
// that address none, the session's own facts decide. The function is called without locks and must
// not block.
func (v *Session) SetFactSource(of FactSource) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.factSource = of
}

// checkAllowed returns the refusal of a tool that may not be called now, or nil.
func (v dispatcher) checkAllowed(i int, args []byte) *Refusal {
	table := v.surface.table()
	if !table.allowed.Has(i) {
		return v.surface.excluded(i)
	}
	if t := &table.reg.Tools[i]; len(t.Powers) > 0 {
		if r := v.surface.withheld(t, t.PowersOf(args)); r != nil {
			return r
		}
	}
	return v.checkVisible(i, args)
}

// checkVisible returns the refusal of a tool whose predicate does not hold, or nil.
func (v dispatcher) checkVisible(i int, args []byte) *Refusal {
	t := &v.surface.table().reg.Tools[i]
	if t.Visible == nil {
		return nil
	}
	facts, known := v.factsFor(args)
	if !known || t.Visible(facts) {
		return nil
	}
	return v.surface.hidden(t, facts)
}

// factsFor finds the facts that decide about a call. They are unknown for an address of no
// connection: the handler reports that better than a predicate could.
func (v dispatcher) factsFor(args []byte) (facts Facts, known bool) {
	v.mu.Lock()
	facts, of := v.facts, v.factSource
	v.mu.Unlock()
	if of == nil || v.surface.table().reg.Address == "" {
		return facts, true
	}
	address, ok := member(args, v.surface.table().reg.Address)
	if !ok {
		return facts, true
	}
	return of(address)
}

// member reads one text of an object of arguments; false when it is not there or not a text, of
// which the decoder will tell.
func member(args []byte, name string) (value string, ok bool) {
	raw, ok := memberValue(args, name)
	if !ok || raw.Kind() != '"' {
		return "", false
	}
	return unquoted(raw), true
}

// unquoted is the text that a JSON string stands for.
func unquoted(raw jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(text)
}

// memberValue reads one member of an object of arguments. Of several it takes the last, as decoders
// of JSON do.
func memberValue(args []byte, name string) (value jsontext.Value, ok bool) {
	if !bytes.Contains(args, []byte(name)) && bytes.IndexByte(args, '\\') < 0 { // a name may be written with escapes
		return nil, false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(args), jsontext.AllowDuplicateNames(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, false
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		found := key.String() == name
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		if found {
			value, ok = raw.Clone(), true
		}
	}
	return value, ok
}

// hidden explains a tool whose predicate does not hold, and the calls that would make it hold.
func (s *Surface) hidden(t *Tool, facts Facts) *Refusal {
	var unmet, phrases []string
	for _, n := range t.Needs {
		if facts.Has(n.Fact) != n.Want {
			name := n.Name
			if !n.Want {
				name = "!" + name
			}
			unmet = append(unmet, name)
			phrases = append(phrases, cmp.Or(s.table().reg.Unmet[name], "it needs "+name))
		}
	}
	how, tools := advise(s.via(t.Requires, facts))
	r := Refuse(ToolNotVisible, fmt.Sprintf("not possible in this state: %s%s", strings.Join(phrases, " and "), how),
		Field{"requires", t.Requires}, Field{"unmet", unmet})
	if len(tools) > 0 {
		r.Fields = append(r.Fields, Field{"via", tools})
	}
	r.Tool = t.Name
	return r
}

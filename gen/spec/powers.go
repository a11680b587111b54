package spec

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Power is an entry of powers in the root file: something dangerous that code can do.
type Power struct {
	Name, Description Text
	Surface           Text         // the policy surface that the power belongs to; not written when there is none
	Changes           Scalar[bool] // a call that uses the power changes something
	Asks              Scalar[bool] // without a decision of the operator, a person is asked before each call that uses the power
	DemandedBy        []Text       // functions that take a value of the power
}

// ToolPower is a power that a tool uses: on every call (Always), or under one condition.
type ToolPower struct {
	Name   Text
	Always bool
	When   []Condition
}

func (w rootWalker) powers(dst *[]Power) func(member) {
	return w.Each(func(m member) {
		p := Power{Name: m.Key}
		w.Fields(m.Value, "power "+quoted(m.Key), m.Key.Pos,
			required("description", w.IntoText(&p.Description)),
			optional("surface", w.IntoText(&p.Surface)),
			optional("changes", w.IntoBool(&p.Changes)),
			optional("asks", w.IntoBool(&p.Asks)),
			optional("demanded_by", w.IntoTexts(&p.DemandedBy)))
		*dst = append(*dst, p)
	})
}

// always is the value of a power that every call of a tool uses.
const always = "always"

func (w toolWalker) toolPowers(dst *[]ToolPower, at *diag.Pos) func(member) {
	return func(m member) {
		*at = m.Key.Pos
		w.Each(func(m member) {
			p := ToolPower{Name: m.Key}
			switch n := w.Plain(m.Value).(type) {
			case nil:
				return
			case *ast.StringNode:
				if p.Always = n.Value == always; !p.Always {
					d := w.Errorf(w.Pos(n), yamltree.RuleWrongKind, "%s must be %q or a condition, not %q", m.Key.Value, always, n.Value)
					d.Hint = "a condition is a parameter with its values: {type: function}, or with given: {path: given}"
				}
			case *ast.MappingNode, *ast.MappingValueNode:
				w.conditions(&p.When)(m)
			default:
				w.WrongKind(m, n, `"always" or a condition`)
			}
			*dst = append(*dst, p)
		})(m)
	}
}

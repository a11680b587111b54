package spec

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
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
	return w.each(func(m member) {
		p := Power{Name: m.key}
		w.fields(m.value, "power "+quoted(m.key), m.key.Pos,
			field{"description", true, w.intoText(&p.Description)},
			field{"surface", false, w.intoText(&p.Surface)},
			field{"changes", false, w.intoBool(&p.Changes)},
			field{"asks", false, w.intoBool(&p.Asks)},
			field{"demanded_by", false, w.intoTexts(&p.DemandedBy)})
		*dst = append(*dst, p)
	})
}

// always is the value of a power that every call of a tool uses.
const always = "always"

func (w toolWalker) toolPowers(dst *[]ToolPower, at *diag.Pos) func(member) {
	return func(m member) {
		*at = m.key.Pos
		w.each(func(m member) {
			p := ToolPower{Name: m.key}
			switch n := w.plain(m.value).(type) {
			case nil:
				return
			case *ast.StringNode:
				if p.Always = n.Value == always; !p.Always {
					d := w.errorf(w.pos(n), ruleWrongKind, "%s must be %q or a condition, not %q", m.key.Value, always, n.Value)
					d.Hint = "a condition is a parameter with its values: {type: function}, or with given: {path: given}"
				}
			case *ast.MappingNode, *ast.MappingValueNode:
				w.conditions(&p.When)(m)
			default:
				w.wrongKind(m, n, `"always" or a condition`)
			}
			*dst = append(*dst, p)
		})(m)
	}
}

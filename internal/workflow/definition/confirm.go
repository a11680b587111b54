package definition

import (
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

func ignore(yamltree.Text, *yamltree.Node) {}

// readConfirm reads the question of a step with the fields and the default beside it.
func (r *reader) readConfirm(step, message *yamltree.Node) *Confirm {
	c := &Confirm{Fields: &param.Object{}}
	if message.Kind != yamltree.StringLiteral {
		r.Errorf(message.Pos, ruleWrongKind, "confirm must be text, not %s", message.Kind)
	} else {
		c.Message = r.readValue(message)
	}
	if n := step.Member("fields"); n != nil {
		c.Fields = r.readObject(n, "fields")
	}
	for _, p := range c.Fields.Properties {
		if p.Type != nil && (p.Type.Kind == param.Array || p.Type.Kind == param.Nested) {
			r.Errorf(p.Pos, ruleStep, "field %q is of type %s, which clients cannot ask for", p.Name, p.Type.Kind).Hint =
				"a field is a string, a number or a boolean"
		}
	}
	if n := step.Member("default"); n != nil {
		r.oneOf(&c.Default, "accept", "decline")(yamltree.Text{Value: "default", Pos: n.Pos}, n)
		for _, p := range c.Fields.Properties {
			if c.Default == "accept" && p.Required {
				r.Errorf(n.Pos, ruleStep, "default is accept, but the person must fill in %q", p.Name).Hint = "give the field a default, or decline"
			}
		}
	}
	return c
}

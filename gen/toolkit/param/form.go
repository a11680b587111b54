package param

// ObjectForm says how an object is read that stands in place of a parameter's own type.
type ObjectForm string

// The forms.
const (
	NoObject     ObjectForm = ""       // an object is refused
	ObjectText   ObjectForm = "text"   // a text: the object as JSON text
	ObjectJoined ObjectForm = "joined" // a list of texts: name, separator and value of each member
	ObjectPairs  ObjectForm = "pairs"  // a list of objects: one of two properties is the name, the other the value
	ObjectValues ObjectForm = "values" // a list of scalars: the values of the named members, in order
)

// ObjectForm returns how an object is read that is given for the parameter.
func (p *Property) ObjectForm() ObjectForm {
	if len(p.FromObject) == 0 {
		return NoObject
	}
	switch p.Type.Kind {
	case String:
		return ObjectText
	case Array:
		switch p.Type.Items.Kind {
		case String:
			return ObjectJoined
		case Nested:
			return ObjectPairs
		}
		return ObjectValues
	}
	return NoObject
}

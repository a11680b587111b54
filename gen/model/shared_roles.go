package model

import "github.com/callsheet/callsheet/gen/spec"

// typesOfOutputs returns the shared types that outputs refer to and inputs do not, directly or by way of other
// types. Their members have no roles, as those of outputs have none.
func typesOfOutputs(tree *spec.Tree) map[string]bool {
	inputs, outputs := sharing{tree.Types, map[string]bool{}}, sharing{tree.Types, map[string]bool{}}
	for _, a := range tree.Areas {
		for _, t := range a.Tools {
			inputs.object(t.Input)
			outputs.object(t.Output)
		}
	}
	for name := range inputs.used {
		delete(outputs.used, name)
	}
	return outputs.used
}

// sharing collects the shared types that schemas refer to.
type sharing struct {
	types []spec.Property
	used  map[string]bool
}

func (s sharing) object(o *spec.Object) {
	if o == nil {
		return
	}
	for _, p := range o.Properties {
		s.schema(p.Schema)
	}
}

func (s sharing) schema(in *spec.Schema) {
	if in == nil {
		return
	}
	if name := in.Type.Value; !s.used[name] {
		for _, t := range s.types {
			if t.Name.Value == name {
				s.used[name] = true
				s.schema(t.Schema)
			}
		}
	}
	s.schema(in.Items)
	s.schema(in.Values)
	s.object(in.Properties)
	if in.Union != nil {
		for _, v := range in.Union.Variants {
			s.object(v.Object)
		}
	}
}

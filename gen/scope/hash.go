package scope

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/model"
)

// hashLength is how many hex digits of the sum the lock keeps: 64 bits, enough that no edit repeats
// a hash by chance.
const hashLength = 16

// Hash sums a tool's contract: names, types, limits, required, enums and defaults of its input and
// output, conditional requirements, effects. Prose and order are no part of it, so that a better
// description leaves threat models current; the lock signs prose among the terms.
func Hash(t *model.Tool) string {
	doc := contract{Input: objectOf(t.Input), Effects: t.Effects}
	if t.Output != nil {
		doc.Output = objectOf(t.Output)
	}
	if t.Forward != nil {
		doc.Upstream = upstreamOf(t.Forward)
	}
	for _, r := range t.Requirements {
		demand := requirement{Values: sorted(r.Values), Mode: r.Mode}
		if r.When != nil {
			demand.When = r.When.Name
		}
		for _, p := range r.Names {
			demand.Names = append(demand.Names, p.Name)
		}
		slices.Sort(demand.Names)
		doc.Requirements = append(doc.Requirements, encode(demand))
	}
	slices.Sort(doc.Requirements)
	return sum(doc)
}

// The canonical encoding: JSON of these types, whose field order is fixed and whose lists are
// sorted. To rename or reorder anything here changes every hash of every lock.
type (
	contract struct {
		Input        *object
		Output       *object `json:",omitempty"`
		Requirements []string
		Effects      model.Effects
		Upstream     []any `json:",omitempty"` // of a forwarded tool: the schemas that are the upstream's
	}
	object   struct{ Properties []property }
	property struct {
		Name     string
		Required bool
		Default  any `json:",omitempty"`
		Type     schema
	}
	schema struct {
		Kind                 model.Kind
		Enum                 []string `json:",omitempty"`
		Pattern              string   `json:",omitempty"`
		MinLength, MaxLength *int     `json:",omitempty"`
		Minimum, Maximum     *float64 `json:",omitempty"`
		MinItems, MaxItems   *int     `json:",omitempty"`
		Items                *schema  `json:",omitempty"`
		Object               *object  `json:",omitempty"`

		Nullable                     bool           `json:",omitempty"`
		Numbers                      map[string]int `json:",omitempty"`
		Format                       model.Format   `json:",omitempty"`
		Values                       *schema        `json:",omitempty"`
		NamePattern                  string         `json:",omitempty"`
		MinProperties, MaxProperties *int           `json:",omitempty"`
		Tag                          string         `json:",omitempty"`
		Variants                     []*object      `json:",omitempty"` // sorted by the value of the tag
	}
	requirement struct {
		When   string `json:",omitempty"`
		Values []string
		Mode   model.Mode
		Names  []string
	}
)

// encode cannot fail on the types above: their numbers come from text, which has neither NaN nor
// infinity.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a contract: %v", err))
	}
	return string(data)
}

func objectOf(o *model.Object) *object {
	out := &object{Properties: []property{}}
	for _, p := range o.Properties {
		item := property{Name: p.Name, Required: p.Required, Type: *schemaOf(p.Type)}
		if p.Default != nil {
			item.Default = literal(p.Type.Kind, p.Default)
		}
		out.Properties = append(out.Properties, item)
	}
	slices.SortFunc(out.Properties, func(a, b property) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func literal(kind model.Kind, v *model.Value) any {
	switch kind {
	case model.String:
		return v.String
	case model.Boolean:
		return v.Bool
	}
	return v.Number
}

func schemaOf(t *model.Type) *schema {
	out := &schema{
		Kind: t.Kind, Enum: sorted(t.Enum), Pattern: t.Pattern,
		MinLength: t.MinLength, MaxLength: t.MaxLength, Minimum: t.Minimum, Maximum: t.Maximum,
		MinItems: t.MinItems, MaxItems: t.MaxItems,
	}
	if t.Items != nil {
		out.Items = schemaOf(t.Items)
	}
	if t.Object != nil {
		out.Object = objectOf(t.Object)
	}
	out.Nullable, out.Format = t.Nullable, t.Format
	for _, n := range t.Numbers {
		if out.Numbers == nil {
			out.Numbers = make(map[string]int)
		}
		out.Numbers[n.Name] = n.Value
	}
	if t.Values != nil {
		out.Values, out.NamePattern = schemaOf(t.Values), t.NamePattern
		out.MinProperties, out.MaxProperties = t.MinProperties, t.MaxProperties
	}
	if t.Union != nil {
		out.Tag = t.Union.Tag
		variants := slices.Clone(t.Union.Variants)
		slices.SortFunc(variants, func(a, b *model.Variant) int { return cmp.Compare(a.Name, b.Name) })
		for _, v := range variants {
			out.Variants = append(out.Variants, objectOf(v.Object))
		}
	}
	return out
}

func sorted(in []string) []string {
	out := slices.Clone(in)
	slices.Sort(out)
	return out
}

// upstreamOf lists the schemas of a forwarded tool that its entry does not state.
func upstreamOf(f *model.Forward) []any {
	out := make([]any, 2)
	if f.Verbatim {
		_ = json.Unmarshal(f.Input, &out[0]) // a record holds JSON
	}
	if f.Output != nil {
		_ = json.Unmarshal(f.Output, &out[1])
	}
	return out
}

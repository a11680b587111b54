// Package breaking compares what a release promised with what the manifest says now, and names
// every change that a client of the release could trip over.
//
// Record writes the promise down; Compare finds the changes; Judge weighs them against the
// allowances that someone gave a reason for. It must not know where releases are kept.
package breaking

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/gen/model"
)

// Surface is the promises of a release: the tools, prompts and resources of its frozen scopes. Its JSON is
// manifest/released.json.
type Surface struct {
	Version string `json:"version"`
	Tools   []Tool `json:"tools"`           // sorted by name
	Codes   []Code `json:"codes,omitempty"` // none in a record from before codes were recorded

	// Annotations says which hints lists have; those that differ from the protocol's default where it is not written.
	Annotations model.Extent `json:"annotations,omitempty"`

	Prompts   []Prompt   `json:"prompts,omitempty"`   // sorted by name
	Resources []Resource `json:"resources,omitempty"` // sorted by name
}

// Tool is one promised tool.
type Tool struct {
	Name         string        `json:"name"`
	Was          []string      `json:"was,omitempty"`
	Scopes       []string      `json:"scopes"`               // the frozen ones
	Tier         int           `json:"tier,omitempty"`       // 1 is listed by default; 0 in a record from before tiers were recorded
	Capability   string        `json:"capability,omitempty"` // "" in a record from before capabilities were
	OptIn        string        `json:"opt_in,omitempty"`     // the capability that must be asked for to get the tool; "" for none
	Effects      Effects       `json:"effects"`
	Asks         []string      `json:"asks,omitempty"` // what a client must have declared to be served in full
	Visible      string        `json:"visible"`        // a predicate, or always
	Input        []Property    `json:"input"`
	Requirements []Requirement `json:"require_when,omitempty"`
	Output       []Property    `json:"output,omitempty"`
}

// Effects are a tool's four promises.
type Effects struct {
	ReadOnly    bool `json:"read_only"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
	OpenWorld   bool `json:"open_world"`
}

// Property is a named value.
type Property struct {
	Name     string   `json:"name"`
	Was      []string `json:"was,omitempty"` // older names that calls may use
	Required bool     `json:"required,omitempty"`
	Type     Type     `json:"type"`
}

// Type is a value's type and limits.
type Type struct {
	Kind       string     `json:"kind"`
	Enum       []string   `json:"enum,omitempty"`
	Pattern    string     `json:"pattern,omitempty"`
	MinLength  *float64   `json:"minLength,omitempty"`
	MaxLength  *float64   `json:"maxLength,omitempty"`
	Minimum    *float64   `json:"minimum,omitempty"`
	Maximum    *float64   `json:"maximum,omitempty"`
	MinItems   *float64   `json:"minItems,omitempty"`
	MaxItems   *float64   `json:"maxItems,omitempty"`
	Items      *Type      `json:"items,omitempty"`
	Properties []Property `json:"properties,omitempty"`

	Nullable      bool           `json:"nullable,omitempty"`
	Numbers       map[string]int `json:"numbers,omitempty"` // an enum of integers
	Format        string         `json:"format,omitempty"`
	Values        *Type          `json:"values,omitempty"` // of a map
	NamePattern   string         `json:"propertyNames,omitempty"`
	MinProperties *float64       `json:"minProperties,omitempty"`
	MaxProperties *float64       `json:"maxProperties,omitempty"`
	Tag           string         `json:"tag,omitempty"`      // of a union
	Variants      []Variant      `json:"variants,omitempty"` // of a union
}

// Variant is one variant of a union; its properties begin with the tag.
type Variant struct {
	Name       string     `json:"name"`
	Properties []Property `json:"properties"`
}

// Requirement is a conditional demand on the input.
type Requirement struct {
	When   string   `json:"when,omitempty"`
	Values []string `json:"values,omitempty"`
	Mode   string   `json:"mode"`
	Names  []string `json:"names"`
}

// always is how a tool without a predicate is written down.
const always = "always"

// Record is the promise that the set would make as a release.
func Record(set *model.Toolset, version string) Surface {
	s := Surface{Version: version, Tools: []Tool{}, Codes: codes(set), Annotations: set.List.Annotations}
	for _, t := range set.Tools {
		row := Tool{Name: t.Name, Was: t.Was, Tier: t.Tier, Effects: Effects(t.Effects), Asks: model.AskNames(t.Asks), Visible: always, Input: properties(t.Input)}
		for _, scope := range t.Scopes {
			if scope.Frozen {
				row.Scopes = append(row.Scopes, scope.Name)
			}
		}
		if len(row.Scopes) == 0 {
			continue // no scope promises it
		}
		row.from(t.Capability)
		if !t.Visible.Always() {
			row.Visible = t.Visible.Text
		}
		if t.Output != nil {
			row.Output = properties(t.Output)
		}
		for _, q := range t.Requirements {
			r := Requirement{Values: q.Values, Mode: string(q.Mode)}
			if q.When != nil {
				r.When = q.When.Name
			}
			for _, p := range q.Names {
				r.Names = append(r.Names, p.Name)
			}
			row.Requirements = append(row.Requirements, r)
		}
		s.Tools = append(s.Tools, row)
	}
	s.entries(set)
	return s
}

// from notes what a server must be started with to have the tool.
func (t *Tool) from(c *model.Capability) {
	if c == nil {
		return
	}
	t.Capability = c.Name
	if c.OptIn {
		t.OptIn = c.Name
	}
}

func properties(o *model.Object) []Property {
	out := []Property{}
	for _, p := range o.Properties {
		out = append(out, Property{p.Name, p.Was, p.Required, typeOf(p.Type)})
	}
	return out
}

// openObject is the kind of an object that takes any members: every closed object is one, so
// closing it narrows.
const openObject = "open object"

// The kinds of objects that are maps and unions.
const (
	mapObject   = "map"
	unionObject = "union"
)

func typeOf(t *model.Type) Type {
	out := Type{
		Kind: string(t.Kind), Enum: t.Enum, Pattern: t.Pattern, MinLength: float(t.MinLength), MaxLength: float(t.MaxLength),
		Minimum: t.Minimum, Maximum: t.Maximum, MinItems: float(t.MinItems), MaxItems: float(t.MaxItems),
	}
	out.Nullable, out.Format, out.NamePattern = t.Nullable, string(t.Format), t.NamePattern
	out.MinProperties, out.MaxProperties = float(t.MinProperties), float(t.MaxProperties)
	for _, n := range t.Numbers {
		if out.Numbers == nil {
			out.Numbers = make(map[string]int)
		}
		out.Numbers[n.Name] = n.Value
	}
	switch {
	case t.Open():
		out.Kind = openObject
	case t.Values != nil:
		values := typeOf(t.Values)
		out.Kind, out.Values = mapObject, &values
	case t.Union != nil:
		out.Kind, out.Tag = unionObject, t.Union.Tag
		for _, v := range t.Union.Variants {
			out.Variants = append(out.Variants, Variant{v.Name, properties(v.Object)})
		}
	}
	if t.Items != nil {
		items := typeOf(t.Items)
		out.Items = &items
	}
	if t.Object != nil {
		out.Properties = properties(t.Object)
	}
	return out
}

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// Encode is the text of a recorded release.
func (s Surface) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{\n  \"version\": ")
	version, err := json.Marshal(s.Version)
	if err != nil {
		return nil, fmt.Errorf("encode the release: %w", err)
	}
	b.Write(version)
	if err := encodeRows(&b, "tools", s.Tools); err != nil {
		return nil, err
	}
	if len(s.Codes) > 0 {
		if err := encodeRows(&b, "codes", s.Codes); err != nil {
			return nil, err
		}
	}
	if len(s.Prompts) > 0 {
		if err := encodeRows(&b, "prompts", s.Prompts); err != nil {
			return nil, err
		}
	}
	if len(s.Resources) > 0 {
		if err := encodeRows(&b, "resources", s.Resources); err != nil {
			return nil, err
		}
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

// encodeRows writes one row a line, so that a diff of two releases names what changed.
func encodeRows[T any](b *bytes.Buffer, key string, rows []T) error {
	fmt.Fprintf(b, ",\n  %q: [", key)
	for i, r := range rows {
		row, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode the release: %w", err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(row)
	}
	b.WriteString("\n  ]")
	return nil
}

// Decode reads a recorded release. Unknown members are an error: a newer compiler may mean things
// by them.
func Decode(text []byte) (Surface, error) {
	var s Surface
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Surface{}, fmt.Errorf("read the released surface: %w", err)
	}
	return s, nil
}

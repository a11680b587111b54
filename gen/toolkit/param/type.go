package param

import (
	"strconv"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
)

// Type is a value's type and the limits on it. Only the fields of its kind are set; a nil limit is
// no limit.
type Type struct {
	Kind          Kind          `json:"kind"`
	Shared        *SharedType   `json:"-"`                  // the type that the manifest refers to by name, whose fields are copied here; nil when it is written in place
	Nullable      bool          `json:"nullable,omitempty"` // null is a value too
	EnumGoName    string        `json:"-"`                  // ComputerAction; set when Enum or Numbers is, but for the tag of a variant
	Initialisms   []string      `json:"-"`                  // that the manifest declares, for the names of constants
	Enum          []string      `json:"enum,omitempty"`
	Numbers       []*EnumNumber `json:"numbers,omitempty"`    // of an integer: the values that it may have
	Pattern       string        `json:"pattern,omitempty"`    // RE2, unanchored as in JSON Schema
	Format        Format        `json:"format,omitempty"`     // of a string without enum and pattern
	MinLength     *int          `json:"min_length,omitempty"` // in characters
	MaxLength     *int          `json:"max_length,omitempty"` // in characters
	Minimum       *float64      `json:"minimum,omitempty"`
	Maximum       *float64      `json:"maximum,omitempty"`
	MinItems      *int          `json:"min_items,omitempty"`
	MaxItems      *int          `json:"max_items,omitempty"`
	Items         *Type         `json:"items,omitempty"`
	Object        *Object       `json:"object,omitempty"`         // nil for an open object, which takes any members, for a map and for a union
	Values        *Type         `json:"values,omitempty"`         // of a map from any names to values of one type
	NamePattern   string        `json:"name_pattern,omitempty"`   // of a map: RE2 that each name matches
	MinProperties *int          `json:"min_properties,omitempty"` // of a map
	MaxProperties *int          `json:"max_properties,omitempty"` // of a map
	Union         *Union        `json:"union,omitempty"`
}

// SharedType is a type that has a name of its own. Generated code has one Go type for it, schemas repeat it.
type SharedType struct {
	Name, GoName, Description string
	Type                      *Type // its Shared is nil
	Used                      bool  // whether a tool refers to it, directly or through another type
	Pos                       diag.Pos
}

// EnumNumber is one value of an enum of integers.
type EnumNumber struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

// Union is an object of exactly one of several variants, told apart by the text of one member, its tag.
type Union struct {
	GoName   string     `json:"-"`
	Tag      string     `json:"tag"`
	Variants []*Variant `json:"variants"`
}

// Variant is one object of a union. Its first property is the tag, a required text of one value.
type Variant struct {
	Name   string  `json:"name"`
	GoName string  `json:"-"`
	Object *Object `json:"object"`
}

// Open reports whether the type is an object with whatever members its author likes.
func (t *Type) Open() bool {
	return t.Kind == Nested && t.Object == nil && t.Values == nil && t.Union == nil
}

// IsTime reports whether Go code has a time for the value.
func (t *Type) IsTime() bool { return t.Kind == String && t.Format == FormatDateTime }

// Part is an object at the bottom of a type. Path leads to it from the value: "/*" for each array or map on the way.
// Variant is its name in a union, or "".
type Part struct {
	Path    string
	Variant string
	Object  *Object
}

// Parts lists the objects at the bottom of a type: none, one, or the variants of a union.
func (t *Type) Parts() []Part {
	path := ""
	for t.Items != nil || t.Values != nil {
		path += "/*"
		if t.Items != nil {
			t = t.Items
		} else {
			t = t.Values
		}
	}
	switch {
	case t.Object != nil:
		return []Part{{Path: path, Object: t.Object}}
	case t.Union != nil:
		return slicesx.Map(t.Union.Variants, func(v *Variant) Part { return Part{path, v.Name, v.Object} })
	}
	return nil
}

// Choices are the values of an enum as JSON writes them, texts without quotes; nil without an enum.
func (t *Type) Choices() []string {
	if t.Numbers == nil {
		return t.Enum
	}
	return slicesx.List(t.Numbers, func(n *EnumNumber) string { return strconv.Itoa(n.Value) })
}

// Format is a form that a text has.
type Format string

// The formats, as JSON Schema names them.
const (
	FormatDate     Format = "date"
	FormatTime     Format = "time"
	FormatDateTime Format = "date-time"
	FormatDuration Format = "duration"
	FormatEmail    Format = "email"
	FormatHostname Format = "hostname"
	FormatURI      Format = "uri"
	FormatIPv4     Format = "ipv4"
	FormatIPv6     Format = "ipv6"
	FormatUUID     Format = "uuid"
)

// Package paramspec reads the types of parameters and results as authors write them in YAML, and resolves them to
// those of package param. A manifest has them, and so has a file of workflows.
//
// It must not know anything else of a manifest.
package paramspec

import (
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Object is a mapping of property names to their schemas, in the author's order.
type Object struct {
	Pos        diag.Pos
	Properties []Property
}

// Property is one named schema.
type Property struct {
	Name   yamltree.Text
	Schema *Schema
}

// Schema is the declaration of a value as it is written. Keys lists the keys in the order they stand, for
// rules about which of them make sense together.
type Schema struct {
	Pos                  diag.Pos
	Keys                 []yamltree.Text
	Type, Description    yamltree.Text
	GoType               yamltree.Text // the name in Go, in place of one that is made of the names around it
	Role, Secret         yamltree.Text
	Required             yamltree.Scalar[bool]
	Enum                 *Enum
	Default              yamltree.Literal
	Minimum, Maximum     yamltree.Scalar[float64]
	MinLength, MaxLength yamltree.Scalar[int]
	MinItems, MaxItems   yamltree.Scalar[int]
	Pattern, Format      yamltree.Text
	Nullable             yamltree.Scalar[bool]
	Items                *Schema
	Properties           *Object
	AdditionalProperties yamltree.Scalar[bool] // of an open object
	Values               *Schema               // of a map: what is written under additionalProperties; nil when that is a boolean
	PropertyNames        yamltree.Text         // of a map: the pattern of its names
	MinProperties        yamltree.Scalar[int]
	MaxProperties        yamltree.Scalar[int]
	Union                *Union                // nil when not written
	Was                  []yamltree.Text       // older names of a parameter
	Listed               yamltree.Scalar[bool] // false: calls take the parameter, and lists do not show it
	FromObject           []yamltree.Text       // how an object that is given instead is read
	Not                  []Refused             // of an object
}

// Refused is an entry of not: a name that is not taken, and why.
type Refused struct{ Name, Reason yamltree.Text }

// Enum is a list of allowed values. Names are those of the values when the enum is a mapping, in the same order.
type Enum struct {
	Key    diag.Pos
	Values []yamltree.Literal
	Names  []yamltree.Text
}

// Union is an object of one of several variants, and the member that tells them apart.
type Union struct {
	Key      diag.Pos
	Tag      yamltree.Text
	Variants []Variant
}

// Variant is one entry of the variants of a union.
type Variant struct {
	Name   yamltree.Text
	Object *Object
}

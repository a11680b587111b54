package paramspec

import (
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// requiredHint mends a list of required parameters, which JSON Schema has.
const requiredHint = "write required: true on each parameter that every call needs"

// Grammar returns the grammar of a kind of file with parameters, which messages call what. The caller adds
// the keys that the file has beside them.
func Grammar(what string) *yamltree.Grammar {
	g := &yamltree.Grammar{
		What: what,
		Homes: map[string]string{
			"additional_properties": "write additionalProperties",
			"oneOf":                 "write union, with a tag and variants", "anyOf": "write union, with a tag and variants",
			"$ref": "a shared type stands under types in the root file; refer to it by type: Name", "$defs": "shared types stand under types",
		},
		StandsFor: map[string]string{"oneOf": "type", "anyOf": "type", "$ref": "type", "$defs": "types"},
		Keys:      strings.Fields("description role secret enum was listed not"),
		Scalars:   map[string]string{"required": requiredHint},
	}
	for _, key := range strings.Fields("type required default minimum maximum minLength maxLength minItems maxItems pattern items properties " +
		"additionalProperties from_object format nullable union propertyNames minProperties maxProperties") {
		g.Homes[key] = "it is a key of a parameter"
	}
	return g
}

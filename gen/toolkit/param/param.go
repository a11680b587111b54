// Package param is the types of parameters and results, as a compiler has resolved them and as a server that
// learns of a tool at run time reads them.
//
// It must not know how they are written, nor anything else of a manifest.
package param

import "github.com/callsheet/callsheet/gen/diag"

// Kind is a JSON type.
type Kind string

// The kinds the manifest grammar knows. Free is any JSON value.
const (
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Array   Kind = "array"
	Nested  Kind = "object"
	Free    Kind = "any"
)

// Object is a closed object: named properties in the author's order, nothing else allowed.
type Object struct {
	GoName     string      `json:"-"` // ReadPageParams, PageScreenshotClip
	Properties []*Property `json:"properties,omitempty"`
	Refused    []*Refused  `json:"refused,omitempty"` // names that it does not take, with the reason

	Unread bool `json:"-"` // it could not be read, and that is reported: names of its properties are not judged
}

// Refused is a name that an object does not take, and what an answer says instead of "unknown".
type Refused struct {
	Name   string   `json:"name"`
	Reason string   `json:"reason,omitempty"`
	Pos    diag.Pos `json:"-"`
}

// Property is one named member of an object.
type Property struct {
	Name        string   `json:"name"`
	GoName      string   `json:"-"`
	Description string   `json:"description,omitempty"`
	Role        *Role    `json:"-"`                // nil when it has none
	Secret      string   `json:"secret,omitempty"` // the use of a secret that it names, as the manifest calls it; "" for none
	Required    bool     `json:"required,omitempty"`
	Default     *Value   `json:"default,omitempty"` // nil when there is none; never set together with Required
	Type        *Type    `json:"type"`
	Was         []string `json:"was,omitempty"`         // older names that calls may still use; only of a tool's own parameters
	Unlisted    bool     `json:"unlisted,omitempty"`    // calls take it, and lists do not show it; only a tool's own parameters
	FromObject  []string `json:"from_object,omitempty"` // how an object that is given instead is read; see ObjectForm
	Pos         diag.Pos `json:"-"`
}

// What the secrets are for that a parameter may name: text that is typed, or a password that
// is sent to an origin.
const (
	SecretTyped = "typed"
	SecretSent  = "sent"
)

// Value is a literal of the manifest: a default. Exactly the field of the property's kind is
// meaningful.
type Value struct {
	String string  `json:"string,omitempty"`
	Number float64 `json:"number,omitempty"` // integers too
	Bool   bool    `json:"bool,omitempty"`
}

// Role is the purpose of a parameter. A parameter called by one of Names must state a role, this or
// another.
type Role struct {
	Name, Description string
	GoName            string // RoleTab
	Form              string // regular expression of all values; "" when they have no form in common
	Names             []string
}

package model

import "github.com/callsheet/callsheet/gen/toolkit/param"

// The types of parameters and results. A server that learns of a tool at run time has them too.
type (
	Kind       = param.Kind
	Object     = param.Object
	Property   = param.Property
	Value      = param.Value
	Refused    = param.Refused
	Role       = param.Role
	Type       = param.Type
	SharedType = param.SharedType
	EnumNumber = param.EnumNumber
	Union      = param.Union
	Variant    = param.Variant
	Part       = param.Part
	Format     = param.Format
	ObjectForm = param.ObjectForm
)

// The kinds that the grammar of manifests knows.
const (
	String  = param.String
	Integer = param.Integer
	Number  = param.Number
	Boolean = param.Boolean
	Array   = param.Array
	Nested  = param.Nested
	Free    = param.Free
)

// The formats, as JSON Schema names them.
const (
	FormatDate     = param.FormatDate
	FormatTime     = param.FormatTime
	FormatDateTime = param.FormatDateTime
	FormatDuration = param.FormatDuration
	FormatEmail    = param.FormatEmail
	FormatHostname = param.FormatHostname
	FormatURI      = param.FormatURI
	FormatIPv4     = param.FormatIPv4
	FormatIPv6     = param.FormatIPv6
	FormatUUID     = param.FormatUUID
)

// What the secrets are for that a parameter may name.
const (
	SecretTyped = param.SecretTyped
	SecretSent  = param.SecretSent
)

// The forms of an object that stands in place of a parameter's own type.
const (
	NoObject     = param.NoObject
	ObjectText   = param.ObjectText
	ObjectJoined = param.ObjectJoined
	ObjectPairs  = param.ObjectPairs
	ObjectValues = param.ObjectValues
)

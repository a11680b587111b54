// Package fault describes errors that the caller of a tool can act on: a code that the manifest
// declares, and the facts that go with it.
//
// The engine and the layers above it return such errors; internal/result turns them into refusals. It
// is a leaf: of this module it must import nothing but generated/codes.
package fault

import "github.com/callsheet/callsheet/generated/codes"

// Field is one named value of a refusal's structured content. Value must be encodable as JSON.
type Field struct {
	Name  string
	Value any
}

// Coded is an error with a code. Fields may be nil; their order is the order in which clients see
// them.
type Coded interface {
	error
	Code() codes.Code
	Fields() []Field
}

// New returns an error with a code and a fixed text, for package-level sentinels that errors.Is
// finds.
func New(code codes.Code, message string, fields ...Field) error {
	return &sentinel{code: code, message: message, fields: fields}
}

type sentinel struct {
	code    codes.Code
	message string
	fields  []Field
}

func (s *sentinel) Error() string    { return s.message }
func (s *sentinel) Code() codes.Code { return s.code }
func (s *sentinel) Fields() []Field  { return s.fields }

// IsSentinel reports whether New made this error, so that its text is fixed.
func IsSentinel(err error) bool {
	_, ok := err.(*sentinel) //nolint:errorlint // an error that wraps one has a text of its own
	return ok
}

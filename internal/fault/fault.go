// Package fault describes errors that the caller of a tool can act on: a code that the manifest
// declares, and the facts that go with it.
//
// The engine and the layers above it return such errors; internal/result turns them into refusals. It
// is a leaf: of this module it must import nothing but generated/codes.
package fault

import (
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
)

// Field is one named value of a refusal's structured content. Value must be encodable as JSON.
type Field struct {
	Name  string
	Value any
}

// Coded is an error with a code. One that has fields too has the method Fields.
type Coded interface {
	error
	Code() codes.Code
}

// FieldsOf returns the fields of an error, in the order in which clients see them; nil where it has none.
func FieldsOf(err Coded) []Field {
	if f, ok := err.(interface{ Fields() []Field }); ok {
		return f.Fields()
	}
	return nil
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

// Error is an error with a code whose text describes the whole problem. Errorf makes one.
type Error struct {
	code   codes.Code
	text   error
	fields []Field
}

// Errorf returns an error with a code and the text that fmt.Errorf makes of the rest, which may wrap a cause.
func Errorf(code codes.Code, format string, args ...any) *Error {
	return &Error{code: code, text: fmt.Errorf(format, args...)}
}

// Invalid returns the error of an argument that has the right type and no use.
func Invalid(format string, args ...any) error {
	return Errorf(codes.InvalidArguments, format, args...)
}

// With adds a field.
func (e *Error) With(name string, value any) *Error {
	e.fields = append(e.fields, Field{Name: name, Value: value})
	return e
}

func (e *Error) Error() string { return e.text.Error() }

// Unwrap returns the cause; nil where the text wraps none.
func (e *Error) Unwrap() error { return errors.Unwrap(e.text) }

// Code implements Coded.
func (e *Error) Code() codes.Code { return e.code }

// Fields implements Coded.
func (e *Error) Fields() []Field { return e.fields }

// IsSentinel reports whether New made this error, so that its text is fixed.
func IsSentinel(err error) bool {
	_, ok := err.(*sentinel) //nolint:errorlint // an error that wraps one has a text of its own
	return ok
}
